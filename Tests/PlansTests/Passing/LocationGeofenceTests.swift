import GRDB
import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

@testable import People
@testable import Plans
@testable import Service
@testable import Store

@Suite(.slow) struct LocationGeofenceTests {
    private typealias Watched = [Geofence.Identity: (geofence: Geofence, revision: Int64)]

    /// Returns all geofences of the source.
    private func all(in db: Database) throws -> Watched {
        var all: Watched = [:]
        try LocationGeofences().forEach(in: db) { all[$0.identity] = ($0, $1) }
        return all
    }

    /// Applies changes to the watched geofences as an index does.
    private func apply(_ changes: [GeofenceChange], to watched: inout Watched) {
        for change in changes {
            switch change {
            case .watched(let geofence, let revision): watched[geofence.identity] = (geofence, revision)
            case .removed(let identity, _): watched[identity] = nil
            }
        }
    }

    @Test func aLocationIsWatchedForTravellersDevicesFromADayBeforeToADayAfter() throws {
        try PlansFixture("ada", "ben").queue.write { db in
            let source = LocationGeofences()
            let access = try PlansFixture.plan(.titled("Rome", from: "2026-05-02", to: "2026-05-03"), in: db)
            var fields = Location.Fields(name: "Forum")
            let number = try Location.create(fields, in: access, at: moment(0), in: db)
            #expect(try source.changes(in: db).isEmpty)
            fields.place = Coordinate(latitude: 41.9, longitude: 12.5)
            try Location.update(number, in: access, to: fields, from: nil, in: db)
            let id = try Location.get(number, in: db).id
            let identity = Geofence.Identity(kind: source.kind, id: id)
            var revision = try GeofenceRevision.last(in: db)
            func isRemoved() throws -> Bool {
                revision += 1
                return try source.changes(in: db) == [.removed(identity, revision: revision)]
                    && all(in: db).isEmpty
            }
            #expect(try isRemoved(), "nobody is carried")
            try db.execute(sql: "INSERT INTO carried VALUES ('van', 1)")
            var watched = Geofence(
                identity: identity, title: "Forum", center: try #require(fields.place), radius: .meters(100))
            // 30 April and 4 May end at midnight in Amsterdam.
            watched.watch = .init(since: moment(-2 * 3600), until: moment((4 * 24 - 2) * 3600), devices: ["van"])
            func isWatched(isMoved: Bool = true) throws -> Bool {
                revision += isMoved ? 1 : 0
                return try source.changes(in: db) == [.watched(watched, revision: revision)]
                    && all(in: db)[identity]?.geofence == watched && source.geofence(id, in: db) == watched
            }
            #expect(try isWatched())
            #expect(try source.changes(in: db).isEmpty)
            fields.name = "The forum"
            watched.title = "The forum"
            try Location.update(number, in: access, to: fields, from: nil, in: db)
            #expect(try isWatched(isMoved: false))
            fields.radius = .meters(200)
            watched.radius = .meters(200)
            try Location.update(number, in: access, to: fields, from: nil, in: db)
            #expect(try isWatched())
            try Plan.update(access, to: .titled("Rome"), from: nil, at: moment(0), in: db)
            watched.watch = .init(since: .earliest, until: .latest, devices: ["van"])
            #expect(try isWatched())
            // A device whose passenger does not travel in the plan changes nothing.
            try db.execute(sql: "INSERT INTO carried VALUES ('bike', 2)")
            #expect(try source.changes(in: db).isEmpty)
            _ = try PlansFixture.join(2, access, in: db)
            watched.watch?.devices = ["bike", "van"]
            #expect(try isWatched())
            try db.execute(sql: "INSERT INTO carried VALUES ('van', 2)")
            #expect(try isWatched(isMoved: false))
            try db.execute(sql: "UPDATE plan_member SET travels = 0 WHERE person = 2")
            watched.watch?.devices = ["van"]
            #expect(try isWatched())
            try db.execute(sql: "DELETE FROM carried WHERE person = 1")
            #expect(try isRemoved())
            try db.execute(sql: "INSERT INTO carried VALUES ('van', 1)")
            #expect(try isWatched())
            try db.execute(sql: "DELETE FROM plan_member WHERE person = 2")
            _ = try source.changes(in: db)
            try db.execute(sql: "DELETE FROM person WHERE number = 1")
            #expect(try isRemoved(), "the plan goes with its owner")
        }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func theReportedChangesEqualTheWatchedGeofences(_ seed: UInt64) throws {
        try PlansFixture("ada", "ben", "cleo", "dan", "eve").queue.write { db in
            var random = SeededGenerator(seed: seed)
            var watched: Watched = [:]
            var most = 0
            func any(_ table: String) throws -> Int64? {
                try Int64.fetchAll(db, sql: "SELECT number FROM \(table)").randomElement(using: &random)
            }
            for _ in 0..<250 {
                let person = try any("person") ?? 1
                let device = ["van", "bike", "boat"].randomElement(using: &random).known
                switch Int.random(in: 0...10, using: &random) {
                case 0:
                    let day = Int.random(in: 1...5, using: &random)
                    let isDated = Bool.random(using: &random)
                    _ = try PlansFixture.plan(
                        .titled("Plan", from: isDated ? "2026-05-0\(day)" : nil, to: isDated ? "2026-05-09" : nil),
                        by: person, in: db)
                case 1, 2, 3:
                    guard let plan = try any("plan") else { continue }
                    var fields = Location.Fields(name: "Place")
                    fields.place = Coordinate(latitude: .random(in: 0...1, using: &random), longitude: 5)
                    if Int.random(in: 0...3, using: &random) == 0 { fields.place = nil }
                    let row = try Plan.get(plan, in: db)
                    let access = try PlanAccess.plan(row.id, for: row.owner, in: db)
                    _ = try Location.create(fields, in: access, at: moment(0), in: db)
                case 4: try db.execute(sql: "INSERT OR IGNORE INTO carried VALUES (?, ?)", arguments: [device, person])
                case 5:
                    try db.execute(
                        sql: "DELETE FROM carried WHERE device = ? AND person = ?", arguments: [device, person])
                case 6:
                    guard let plan = try any("plan") else { continue }
                    try db.execute(
                        sql: """
                            INSERT INTO plan_member (plan, person, state, edits, travels, time)
                            VALUES (?, ?, ?, 0, ?, 0)
                            ON CONFLICT DO UPDATE SET state = excluded.state, travels = excluded.travels
                            WHERE person <> (SELECT owner FROM plan WHERE number = plan)
                            """,
                        arguments: [
                            plan, person,
                            ["asked", "member", "left"].randomElement(using: &random).known,
                            Bool.random(using: &random),
                        ])
                case 7:
                    try db.execute(
                        sql: "UPDATE plan SET start_time = start_time - 1000 WHERE number = ?",
                        arguments: [try any("plan")])
                case 8:
                    try db.execute(
                        sql: "UPDATE location SET radius_m = radius_m + 1, name = name || 'x' WHERE number = ?",
                        arguments: [try any("location")])
                case 9:
                    let table = ["location", "location", "plan"].randomElement(using: &random).known
                    try db.execute(sql: "DELETE FROM \(table) WHERE number = ?", arguments: [try any(table)])
                default:
                    guard Int.random(in: 0...9, using: &random) == 0 else { continue }
                    try db.execute(sql: "DELETE FROM person WHERE number = ?", arguments: [person])
                    try PlansFixture.add("new-\(person)-\(UInt32.random(in: 0...UInt32.max, using: &random))", in: db)
                }
                apply(try LocationGeofences().changes(in: db), to: &watched)
                let expected = try all(in: db)
                most = max(most, expected.count)
                #expect(watched.mapValues(\.geofence) == expected.mapValues(\.geofence))
                #expect(watched.mapValues(\.revision) == expected.mapValues(\.revision))
            }
            #expect(most > 5)
        }
    }
}
