import GRDB
import Geodesy
import MQTT
import Positioning
import Store
import TestSupport
import Testing
import Time
import Tracking

@testable import Daemon

/// What a broker is told of the devices.
@Suite struct BrokerDoorTests {
    @Test func aDeviceIsToldWithItsTripAndTheWayOfTheDay() async throws {
        let rig = try await LiveRig(try Stores.temporary())
        try await rig.run {
            let features = Features(store: rig.store, liveState: rig.pipeline) { LiveRig.time(rig.clock.now) }
            let door = BrokerDoor(pipeline: rig.pipeline, context: features.context, seesEverything: false)
            #expect(try await door.reports() == [])

            /// Takes a fix every ten seconds, up to a time.
            func travel(from start: Int, to end: Int) async {
                for second in stride(from: start, to: end, by: 10) {
                    // It rests for a minute, drives eastward at 10 m/s for ten minutes, and rests again.
                    let way = Double(min(max(0, second - 60), 600)) * 10
                    rig.clock.move(by: 10)
                    await rig.receive([LiveRig.fix(Double(second), east: way)])
                }
            }

            await travel(from: 0, to: 660)
            let driving = try #require(try await door.reports().first)
            #expect(driving.name == "van" && driving.isMoving)
            #expect(driving.fix?.time == LiveRig.time(650))
            #expect(try driving.trip == rig.store.trips().first?.summary.id)
            #expect(abs(driving.distanceToday.meters - 5_900) < 60)
            // The stop is open, and so is the trip.
            await travel(from: 660, to: 1_100)
            let resting = try #require(try await door.reports().first)
            #expect(!resting.isMoving && resting.trip == driving.trip)
            #expect(resting.day == Timestamp(rfc3339: "2026-05-01T00:00:00Z"))
            // The trip ends while the disk is full: the pipeline has it no longer, and the sums do not have it yet.
            try await rig.refuse(true, when: "UPDATE ON trip")
            await travel(from: 1_100, to: 6_000)
            let ending = try #require(try await door.reports().first)
            #expect(ending.trip == nil)
            #expect(abs(ending.distanceToday.meters - resting.distanceToday.meters) < 1)
            try await rig.refuse(false)
            await travel(from: 6_000, to: 7_000)
            let arrived = try #require(try await door.reports().first)
            #expect(!arrived.isMoving && arrived.trip == nil)
            #expect(abs(arrived.distanceToday.meters - 6_000) < 60)
            #expect(abs(arrived.distanceToday.meters - resting.distanceToday.meters) < 1)
        }
    }

    @Test func whoSeesNoDeviceIsToldOfNone() async throws {
        let rig = try await LiveRig(try Stores.temporary())
        try await rig.run {
            let features = Features(store: rig.store, liveState: rig.pipeline) { LiveRig.time(0) }
            func names(_ seesEverything: Bool) async throws -> [String] {
                try await BrokerDoor(
                    pipeline: rig.pipeline, context: features.context, seesEverything: seesEverything
                ).reports().map(\.name)
            }
            await rig.receive([LiveRig.fix(0)])
            #expect(try await names(false) == ["van"])
            try await rig.store.write { db in
                try db.execute(sql: "INSERT INTO device_group (id, title) VALUES ('crew', 'Crew')")
            }
            #expect(try await names(false) == [])
            #expect(try await names(true) == ["van"])
        }
    }

    @Test func placesFromTheBrokerAreThoseOfDevicesWithASecret() async throws {
        let rig = try await LiveRig(try Stores.temporary())
        try await rig.run {
            let phones = BrokerPhones(pipeline: rig.pipeline, store: rig.store)
            func message(_ seconds: Int) -> [UInt8] {
                Array(#"{"_type":"location","lat":52.1,"lon":5.1,"acc":5,"tst":\#(1_777_629_600 + seconds)}"#.utf8)
            }
            #expect(try await !phones.receive(message(0), of: "ada/phone"))
            #expect(try rig.store.devices().isEmpty)
            try await rig.store.write { db in
                try ReportedDevices.set(digest: Array(repeating: 1, count: 32), of: "ada/phone", in: db)
            }
            for second in [0, 10, 10, 5] { #expect(try await phones.receive(message(second), of: "ada/phone")) }
            for text in ["", "nonsense", #"{"_type":"lwt","tst":1}"#] {
                #expect(try await phones.receive(Array(text.utf8), of: "ada/phone"))
            }
            let device = try #require(await rig.pipeline.reported["ada/phone"])
            #expect((device.duplicates, device.late) == (1, 1))
            #expect(try rig.store.devices().first?.last?.time == LiveRig.time(10))
            try await rig.refuse(true, when: "UPDATE ON device")
            await #expect(throws: ReportPostponed.self) { _ = try await phones.receive(message(20), of: "ada/phone") }
            try await rig.refuse(false)
        }
    }
}
