import FeatureSupport
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Daemon
@testable import Sights
@testable import Store

/// The tallies that rankings read, compared with a recount of all reviews and visits.
@Suite struct SightTallyTests {
    private let store: DatabaseQueue

    private static let sights: Int64 = 12
    private static let people: Int64 = 9

    /// Migrates an older store with many reviews and visits.
    init() throws {
        let schema = StoreSchema(adding: FeatureList.standard.migrations)
        store = try DatabaseQueue()
        let before = try #require(schema.migrations.last { $0.place < SightTally.migration.place })
        try schema.migrator.migrate(store, upTo: before.name)
        try store.write { db in
            var random = SeededGenerator(seed: 20_261_122)
            for number in 1...Self.people {
                try db.execute(
                    sql: """
                        INSERT INTO person (number, id, first_name, last_name, email, joined, proven)
                        VALUES (?1, 'p' || ?1, 'A', 'B', 'p' || ?1 || '@example.org', 0, 0)
                        """, arguments: [number])
            }
            for number in 1...Self.sights {
                try Self.addSight(number, to: db)
                try db.execute(sql: "INSERT INTO subject (id) VALUES ('plan/' || ?)", arguments: [number])
            }
            for device in 1...3 {
                try db.execute(sql: "INSERT INTO device (name) VALUES (?)", arguments: ["d\(device)"])
            }
            for _ in 0..<150 { try Self.changeAnything(in: db, using: &random) }
        }
        try schema.migrator.migrate(store, upTo: SightTally.migration.name)
    }

