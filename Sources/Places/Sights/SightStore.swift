import Foundation
import GRDB
import Geodesy
package import RPC
import Service
public import Store
public import Tracking

/// The sights in the store.
public enum SightStore {
    static let migration = StoreMigration(at: 10, name: "companion.sights.1", sql: schema)

    /// Who added a sight; needs the people.
    static let ownerMigration = StoreMigration(
        at: 12, name: "companion.sights.2",
        sql: """
            -- Who added it; NULL where it came otherwise, or they are gone. And when, in milliseconds since 1970.
            ALTER TABLE sight ADD COLUMN owner INTEGER REFERENCES person (number) ON DELETE SET NULL;
            ALTER TABLE sight ADD COLUMN added INTEGER;
            CREATE INDEX sight_by_owner ON sight (owner) WHERE owner IS NOT NULL;
            """)

    /// Ids of before there was an ``Identifier``, which nobody could name by what they saw.
    static let identifierMigration = StoreMigration(at: 23, name: "companion.sights.4") { db in
        // As bytes, for as a text GRDB reads what stands before U+0000.
        let rows = try NamedRow.fetchCursor(
            db.cachedStatement(sql: "SELECT number, CAST(id AS BLOB) AS id FROM sight ORDER BY number"))
        var wrong: [(number: Int64, id: String)] = []
        while let row = try rows.next() {
            let bytes: Data = row["id"]
            let id = String(decoding: bytes, as: UTF8.self)
            if (try? Identifier(id).text.utf8.elementsEqual(bytes)) != true { wrong.append((row["number"], id)) }
        }
        for (number, id) in wrong {
            let near = Identifier(repairing: id)?.text ?? "sight"
            try rename(number, to: Slug.free(near) { try !contains($0, in: db) }, in: db)
        }
    }

    /// Gives a sight another id, with all that was said of it; for devices it is a new sight.
    private static func rename(_ number: Int64, to id: String, in db: Database) throws {
        let arguments: StatementArguments = ["number": number, "id": id]
        let old = "(SELECT '\(SightSubject.kind)/' || id FROM sight WHERE number = :number)"
        for table in ["subject SET id", "visit SET subject"] {
            let column = table.split(separator: " ").last ?? ""
            try db.execute(
                sql: "UPDATE OR REPLACE \(table) = '\(SightSubject.kind)/' || :id WHERE \(column) = \(old)",
                arguments: arguments)
        }
        try db.execute(
            sql: """
                UPDATE notification SET destination = 'waymark://\(SightSubject.kind)/' || :id
                WHERE destination = 'waymark://' || \(old)
                """, arguments: arguments)
        try db.execute(
            sql: "UPDATE sight SET id = :id, revision = :revision WHERE number = :number",
            arguments: arguments + ["revision": try GeofenceRevision.next(in: db)])
    }

    private static let schema = """
        -- Sights. The revision is that of the last change of place or radius, by which geofences new to a device are
        -- known.
        CREATE TABLE sight (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE CHECK (id <> ''),
            title TEXT NOT NULL CHECK (title <> ''),
            lat_e7 INTEGER NOT NULL CHECK (lat_e7 BETWEEN -900000000 AND 900000000),
            lon_e7 INTEGER NOT NULL CHECK (lon_e7 BETWEEN -1800000000 AND 1800000000),
            radius_m REAL NOT NULL CHECK (radius_m > 0),
            category TEXT,
            description TEXT,
            revision INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX sight_by_latitude ON sight (lat_e7);
        CREATE TABLE sight_revision (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            last INTEGER NOT NULL
        ) STRICT;
        INSERT INTO sight_revision VALUES (1, 0);
        """

    /// What an import did.
    public struct Import: Hashable, Sendable {
        /// Sights that were not there before.
        public var added: Int
        /// Sights that were there, now as the import says.
        public var updated: Int
    }

    /// Where a sight stands in a list, which goes on behind it.
    public struct Mark: Hashable, Sendable {
        /// How well it matches the text that is asked for, less for better; nil where none is.
        package var rank: Double?
        /// Its number, in the order in which sights were added.
        package var number: Int64

        package init(rank: Double? = nil, number: Int64) {
            self.rank = rank
            self.number = number
        }
    }

    /// Which sights are asked for.
    public struct Query: Sendable {
        /// Words of the title, category or description, the last of which may be cut short; all sights where there is
        /// none.
        public var text: String?
        /// The category; all where nil.
        public var category: String?
        /// Where; everywhere where nil.
        public var window: MapWindow?
        /// Those after this one.
        public var after: Mark?
        /// How many at most.
        public var limit: Int

        /// All sights.
        public init(
            text: String? = nil, category: String? = nil, window: MapWindow? = nil, after: Mark? = nil,
            limit: Int = .max
        ) {
            self.text = text
            self.category = category
            self.window = window
            self.after = after
            self.limit = limit
        }

        /// Whether words are searched for, so that the best match comes first.
        package var isSearch: Bool { text.flatMap(SightSearch.query) != nil }
    }
}

extension SightStore.Mark: CursorKey {
    // All digits of the rank: a list goes on behind this very sight.
    package var values: [JSONValue] { (rank.map { [.number($0)] } ?? []) + [.integer(number)] }

    package init?(_ values: [JSONValue]) {
        guard (1...2).contains(values.count), let number = values.last.flatMap(Int64.init(json:)) else { return nil }
        self.init(number: number)
        guard values.count == 2 else { return }
        guard let rank = Double(json: values[0]), rank.isFinite else { return nil }
        self.rank = rank
    }
}

extension LocationDatabase {
    /// Adds sights, each in place of the one of its id; all or none.
    ///
    /// - Complexity: O(*n* log *m*) for *n* among *m*.
    public func importSights(_ sights: [Sight]) throws -> SightStore.Import {
        try write { try SightStore.put(sights, in: $0).result }
    }

    /// The sights asked for: the best matches of a text first, else in the order in which they were added.
    public func sights(_ query: SightStore.Query = SightStore.Query()) throws -> [Sight] {
        try read { db in
            var sights: [Sight] = []
            try SightStore.forEach(query, in: db) { sight, _ in
                sights.append(sight)
                return true
            }
            return sights
        }
    }

    /// What the engine is to watch of the sights.
    public func sightGeofences() throws -> GeofenceIndex { try geofences(of: [SightGeofences()]) }
}
