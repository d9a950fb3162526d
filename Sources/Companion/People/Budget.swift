package import GRDB
package import RPC
package import Service
package import Store
package import Time

/// The limits on how much one person may store, which keep a single person from filling the disk.
///
/// All functions run within the caller's transaction. The administrator may store and import any amount.
package enum Budget {
    /// The maximum number of sights that one person may own, enough for a lifetime.
    static let maximumSights = 10_000
    /// The maximum size of the texts of a person's sights, reviews, suggestions and photos together, in bytes of UTF-8.
    ///
    /// 20 MB are a shelf of books.
    static let maximumBytes = 20_000_000

    package static let migration = StoreMigration(at: 26, name: "companion.budget.1", sql: table + triggers + beginning)

    private static let table = """
        -- How many sights people own, and how many bytes of text their sights, reviews, suggestions and photos have;
        -- triggers keep it. A person without a row has none.
        CREATE TABLE holding (
            person INTEGER PRIMARY KEY REFERENCES person (number) ON DELETE CASCADE,
            sights INTEGER NOT NULL,
            bytes INTEGER NOT NULL
        ) STRICT;

        """

    /// The tables that count.
    ///
    /// Each entry has the table, the column of the row's owner, the columns that hold text, and how many sights one row
    /// counts as.
    private static let held: [(table: String, owner: String, texts: [String], sights: Int)] = [
        ("sight", "owner", ["title", "category", "description"], 1), ("review", "author", ["text"], 0),
        ("suggestion", "sender", ["text"], 0), ("photo", "person", ["caption", "name"], 0),
    ]

    private static func bytes(_ texts: [String], of row: String) -> String {
        texts.map { "coalesce(length(CAST(\(row)\($0) AS BLOB)), 0)" }.joined(separator: " + ")
    }

    private static let triggers: String = held.map { one -> String in
        let (table, owner, texts, sights) = one
        let gain = """
            INSERT INTO holding VALUES (NEW.\(owner), \(sights), \(bytes(texts, of: "NEW.")))
                ON CONFLICT (person) DO UPDATE SET sights = sights + excluded.sights, bytes = bytes + excluded.bytes;
            """
        // The `holding` row of a removed person is deleted already. An UPDATE does not bring it back, where an upsert
        // would.
        let loss = """
            UPDATE holding SET sights = sights - \(sights), bytes = bytes - (\(bytes(texts, of: "OLD.")))
            WHERE person = OLD.\(owner);
            """
        let columns = (texts + [owner]).joined(separator: ", ")
        return """
            CREATE TRIGGER \(table)_held AFTER INSERT ON \(table) WHEN NEW.\(owner) IS NOT NULL BEGIN
                \(gain)
            END;
            CREATE TRIGGER \(table)_held_as_new AFTER UPDATE OF \(columns) ON \(table) WHEN NEW.\(owner) IS NOT NULL BEGIN
                \(gain)
            END;
            CREATE TRIGGER \(table)_held_as_old AFTER UPDATE OF \(columns) ON \(table) WHEN OLD.\(owner) IS NOT NULL BEGIN
                \(loss)
            END;
            CREATE TRIGGER \(table)_held_no_more AFTER DELETE ON \(table) WHEN OLD.\(owner) IS NOT NULL BEGIN
                \(loss)
            END;

            """
    }.joined()

    private static let beginning: String = """
        -- Those that were taken back; a limit of its own counts them now.
        DELETE FROM suggestion WHERE state = 'withdrawn';
        INSERT INTO holding SELECT person, sum(sights), sum(bytes) FROM (
        \(held.map { table, owner, texts, sights in
            "SELECT \(owner) AS person, \(sights) AS sights, \(bytes(texts, of: "")) AS bytes FROM \(table)"
        }.joined(separator: " UNION ALL "))
        ) WHERE person IS NOT NULL GROUP BY person;
        """

    /// Checks that the caller may store something, and counts it.
    ///
    /// - Parameters:
    ///   - limit: The limit on how often the caller may do this, or `nil` if only the size of the text counts.
    ///   - sights: The number of sights to be stored.
    ///   - texts: The texts to be stored. The text that they replace still counts at this point.
    /// - Throws: `Refusal` (`.unavailable`) if the caller would exceed what they may store, or if a rate limit is
    ///   reached; see ``RateLimits/count(_:_:by:at:now:in:)``.
    package static func spend(
        _ limit: RateLimit? = nil, sights: Int = 0, texts: [String?], by viewer: Viewer, at now: Timestamp,
        in db: Database
    ) throws {
        guard !viewer.isAdmin, let person = try People.number(of: viewer, in: db) else { return }
        let bytes = texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
        let row = try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT sights, bytes FROM holding WHERE person = ?"), arguments: [person])
        let held: (sights: Int, bytes: Int) = row.map { ($0["sights"], $0["bytes"]) } ?? (0, 0)
        guard sights == 0 || held.sights + sights <= maximumSights else {
            throw full("You have \(held.sights) sights, and the maximum is \(maximumSights)", maximumSights)
        }
        guard bytes == 0 || held.bytes + bytes <= maximumBytes else {
            throw full("Your texts have \(held.bytes) bytes, and the maximum is \(maximumBytes)", maximumBytes)
        }
        if let limit { try count(limit, by: viewer, at: now, in: db) }
        try RateLimits.count(.text, bytes, by: person, now: now, in: db)
    }

    /// Counts an action of the caller twice: for the caller, and for everybody at the caller's origin together.
    ///
    /// Actions of the administrator do not count.
    ///
    /// - Throws: `Refusal` (`.unavailable`) if a limit is reached; see ``RateLimits/count(_:_:by:at:now:in:)``.
    package static func count(_ limit: RateLimit, by viewer: Viewer, at now: Timestamp, in db: Database) throws {
        guard !viewer.isAdmin, let person = try People.number(of: viewer, in: db) else { return }
        try RateLimits.count(limit, by: person, now: now, in: db)
        if let origin = viewer.origin { try RateLimits.count(limit.ofOrigin, by: origin, now: now, in: db) }
    }

    /// Returns the refusal for a person who may store no more.
    ///
    /// - Parameters:
    ///   - message: A sentence without its full stop.
    ///   - limit: The limit that is reached, for the refusal's `data`.
    package static func full(_ message: String, _ limit: Int) -> Refusal {
        .full("\(message). Remove some first.", limit: limit)
    }
}
