import GRDB
import Geodesy
import RPC
import TestSupport
import Testing
import Time
import Tracking

@testable import Plans
@testable import Service
@testable import Store

@Suite struct PlanTripTests {
    /// Stores an ended trip that lasts over these hours, counted from the beginning of May.
    private func record(
        _ id: String, _ hours: ClosedRange<Int64>, of device: String = "van", meters: Double = 1000, in db: Database
    ) throws {
        try db.execute(sql: "INSERT OR IGNORE INTO device (name) VALUES (?)", arguments: [device])
        try db.execute(
            sql: """
                INSERT INTO trip (id, device, start, "end", distance_m, algorithm, settings)
                SELECT ?, number, ?, ?, ?, 1, '{}' FROM device WHERE name = ?
                """,
            arguments: [
                id, moment(hours.lowerBound * 3600).milliseconds, moment(hours.upperBound * 3600).milliseconds, meters,
                device,
            ])
    }

    private func ended(_ id: String, as type: String = "trip.end", in db: Database) throws {
        let event = EventRecord(
            seq: 1, time: moment(0), type: type, device: "van", subject: "trip/\(id)", recipient: nil, line: [])
        #expect(PlanTripConsumer().concerns(event))
        var consequences = Consequences()
        try PlanTripConsumer().consume(event, in: db, &consequences)
    }

