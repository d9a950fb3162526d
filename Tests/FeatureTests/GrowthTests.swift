import FeatureSupport
import Foundation
import GRDB
import GRDBSQLite
import Geodesy
import Positioning
import RPC
import Store
import Synchronization
import TestSupport
import Testing
import Time
import Tracking

@testable import Service

/// The cost of calls in a world and in one four times as large, counted in steps of SQLite's virtual machine.
///
/// The number of steps is the same on every machine.
@Suite(.slow) struct GrowthTests {
    private static let size = 100

    /// Whether the costs may grow as n log n, with an allowance for constant costs.
    private static func isBounded(_ few: Int, _ many: Int) -> Bool {
        // log 400 / log 100 is 1.3.
        many <= 6 * few + 2000
    }

    @Test(arguments: MethodCaseTests.all.filter { $0.outcome == .answer })
    func methodsCostAtMostNLogN(_ one: MethodCase) async throws {
        var costs: [Int] = []
        for size in [Self.size, 4 * Self.size] {
            let (core, parameters) = try await one.prepare(over: try Crowd.store(size))
            let connection = one.caller.connection
            costs.append(
                try await core.steps {
                    _ = try await core.call(one.method, parameters, from: connection)
                })
        }
        #expect(Self.isBounded(costs[0], costs[1]), "\(costs)")
    }

    @Test(
        arguments: [
            ("sights.list", ["text": "mill"]), ("sights.list", ["text": "mi", "limit": 1]),
            ("sights.list", ["limit": 1000]),
            ("sights.nearest", ["lat": 0, "lon": 0, "k": 1000]), ("people.search", ["text": "p"]),
            ("people.search", ["limit": 1000]), ("people.suggested", [:]), ("people.followers", [:]),
            ("friends.list", [:]),
            ("friends.requests", [:]), ("notifications.list", [:]), ("notifications.list", ["kind": "friend"]),
            ("reviews.list", ["subject": "sight/mill"]),
            ("reviews.list", ["subject": "sight/mill", "order": "agreed"]),
            ("suggestions.list", [:]), ("suggestions.list", ["box": "sent"]), ("sights.visits", ["id": "mill"]),
            ("sights.ranking", [:]), ("sights.ranking", ["by": "visits"]), ("sights.ranking", ["text": "mill"]),
            ("reactions.list", ["subject": "sight/mill", "kind": "heart"]), ("reactions.mine", ["kind": "save"]),
            ("devices.list", [:]),
        ] as [(String, JSONObject)])
    func longListsCostAtMostNLogN(_ method: String, _ parameters: JSONObject) async throws {
        var costs: [Int] = []
        for size in [Self.size, 4 * Self.size] {
            let core = try await MethodCase.world(over: try Crowd.store(size))
            costs.append(
                try await core.steps { _ = try await core.call(as: "ada", method, parameters) })
        }
        #expect(Self.isBounded(costs[0], costs[1]), "\(costs)")
    }

    @Test(
        arguments: [
            ("sights.list", [:]), ("sights.list", ["text": "mill"]), ("people.search", [:]),
            ("people.search", ["text": "p"]), ("people.followers", [:]), ("people.following", [:]),
            ("friends.list", [:]),
            ("friends.requests", [:]), ("notifications.list", [:]), ("notifications.list", ["kind": "friend"]),
            ("reviews.list", ["subject": "sight/mill"]),
            ("reviews.list", ["subject": "sight/mill", "order": "agreed"]),
            ("suggestions.list", [:]), ("suggestions.list", ["box": "sent"]), ("sights.visits", ["id": "mill"]),
            ("sights.ranking", [:]), ("sights.ranking", ["by": "visits"]), ("reactions.mine", ["kind": "save"]),
            ("reactions.list", ["subject": "sight/mill", "kind": "heart"]), ("photos.list", ["subject": "sight/mill"]),
            ("trips.list", [:]), ("trips.list", ["device": "gps0"]), ("devices.list", [:]),
        ] as [(String, JSONObject)])
    func theLastPageCostsAtMostThreeTimesAsMuchAsTheFirst(_ method: String, _ parameters: JSONObject) async throws {
        let core = try await MethodCase.world(over: try Crowd.store(4 * Self.size))
        var parameters = parameters
        parameters["limit"] = 10
        var costs: [Int] = []
        var isLast = false
        while !isLast {
            var next: JSONValue?
            let cost = try await core.steps { [parameters] in
                next = try await core.call(as: "ada", method, parameters)["next"]
            }
            costs.append(cost)
            isLast = next == nil
            parameters["after"] = next
        }
        // The last one may be short.
        let last = costs[max(0, costs.count - 2)]
        #expect(costs.count >= 20)
        #expect(last <= 3 * costs[0] + 500, "\(costs)")
    }

