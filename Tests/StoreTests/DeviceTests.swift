import Foundation
import GRDB
import Geodesy
import Positioning
import TestSupport
import Testing
import Tracking

@testable import Store

@Suite struct DeviceTests {
    @Test func theStateOfADeviceIsReadBackUnchanged() throws {
        var random = SeededGenerator(seed: 9)
        let sight = Geofence(
            identity: .init(kind: .sight, id: "west"), title: "West", center: place(), radius: .meters(80))
        let index = GeofenceIndex([(geofence: sight, revision: 1)], revision: 1)
        var tracker = Tracker(device: "gps0")
        let store = try LocationDatabase.temporary()
        var north: Int32 = 0
        for second in 0..<60 {
            var output = Tracker.Output()
            north += .random(in: 0...4000, using: &random)
            var step = fix(Double(second * 4), north, Int32(second))
            step.speed = .metersPerSecond(.random(in: 0...12, using: &random))
            tracker.ingest(step, in: index, into: &output)
            var pending = PendingCommit()
            pending.add(output, of: "gps0")
            let saved = tracker.saved(in: index)
            pending.devices["gps0"] = .init(time: time(Double(second * 4)), place: step.coordinate, saved: saved)
            _ = try store.commit(pending)
            let read = try #require(try store.state(ofDevice: "gps0"))
            let text = try StoredJSON.encode(saved)
            #expect(try StoredJSON.encode(read) == text)
            // Stores of earlier versions have what Foundation writes.
            #expect(try text == String(decoding: Self.encoder.encode(saved), as: UTF8.self))
        }
        #expect(try store.trips().count == 1)
        let last = StoredDevice.Sighting(time: time(59 * 4), place: place(north, 59))
        #expect(try store.devices() == [StoredDevice(name: "gps0", isPrimary: true, last: last, isTracked: true)])
    }

    private static let encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    @Test func devicesAreListedByNameEvenWithoutAFix() throws {
        let store = try LocationDatabase.temporary()
        var pending = PendingCommit()
        for name in ["phone", "gps0", "Größe"] {
            pending.changes[name] = [.stopBegan(StopSummary(device: name, start: time(0), place: place()))]
        }
        _ = try store.commit(pending)
        #expect(try store.devices().map(\.name) == ["Größe", "gps0", "phone"])
        #expect(try store.devices().allSatisfy { $0.last == nil })
        #expect(try store.state(ofDevice: "phone") == nil)
        #expect(try store.state(ofDevice: "unheard") == nil)
    }

    @Test func anUnreadableStateIsReportedAsDamaged() throws {
        let store = try LocationDatabase.temporary()
        try store.write { try $0.execute(sql: "INSERT INTO device (name, state) VALUES ('gps0', '{}')") }
        let error = #expect(throws: StoreError.self) { try store.state(ofDevice: "gps0") }
        #expect(error?.description.contains("the state of device gps0") == true)
    }

    @Test func theFirstDeviceIsPrimaryUntilAnotherIsChosen() throws {
        let store = try LocationDatabase.temporary()
        func primary() throws -> [String] { try store.devices().filter(\.isPrimary).map(\.name) }
        #expect(try primary().isEmpty)
        for name in ["van", "bike", "phone"] { try store.write { _ = try Devices.add(name, to: $0) } }
        #expect(try primary() == ["van"])
        for name in ["phone", "bike", "bike"] {
            try store.write { try Devices.makePrimary(name, in: $0) }
            #expect(try primary() == [name])
        }
        // The table itself refuses a second primary device.
        #expect(throws: StoreError.self) {
            try store.write { try $0.execute(sql: "UPDATE device SET is_primary = 1") }
        }
        #expect(try primary() == ["bike"])
    }

    @Test func aTitleSurvivesLaterCommitsOfTheDevice() throws {
        let store = try LocationDatabase.temporary()
        try store.write { db in
            try Devices.add("van", to: db)
            try Devices.setTitle("Our van", of: "van", in: db)
            try Devices.add("van", to: db)
        }
        var pending = PendingCommit()
        pending.changes["van"] = [.stopBegan(StopSummary(device: "van", start: time(0), place: place()))]
        _ = try store.commit(pending)
        #expect(try store.devices() == [StoredDevice(name: "van", title: "Our van", isPrimary: true)])
        try store.write { try Devices.setTitle(nil, of: "van", in: $0) }
        #expect(try store.devices().map(\.title) == [nil])
    }
}
