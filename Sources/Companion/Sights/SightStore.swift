import GRDB
import Geodesy
public import Store
public import Tracking

/// The sights in the store.
public enum SightStore {
    static let migration = StoreMigration(name: "companion.sights.1", sql: schema)

    /// Who added a sight; needs the people.
    static let ownerMigration = StoreMigration(
        name: "companion.sights.2",
        sql: """
            -- Who added it; NULL where it came otherwise, or they are gone. And when, in milliseconds since 1970.
            ALTER TABLE sight ADD COLUMN owner INTEGER REFERENCES person (number) ON DELETE SET NULL;
            ALTER TABLE sight ADD COLUMN added INTEGER;
            CREATE INDEX sight_by_owner ON sight (owner) WHERE owner IS NOT NULL;
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

    /// Which sights are asked for.
    public struct Query: Sendable {
        /// Part of the title, in any case (ASCII); all where nil.
        public var text: String?
        /// The category; all where nil.
        public var category: String?
        /// Where; everywhere where nil.
        public var window: MapWindow?
        /// Those added after the sight of this number.
        public var after: Int64?
        /// How many at most.
        public var limit: Int

        /// All sights.
        public init(
            text: String? = nil, category: String? = nil, window: MapWindow? = nil, after: Int64? = nil,
            limit: Int = .max
        ) {
            self.text = text
            self.category = category
            self.window = window
            self.after = after
            self.limit = limit
        }
    }
}

extension LocationDatabase {
    /// Adds sights, each in place of the one of its id; all or none.
    ///
    /// - Complexity: O(*n* log *m*) for *n* among *m*.
    public func importSights(_ sights: [Sight]) throws -> SightStore.Import {
        try write { try SightStore.put(sights, in: $0).result }
    }

    /// The sights asked for, in the order in which they were added.
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
    public func sightGeofences() throws -> GeofenceIndex {
        try read { db in
            let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM sight") ?? 0
            return try GeofenceIndex(capacity: count) { add in
                let rows = try DirectStatement(
                    "SELECT id, title, lat_e7, lon_e7, radius_m, revision FROM sight ORDER BY number", in: db)
                while try rows.step() {
                    guard
                        let place = Coordinate(
                            latitudeE7: Int32(clamping: rows.integer(2) ?? .max),
                            longitudeE7: Int32(clamping: rows.integer(3) ?? .max))
                    else {
                        continue
                    }
                    add(
                        Geofence(
                            identity: .init(kind: .sight, id: rows.text(0)), title: rows.text(1), center: place,
                            radius: .meters(rows.real(4))),
                        rows.integer(5) ?? 0)
                }
                return try Int64.fetchOne(db, sql: "SELECT last FROM sight_revision") ?? 0
            }
        }
    }
}