    @Test func aQuadraticCostIsDetected() async throws {
        var costs: [Int] = []
        for size in [Self.size, 4 * Self.size] {
            let core = try await MethodCase.world(over: try Crowd.store(size))
            costs.append(
                try await core.steps {
                    try await core.store.read {
                        try $0.execute(sql: "SELECT count(*) FROM sight, person WHERE lon_e7 + person.number > 0")
                    }
                })
        }
        #expect(!Self.isBounded(costs[0], costs[1]), "\(costs)")
    }

    @Test func importingManySightsOfOneTitleCostsAtMostNLogN() async throws {
        var costs: [Int] = []
        for size in [Self.size, 4 * Self.size] {
            let core = try CoreFixture()
            let row: JSONValue = ["title": "Mill", "lat": 1, "lon": 2]
            costs.append(
                try await core.steps {
                    try await core.call("sights.import", ["sights": .array(Array(repeating: row, count: size))])
                })
        }
        #expect(Self.isBounded(costs[0], costs[1]), "\(costs)")
    }

    @Test func addingASightCostsTheSameAfterManyOfItsTitle() async throws {
        var costs: [Int] = []
        for size in [Self.size, 4 * Self.size] {
            let core = try CoreFixture()
            let row: JSONValue = ["title": "Mill", "lat": 1, "lon": 2]
            try await core.call("sights.import", ["sights": .array(Array(repeating: row, count: size))])
            costs.append(
                try await core.steps {
                    try await core.call(
                        "sights.add", ["title": "Mill", "description": "One more.", "lat": 1, "lon": 2])
                })
        }
        #expect(costs[1] <= costs[0] * 3 / 2 + 500, "\(costs)")
    }

    @Test(arguments: ["trips.get", "trips.trace", "trips.export", "trips.recompute"])
    func aLongTripCostsAtMostNLogN(_ method: String) async throws {
        var costs: [Int] = []
        for size in [Self.size, 4 * Self.size] {
            let core = try CoreFixture()
            let trip = try core.record("van", at: 0, points: size)
            let parameters: JSONObject =
                switch method {
                case "trips.export": ["format": "gpx", "ids": [.string(trip.id)]]
                case "trips.recompute": ["ids": [.string(trip.id)]]
                default: ["id": .string(trip.id)]
                }
            costs.append(
                try await core.steps { [parameters] in try await core.call(method, parameters) })
        }
        #expect(Self.isBounded(costs[0], costs[1]), "\(costs)")
    }

    @Test func importingManyTripsOfADeviceCostsAtMostNLogN() async throws {
        var costs: [Int] = []
        for size in [Self.size, 4 * Self.size] {
            let core = try CoreFixture()
            let here = try #require(Coordinate(latitude: 52, longitude: 5))
            costs.append(
                try await core.steps {
                    try await core.store.write { db in
                        for number in 0..<size {
                            let start = Double(number * 3600)
                            var trip = TripSummary(device: "van", start: moment(start))
                            trip.end = moment(start + 1800)
                            var stop = StopSummary(device: "van", start: moment(start + 1800), place: here)
                            stop.end = moment(start + 3600)
                            let outcome = try Travels.add(
                                PastTrip(trip), policy: TrackingPolicy(), now: moment(0), to: db)
                            let isAdded = try Travels.add(stop, ofTrip: false, to: db)
                            #expect(outcome == .added && isAdded)
                        }
                    }
                })
        }
        #expect(Self.isBounded(costs[0], costs[1]), "\(costs)")
    }

    @Test func importingATripCostsAtMostNLogN() async throws {
        var costs: [Int] = []
        for size in [Self.size, 4 * Self.size] {
            let core = try CoreFixture()
            let points = (0..<size).map { number -> JSONValue in
                [
                    "time": .string(moment(Double(number)).description), "lat": .number(52 + Double(number) / 1e4),
                    "lon": 4,
                ]
            }
            costs.append(
                try await core.steps {
                    try await core.call("trips.import", ["device": "van", "points": .array(points), "stops": []])
                })
        }
        #expect(Self.isBounded(costs[0], costs[1]), "\(costs)")
    }
}

