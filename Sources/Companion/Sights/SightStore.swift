import Foundation
import GRDB
import Geodesy
package import RPC
import Service
public import Store
public import Tracking

/// The table of sights, with its queries and changes.
public enum SightStore {
    static let migration = StoreMigration(at: 10, name: "companion.sights.1", sql: schema)

    /// The migration that adds the owner of a sight.
    ///
    /// It needs the table of people.
    static let ownerMigration = StoreMigration(
        at: 12, name: "companion.sights.2",
        sql: """
            -- Who added it; NULL where it came otherwise, or they are gone. And when, in milliseconds since 1970.
            ALTER TABLE sight ADD COLUMN owner INTEGER REFERENCES person (number) ON DELETE SET NULL;
            ALTER TABLE sight ADD COLUMN added INTEGER;
            CREATE INDEX sight_by_owner ON sight (owner) WHERE owner IS NOT NULL;
            """)

    /// The migration that replaces ids that are no valid ``Identifier``, from before there was one.
    ///
    /// Nobody could type such an id from what they saw.
    static let identifierMigration = StoreMigration(at: 23, name: "companion.sights.4") { db in
        // The ids are read as bytes because GRDB ends a text at U+0000.
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

    /// Changes the id of a sight, and that of everything people have said about it.
    ///
    /// For devices it becomes a new sight.
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

    /// The migration that adds the shapes of sights that are not circles.
    static let shapeMigration = StoreMigration(
        at: 54, name: "companion.sights.6",
        sql: """
            -- What the sight is: NULL for a circle, else polygon or corridor; and its geometry as well-known text, longitude
            -- first. radius_m is half the width of a corridor. For a polygon it is that of a circle around the place that
            -- holds it.
            ALTER TABLE sight ADD COLUMN form TEXT CHECK (form IN ('polygon', 'corridor'));
            ALTER TABLE sight ADD COLUMN shape TEXT CHECK ((shape IS NULL) = (form IS NULL));
            """)

    /// The migration that adds the rules of sights.
    static let ruleMigration = StoreMigration(
        at: 55, name: "companion.sights.7",
        sql: """
            -- The speed in metres a second above which a device inside is reported; the only devices that the sight is
            -- watched for, as a JSON array of names; the hours of the week at which it is, and their time zone; whether
            -- leaving it is an alarm. NULL is no limit, all devices, always, no alarm.
            ALTER TABLE sight ADD COLUMN speed_limit REAL CHECK (speed_limit > 0);
            ALTER TABLE sight ADD COLUMN devices TEXT;
            ALTER TABLE sight ADD COLUMN active TEXT;
            ALTER TABLE sight ADD COLUMN zone TEXT;
            ALTER TABLE sight ADD COLUMN alarm INTEGER CHECK (alarm = 1);
            """)

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
        \(GeofenceRevision.schema)
        """

    /// The numbers of sights that an import added and updated.
    public struct Import: Hashable, Sendable {
        /// The number of sights that did not exist before.
        public var added: Int
        /// The number of sights that existed and were replaced.
        public var updated: Int
    }

    /// The position of a sight in a list.
    ///
    /// The next page continues behind it.
    public struct Mark: Hashable, Sendable {
        /// How well the sight matches the searched text, where a lower value is better; `nil` without a text.
        package var rank: Double?
        /// The sight's row number, which follows the order in which sights were added.
        package var number: Int64

        package init(rank: Double? = nil, number: Int64) {
            self.rank = rank
            self.number = number
        }
    }

    /// A query for sights.
    ///
    /// Its conditions are combined.
    public struct Query: Sendable {
        /// Words that the title, category or description contain.
        ///
        /// The last one may be cut short. With `nil`, all sights match.
        public var text: String?
        /// The category; `nil` for all.
        public var category: String?
        /// The area; `nil` for everywhere.
        public var window: MapWindow?
        /// The mark behind which the list continues; `nil` from the beginning.
        public var after: Mark?
        /// The maximum number of sights.
        public var limit: Int
        /// The numbers of sights that are left out.
        package var hidden: Set<Int64> = []

        /// Creates a query.
        ///
        /// The defaults match all sights.
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

        /// Whether the query has words to search for, so that the best match comes first.
        package var isSearch: Bool { text.flatMap(SightSearch.query) != nil }
    }
}

extension SightStore.Mark: CursorKey {
    // The rank keeps all its digits, so that the next page continues behind exactly this sight.
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
    /// Adds sights, and replaces those with the same id.
    ///
    /// Either all are written or none.
    ///
    /// - Complexity: O(*n* log *m*) for *n* sights among *m*.
    public func importSights(_ sights: [Sight]) throws -> SightStore.Import {
        try write { try SightStore.put(sights, in: $0).result }
    }

    /// Returns the sights of a query: the best matches of a text first, otherwise in the order in which they were
    /// added.
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

    /// Returns an index of the geofences of all sights.
    public func sightGeofences() throws -> GeofenceIndex { try geofences(of: [SightGeofences()]) }
}
