import GRDB
import Geodesy
import Positioning
import TestSupport
import Testing
import Tracking

@testable import Store

@Suite struct DeviceTests {
    @Test func theStateOfADeviceIsReadAsTheSameBytes() throws {
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
            #expect(try StoredJSON.encode(read) == StoredJSON.encode(saved))
        }
        #expect(try store.trips().count == 1)
        let last = StoredDevice.Sighting(time: time(59 * 4), place: place(north, 59))
        #expect(try store.devices() == [StoredDevice(name: "gps0", last: last)])
    }

    @Test func devicesAreListedByNameAlsoBeforeAnyFix() throws {
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

    @Test func aStateThatCannotBeReadIsSaidToBeDamaged() throws {
        let store = try LocationDatabase.temporary()
        try store.write { try $0.execute(sql: "INSERT INTO device (name, state) VALUES ('gps0', '{}')") }
        let error = #expect(throws: StoreError.self) { try store.state(ofDevice: "gps0") }
        #expect(error?.description.contains("the state of device gps0") == true)
    }
}
