import GRDB

/// Says in words for people what SQLite finds in a damaged store.
enum DamageWords {
    /// The words for the tables that people know best; the others have their own names.
    private static let words = [
        "trace": "points of trips", "trace_gap": "gaps of trips", "trip": "trips", "stop": "stops",
        "event": "the event log", "device": "devices", "sight": "sights", "sight_text_data": "the search for sights",
        "photo": "photos", "person": "people", "notification": "notifications", "plan": "plans", "vote": "votes",
        "post": "posts", "review": "reviews",
    ]

    /// Returns the damage as clauses: how many pages of which data.
    ///
    /// - Parameter lines: What `PRAGMA quick_check` or `integrity_check` has found.
    static func words(for lines: [String], in db: Database) -> [String] {
        let lines = lines.flatMap { $0.split(separator: "\n") }.map(String.init)
        var pages: Set<Int64> = []
        var others = 0
        for line in lines
        where !line.hasPrefix("***") && !line.hasSuffix("is never used") && !line.hasSuffix("never used") {
            if let page = line.firstMatch(of: /[Pp]age (\d{1,10})/).flatMap({ Int64($0.1) }) {
                pages.insert(page)
            } else {
                others += 1
            }
        }
        let places = places(of: pages, in: db)
        let left = pages.count - places.reduce(0) { $0 + $1.pages }
        let total = left + others
        let words = places.map { "\(count($0.pages, "page")) of \(Self.words[$0.table] ?? "the table \($0.table)")" }
        return words
            + (total > 0 || words.isEmpty ? ["\(count(max(total, 1), words.isEmpty ? "place" : "other place"))"] : [])
    }

    /// Returns how many of the pages belong to which table, if SQLite can tell (sqlite.org/dbstat.html).
    private static func places(of pages: Set<Int64>, in db: Database) -> [(table: String, pages: Int)] {
        guard !pages.isEmpty else { return [] }
        let numbers = pages.sorted().map(String.init).joined(separator: ", ")
        let rows = try? Row.fetchAll(
            db,
            sql: """
                SELECT coalesce((SELECT tbl_name FROM sqlite_schema WHERE name = dbstat.name), dbstat.name), count(*)
                FROM dbstat WHERE pageno IN (\(numbers)) GROUP BY 1 ORDER BY 2 DESC, 1
                """)
        return rows?.map { (table: $0[0], pages: $0[1]) } ?? []
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