    private func trips(_ access: PlanAccess, in db: Database) throws -> [String] {
        try PlanTrip.list(of: access.plan, in: db).map(\.id)
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func aTripJoinsTravellersPlansThatCoverMostOfIt(_ seed: UInt64) throws {
        try PlansFixture("ada", "ben", "cleo").queue.write { db in
            var random = SeededGenerator(seed: seed)
            try db.execute(sql: "INSERT INTO carried VALUES ('van', 2), ('bike', 3)")
            // The hours of each plan since the beginning of May, and whether ben travels in it.
            var plans: [(access: PlanAccess, days: ClosedRange<Int64>, hasBen: Bool)] = []
            for _ in 0..<12 {
                let first = Int64.random(in: 1...9, using: &random)
                let last = Int64.random(in: first...9, using: &random)
                var fields = try Plan.Fields.titled("Plan", from: "2026-05-0\(first)", to: "2026-05-0\(last)")
                fields.zone = try #require(Zone("UTC"))
                fields.span.start?.zone = fields.zone
                fields.span.end?.zone = fields.zone
                let access = try PlansFixture.plan(fields, in: db)
                let hasBen = Bool.random(using: &random)
                _ = try PlansFixture.join(2, access, travels: hasBen, in: db)
                _ = try PlansFixture.join(3, access, travels: false, in: db)
                plans.append((access, (first - 1) * 24...last * 24, hasBen))
            }
            let undated = try PlansFixture.plan(.titled("Some day"), in: db)
            _ = try PlansFixture.join(2, undated, in: db)
            for number in 0..<40 {
                let start = Int64.random(in: 0...220, using: &random)
                let end = start + Int64.random(in: 1...60, using: &random)
                let device = ["van", "bike"].randomElement(using: &random).known
                let id = "\(device)@\(number)"
                try record(id, start...end, of: device, in: db)
                try ended(id, in: db)
                for plan in plans {
                    let held = max(0, min(end, plan.days.upperBound) - max(start, plan.days.lowerBound))
                    let joins = device == "van" && plan.hasBen && 2 * held > end - start
                    #expect(try trips(plan.access, in: db).contains(id) == joins, "\(start) \(end) \(plan.days)")
                }
            }
            #expect(try trips(undated, in: db).isEmpty)
        }
    }

    @Test func aTripRemovedByHandDoesNotJoinAgain() throws {
        try PlansFixture("ada", "ben").queue.write { db in
            let access = try PlansFixture.plan(.titled("Rome", from: "2026-05-01", to: "2026-05-02"), in: db)
            _ = try PlansFixture.join(2, access, in: db)
            try db.execute(sql: "INSERT INTO carried VALUES ('van', 1)")
            try record("in", 1...5, in: db)
            try record("late", 100...110, in: db)
            for id in ["in", "late", "none"] { try ended(id, in: db) }
            #expect(try trips(access, in: db) == ["in"])
            try PlanTrip.add("late", to: access, by: .everybody, in: db)
            try PlanTrip.add("late", to: access, by: .everybody, in: db)
            #expect(try trips(access, in: db) == ["in", "late"])
            try PlanTrip.remove("in", from: access, in: db)
            refuses(.notFound) { try PlanTrip.remove("in", from: access, in: db) }
            try ended("in", as: "trip.revised", in: db)
            #expect(try trips(access, in: db) == ["late"])
            try PlanTrip.add("in", to: access, by: .everybody, in: db)
            #expect(try trips(access, in: db) == ["in", "late"])
            refuses(.notFound) { try PlanTrip.add("none", to: access, by: .everybody, in: db) }
            let reader = try PlansFixture.access(access, as: 2, in: db)
            refuses(.notAllowed) { try PlanTrip.add("late", to: reader, by: .everybody, in: db) }
            refuses(.notAllowed) { try PlanTrip.remove("late", from: reader, in: db) }
            // Hiding or deleting a trip removes it from the plan.
            try db.execute(sql: "UPDATE trip SET hidden = 1 WHERE id = 'in'; DELETE FROM trip WHERE id = 'late'")
            #expect(try trips(access, in: db).isEmpty)
            try PlansFixture.checkKeys(db)
        }
    }

    @Test func plannedDistancesAreSummedByDay() throws {
        try PlansFixture("ada", "ben").queue.write { db in
            let access = try PlansFixture.plan(.titled("Rome", from: "2026-05-01", to: "2026-05-03"), in: db)
            let zone = try #require(Zone("Europe/Amsterdam"))
            // Each leg is one degree of the equator. A location without a time counts for no day.
            for (index, time) in [nil, "2026-05-01T10:00", nil, "2026-05-02T23:30", "2026-05-03"].enumerated() {
                var fields = Location.Fields(name: "L\(index)")
                fields.place = Coordinate(latitude: 0, longitude: Double(index))
                fields.span.start = try time.map { try PlannedTime($0, in: zone) }
                fields.level = index == 2 ? .me : .everyone
                _ = try Location.create(fields, in: access, at: moment(0), in: db)
            }
            var nowhere = Location.Fields(name: "Nowhere")
            nowhere.span.start = try PlannedTime("2026-05-02", in: zone)
            _ = try Location.create(nowhere, in: access, at: moment(0), in: db)
            try db.execute(sql: "INSERT INTO carried VALUES ('van', 1)")
            try record("long", 10...30, meters: 5000, in: db)
            try ended("long", in: db)
            func days(_ person: Int64) throws -> [String: Int] {
                let access = try PlansFixture.access(access, as: person, in: db)
                let journey = try PlanJourney(of: access, for: .everybody, in: db)
                #expect((journey.travelled == nil) == (person == 2))
                return Dictionary(
                    uniqueKeysWithValues: journey.days.map {
                        ($0.date?.text ?? "", Int(($0.planned.meters / 111_319.5).rounded()))
                    })
            }
            #expect(try days(1) == ["2026-05-01": 1, "2026-05-02": 1, "2026-05-03": 1, "": 1])
            // The distance skips a location that a friend does not see.
            try PlansFixture.befriend(1, 2, in: db)
            #expect(try days(2) == ["2026-05-01": 1, "2026-05-02": 2, "2026-05-03": 1])
            let travelled = try PlanJourney(of: access, for: .everybody, in: db).days.map(\.travelled.meters)
            #expect(travelled == [5000, 0, 0, 0])
            // A trip that goes on counts too, if it began in the plan's span on a device of a traveller.
            func going(_ device: String, _ hour: Int64) throws -> [String] {
                var summary = TripSummary(device: device, start: moment(hour * 3600))
                summary.distance = .meters(70)
                let journey = try PlanJourney(of: access, open: [device: summary], for: .everybody, in: db)
                let trips = journey.travelled?.trips ?? []
                #expect(journey.days.reduce(0) { $0 + $1.travelled.meters } == (trips.count == 2 ? 5070 : 5000))
                return trips.filter { $0.end == nil }.map(\.device)
            }
            #expect(try going("van", 24) == ["van"])
            #expect(try going("van", 24 * 5).isEmpty)
            #expect(try going("bus", 24).isEmpty)
        }
    }
}

extension Viewer {
    /// Somebody from whom no group hides a device.
    fileprivate static let everybody = Viewer(person: nil, isAdmin: true)
}