    private static func addSight(_ number: Int64, to db: Database) throws {
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO sight (number, id, title, lat_e7, lon_e7, radius_m, revision)
                VALUES (?1, 's' || ?1, 'S', 0, 0, 100, 1)
                """, arguments: [number])
        try db.execute(sql: "INSERT OR IGNORE INTO subject (id) VALUES ('sight/s' || ?)", arguments: [number])
    }

    /// Makes a random change, mostly a review or a visit, at times around midnight and in years outside four digits.
    private static func changeAnything(in db: Database, using random: inout SeededGenerator) throws {
        let edges: [Int64] = [
            1_767_225_600_000, 1_769_904_000_000, 1_735_689_600_000, -1, 0, -62_135_596_800_000, -62_167_219_200_000,
            253_402_300_800_000, -80_000_000_000_000, 1_777_629_600_000,
        ]
        let time = (edges.randomElement(using: &random) ?? 0) + Int64.random(in: -2...2, using: &random)
        let sight = Int64.random(in: 1...sights, using: &random)
        let person = Int64.random(in: 1...people, using: &random)
        let subjects = try Int64.fetchAll(db, sql: "SELECT number FROM subject ORDER BY number")
        let subject = try #require(subjects.randomElement(using: &random))
        let stars = Int.random(in: 1...5, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case ..<45:
            try db.execute(
                sql: """
                    INSERT INTO review (subject, author, rating, time) VALUES (?, ?, ?, ?)
                    ON CONFLICT (subject, author) DO UPDATE SET rating = excluded.rating, time = excluded.time
                    """, arguments: [subject, person, stars, time])
        case ..<80:
            try db.execute(
                sql: """
                    INSERT OR IGNORE INTO sight_visit (sight, entered, device, is_open)
                    SELECT number, ?, ?, 0 FROM sight WHERE number = ?
                    """,
                arguments: [time, 1 + stars % 3, sight])
        case ..<86:
            try db.execute(
                sql: "UPDATE review SET hidden = 1 - hidden WHERE author = ? AND rating = ?",
                arguments: [person, stars])
        case ..<90:
            try db.execute(sql: "DELETE FROM review WHERE author = ? AND rating = ?", arguments: [person, stars])
        case ..<93: try db.execute(sql: "DELETE FROM sight_visit WHERE sight = ? AND device = 1", arguments: [sight])
        case ..<95:
            try db.execute(
                sql: "UPDATE OR IGNORE sight_visit SET entered = entered + 3000000000 WHERE sight = ?",
                arguments: [sight])
        case ..<96: try db.execute(sql: "DELETE FROM subject WHERE id = 'sight/s' || ?", arguments: [sight])
        case ..<98:
            // Removes the sight and its subject in either order, as SightStore does.
            let parts = ["DELETE FROM sight WHERE id = 's' || ?", "DELETE FROM subject WHERE id = 'sight/s' || ?"]
            for sql in parts.shuffled(using: &random) { try db.execute(sql: sql, arguments: [sight]) }
        default: try addSight(sight, to: db)
        }
        // Only existing sights are subjects of reviews.
        try db.execute(
            sql: "INSERT OR IGNORE INTO subject (id) SELECT 'sight/' || id FROM sight WHERE number = ?",
            arguments: [sight])
    }

    /// Returns the periods of a time by Foundation's calendar, which is independent of SQLite's.
    private static func periods(_ milliseconds: Int64) throws -> [Int64] {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        guard (-62_135_596_800_000..<253_402_300_800_000).contains(milliseconds) else { return [0] }
        // Foundation's calendar is Julian before 1582; the Gregorian one repeats after 400 years.
        let cycles: Int64 = milliseconds < 0 ? 5 : 0
        let seconds = (Double(milliseconds + cycles * 12_622_780_800_000) / 1000).rounded(.down)
        let parts = calendar.dateComponents([.year, .month], from: Date(timeIntervalSince1970: seconds))
        let (year, month) = (try #require(parts.year), try #require(parts.month))
        let period = (Int64(year) - cycles * 400) * 100
        return [0, period, period + Int64(month)]
    }

    /// Returns each tally as `sight period ratings stars visits`, counted from all rows.
    private static func counted(in db: Database) throws -> Set<String> {
        var tallies: [[Int64]: [Int64]] = [:]
        func add(_ sight: Int64, _ time: Int64, _ parts: [Int64]) throws {
            for period in try periods(time) {
                tallies[[sight, period]] = zip(tallies[[sight, period]] ?? [0, 0, 0], parts).map { $0 + $1 }
            }
        }
        let reviews = try Row.fetchAll(
            db,
            sql: """
                SELECT sight.number, time, rating FROM sight JOIN subject ON subject.id = 'sight/' || sight.id
                    JOIN review ON review.subject = subject.number WHERE hidden = 0
                """)
        for row in reviews { try add(row["number"], row["time"], [1, row["rating"], 0]) }
        for row in try Row.fetchAll(db, sql: "SELECT sight, entered FROM sight_visit") {
            try add(row["sight"], row["entered"], [0, 0, 1])
        }
        return Set(tallies.map { ($0.key + $0.value).map(String.init).joined(separator: " ") })
    }

    private static func rows(_ sql: String, in db: Database) throws -> [String] {
        try Row.fetchAll(db, sql: sql).map { row in
            row.databaseValues.map(\.description).joined(separator: " ")
        }.sorted()
    }

    private func check(_ step: Int) throws {
        try store.read { (db: Database) throws in
            let (counted, kept) = (try Self.counted(in: db), try Self.rows("SELECT * FROM sight_tally", in: db))
            #expect(Set(kept) == counted && kept.count == counted.count, "step \(step)")
            let rated = "SELECT period, ratings, stars, count(*) FROM sight_tally WHERE ratings > 0 GROUP BY 1, 2, 3"
            #expect(try Self.rows("SELECT * FROM sight_rated", in: db) == Self.rows(rated, in: db), "step \(step)")
            let visited = "SELECT period, visits, count(*) FROM sight_tally WHERE visits > 0 GROUP BY 1, 2"
            #expect(try Self.rows("SELECT * FROM sight_visited", in: db) == Self.rows(visited, in: db), "step \(step)")
        }
    }

    @Test func migrationTalliesAnOlderStore() throws {
        try check(0)
        #expect(try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sight_tally") ?? 0 } > 50)
    }

    @Test(.slow) func talliesEqualARecountAfterRandomChanges() throws {
        var random = SeededGenerator(seed: 4)
        for step in 1...600 {
            try store.write { try Self.changeAnything(in: $0, using: &random) }
            if step % 5 == 0 { try check(step) }
        }
    }
}
