import GRDB
import Geodesy
import TestSupport
import Testing
import Time
import Tracking

@testable import Plans
@testable import Service
@testable import Store

@Suite struct LocationStampTests {
    private func event(_ type: String, _ id: String, _ device: String = "van", at time: Timestamp) -> EventRecord {
        EventRecord(
            seq: 1, time: time, type: type, device: device, subject: "location/\(id)", recipient: nil, line: [])
    }

    @Test func theFirstPassWithinThePlansDaysStampsAndNotifies() throws {
        try PlansFixture("ada", "ben", "cleo").queue.write { db in
            // `moment` counts from 1 May.
            let access = try PlansFixture.plan(.titled("Rome", from: "2026-05-02", to: "2026-05-03"), in: db)
            _ = try PlansFixture.join(2, access, travels: true, in: db)
            _ = try PlansFixture.join(3, access, travels: false, in: db)
            var fields = Location.Fields(name: "Forum")
            fields.place = Coordinate(latitude: 41.9, longitude: 12.5)
            let number = try Location.create(fields, in: access, at: moment(0), in: db)
            let id = try Location.get(number, in: db).id
            try db.execute(sql: "INSERT INTO carried VALUES ('van', 2), ('bike', 3)")
            let stamps = LocationStampConsumer()
            func consume(_ event: EventRecord) throws -> [String] {
                #expect(stamps.concerns(event))
                var consequences = Consequences()
                try stamps.consume(event, in: db, &consequences)
                return consequences.notifications.map(\.person)
            }
            func passed() throws -> Timestamp? { try Location.get(number, in: db).passed }
            // A device without a traveller, or a fix before the plan's days, does not stamp.
            #expect(try consume(event("geofence.enter", id, "bike", at: moment(40_000))).isEmpty)
            #expect(try consume(event("geofence.enter", id, at: moment(-10_000))).isEmpty)
            #expect(try passed() == nil)
            func departed() throws -> Timestamp? { try Location.get(number, in: db).departed }
            #expect(try consume(event("geofence.enter", id, at: moment(40_000))) == ["ada", "ben"])
            #expect(try consume(event("geofence.enter", id, at: moment(50_000))).isEmpty)
            #expect(try consume(event("geofence.exit", id, "bike", at: moment(55_000))).isEmpty)
            #expect(try passed() == moment(40_000) && departed() == nil)
            for time in [60_000, 90_000] as [Int64] {
                #expect(try consume(event("geofence.exit", id, at: moment(time))).isEmpty)
                #expect(try departed() == moment(60_000))
            }
            // After a crossing without a fix inside, arrival and departure are equal, and a later exit does not
            // change them.
            try Location.clearStamp(number, in: access, in: db)
            #expect(try consume(event("geofence.cross", id, at: moment(70_000))) == ["ada", "ben"])
            #expect(try consume(event("geofence.exit", id, at: moment(80_000))).isEmpty)
            #expect(try passed() == moment(70_000) && departed() == moment(70_000))
            #expect(try consume(event("geofence.enter", "none", at: moment(60_000))).isEmpty)
        }
    }

    @Test func locationsOfAPlanWithoutDatesAreStampedAtAnyTime() throws {
        try PlansFixture("ada").queue.write { db in
            let access = try PlansFixture.plan(.titled("Some day"), in: db)
            let number = try Location.create(Location.Fields(name: "Forum"), in: access, at: moment(0), in: db)
            let id = try Location.get(number, in: db).id
            try db.execute(sql: "INSERT INTO carried VALUES ('van', 1)")
            var consequences = Consequences()
            try LocationStampConsumer().consume(
                event("geofence.enter", id, at: moment(-9_000_000)), in: db, &consequences)
            #expect(try Location.get(number, in: db).passed == moment(-9_000_000))
            #expect(consequences.notifications.map(\.person) == ["ada"])
        }
    }
}