/// Many people and sights, with reviews, reactions, notifications and visits, all related to ada and her mill.
private enum Crowd {
    private static let stores = Mutex<[Int: LocationDatabase]>([:])

    /// Returns the store of the world of the cases with a crowd of `size`.
    static func store(_ size: Int) throws -> LocationDatabase {
        try stores.withLock { stores in
            if let store = stores[size] { return store }
            let store = try MethodCase.template.get().store.copy()
            try store.write { try fill($0, size) }
            stores[size] = store
            return store
        }
    }

    private static func fill(_ db: Database, _ size: Int) throws {
        let rows = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(size))"
        // Ada and the mill both have number 1; `MethodCase.world()` added them.
        let statements = [
            """
            INSERT INTO person (id, first_name, last_name, email, joined, proven)
            SELECT 'p' || i, 'Pat', 'Test ' || i, 'p' || i || '@example.org', 0, 0 FROM n
            """,
            "INSERT INTO follow SELECT 1, 3 + i, 0 FROM n UNION ALL SELECT 3 + i, 1, 0 FROM n",
            """
            INSERT INTO friend SELECT 1, 3 + i, 0 FROM n WHERE i % 2 = 0
            UNION ALL SELECT 3 + i, 1, 0 FROM n WHERE i % 2 = 0
            """,
            "INSERT INTO friend_request SELECT 3 + i, 1, 0 FROM n WHERE i % 2 = 1",
            """
            INSERT INTO sight (id, title, lat_e7, lon_e7, radius_m, category, description, revision, owner, added)
            SELECT 'f' || i, 'Mill', i, i, 100, 'mill', 'A mill of many', 1, 1, 0 FROM n
            """,
            "INSERT OR IGNORE INTO subject (number, id) SELECT number, 'sight/' || id FROM sight",
            """
            INSERT INTO review (subject, author, rating, text, time) SELECT 1, 3 + i, 1 + i % 5, 'Good', i FROM n
            UNION ALL SELECT 1 + i, 3 + i, 3, 'Good', i FROM n
            """,
            "INSERT INTO review_agree SELECT number, 1 FROM review",
            """
            INSERT INTO notification (person, key, kind, time, text, destination, state, silent)
            SELECT 1, 'key/' || i, CASE i % 2 WHEN 0 THEN 'sight' ELSE 'friend' END, i, 'Near', 'waymark://sight/f' || i,
                CASE i % 3 WHEN 0 THEN 'new' WHEN 1 THEN 'read' ELSE 'unread' END, 0 FROM n
            """,
            """
            INSERT INTO reaction (subject, kind, person, time) SELECT 1, 'heart', 3 + i, 0 FROM n
            UNION ALL SELECT 1 + i, 'save', 1, 0 FROM n
            """,
            """
            INSERT INTO suggestion (sender, recipient, subject, text, time)
            SELECT 3 + i, 1, 1 + i, 'Look', 0 FROM n UNION ALL SELECT 1, 3 + i, 1 + i, 'Look', 0 FROM n
            """,
            "INSERT OR IGNORE INTO device (name) VALUES ('gps0')",
            "INSERT INTO device (name) SELECT 'd' || i FROM n",
            """
            INSERT INTO trip (id, device, start, "end", algorithm, settings)
            SELECT 't' || i, (SELECT number FROM device WHERE name = 'gps0'), i * 10000, i * 10000 + 5000, 1, '{}' FROM n
            """,
            """
            INSERT INTO sight_visit SELECT 1, i * 10000, (SELECT number FROM device WHERE name = 'gps0'), i * 10000 + 9, 0
            FROM n UNION ALL SELECT 1 + i, i * 10000, (SELECT number FROM device WHERE name = 'gps0'), i * 10000 + 9, 0
            FROM n
            """,
            """
            INSERT INTO picture (sha256, size, type, width, height, taken)
            SELECT printf('%064x', i), 100, 'jpeg', 4, 3, 0 FROM n
            """,
            """
            INSERT INTO photo (subject, place, picture, person, added, caption)
            SELECT 1, i, number, 1, 0, 'A view' FROM picture JOIN n ON sha256 = printf('%064x', i)
            """,
            """
            INSERT INTO mail (recipient, name, subject, made, until, sent)
            SELECT 'p' || i || '@example.org', 'Pat', 'Code', i, i, i FROM n
            """,
        ]
        for statement in statements { try db.execute(sql: "\(rows) \(statement)") }
    }
}
