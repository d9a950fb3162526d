package import GRDB
import RPC
package import Service
package import Store
package import Time

/// The visits of devices to sights, derived from the event log.
///
/// All functions run in the caller's transaction.
///
/// A visit is kept when the log drops the events that it was derived from. It is deleted together with its sight.
package enum Visits {
    static let migration = StoreMigration(
        at: 20, name: "companion.visits.1",
        sql: """
            -- From when to when a device was at a sight, in milliseconds since 1970. It goes on while is_open; where it
            -- does not and "left" is NULL, nobody has seen it leave, as when the sight was moved meanwhile.
            CREATE TABLE sight_visit (
                sight INTEGER NOT NULL REFERENCES sight (number) ON DELETE CASCADE,
                entered INTEGER NOT NULL,
                device INTEGER NOT NULL REFERENCES device (number),
                "left" INTEGER,
                is_open INTEGER NOT NULL DEFAULT 1 CHECK (is_open IN (0, 1)),
                PRIMARY KEY (sight, entered, device),
                CHECK ("left" >= entered),
                CHECK (NOT (is_open AND "left" IS NOT NULL))
            ) STRICT, WITHOUT ROWID;
            CREATE UNIQUE INDEX sight_visit_open ON sight_visit (sight, device) WHERE is_open = 1;
            CREATE INDEX sight_visit_by_time ON sight_visit (entered, sight);
            -- Another place is another visit.
            CREATE TRIGGER sight_visit_moved AFTER UPDATE OF lat_e7, lon_e7 ON sight
            WHEN (OLD.lat_e7, OLD.lon_e7) IS NOT (NEW.lat_e7, NEW.lon_e7) BEGIN
                UPDATE sight_visit SET is_open = 0 WHERE sight = NEW.number AND is_open = 1;
            END;
            """)

    /// A view for other programs, beside those of the store.
    static let viewMigration = StoreMigration(
        at: 46, name: "places.views.1",
        sql: """
            CREATE VIEW visits AS
            SELECT
                sight.id AS sight,
                sight.title AS title,
                device.name AS device,
                strftime('%Y-%m-%dT%H:%M:%fZ', entered / 1000.0, 'unixepoch') AS entered,
                strftime('%Y-%m-%dT%H:%M:%fZ', "left" / 1000.0, 'unixepoch') AS "left",
                ("left" - entered) / 1000.0 AS seconds
            FROM sight_visit
            JOIN sight ON sight.number = sight_visit.sight
            JOIN device ON device.number = sight_visit.device;
            """)

    package struct Visit: Hashable, Sendable {
        /// The device's name.
        package var device: String
        /// The time at which the device came within the sight's radius.
        package var entered: Timestamp
        /// The time at which the device left; `nil` if it is still there, or if no exit was recorded.
        package var left: Timestamp?
        /// The id of the trip on which the device came; `nil` if it came on none.
        ///
        /// It is looked up in the trips as they are now.
        package var trip: String?
    }

    /// Records that a device entered a sight.
    ///
    /// Recording the same entry again has no effect.
    ///
    /// - Parameter isInitial: Whether the device's state was unknown before this event, such as after a change of the
    ///   radius. If so and a visit is open, the event belongs to that visit.
    package static func enter(
        _ sight: String, _ device: String, at time: Timestamp, isInitial: Bool, in db: Database
    ) throws {
        guard let place = try place(sight, device, in: db) else { return }
        let open = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT entered FROM sight_visit WHERE sight = ? AND device = ? AND is_open = 1"),
            arguments: [place.sight, place.device])
        if let open, isInitial, open <= time.milliseconds { return }
        let isKnown = try Bool.fetchOne(
            db.cachedStatement(
                sql: "SELECT EXISTS (SELECT 1 FROM sight_visit WHERE sight = ? AND entered = ? AND device = ?)"),
            arguments: [place.sight, time.milliseconds, place.device])
        if isKnown == true { return }
        if open != nil {
            try db.cachedStatement(
                sql: "UPDATE sight_visit SET is_open = 0 WHERE sight = ? AND device = ? AND is_open = 1"
            )
            .execute(arguments: [place.sight, place.device])
        }
        try db.cachedStatement(sql: "INSERT INTO sight_visit (sight, entered, device) VALUES (?, ?, ?)")
            .execute(arguments: [place.sight, time.milliseconds, place.device])
    }

    /// Records that a device left a sight, which ends the open visit.
    package static func exit(_ sight: String, _ device: String, at time: Timestamp, in db: Database) throws {
        guard let place = try place(sight, device, in: db) else { return }
        try db.cachedStatement(
            sql: """
                UPDATE sight_visit SET "left" = :time, is_open = 0
                WHERE sight = :sight AND device = :device AND is_open = 1 AND entered <= :time
                """
        ).execute(arguments: ["time": time.milliseconds, "sight": place.sight, "device": place.device])
    }

    /// Returns the row numbers of a sight and a device; `nil` if either of them no longer exists.
    private static func place(
        _ sight: String, _ device: String, in db: Database
    ) throws -> (sight: Int64, device: Int64)? {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT sight.number AS sight, device.number AS device FROM sight, device
                    WHERE sight.id = ? AND device.name = ?
                    """),
            arguments: [sight, device])
        return row.map { ($0["sight"], $0["device"]) }
    }

    /// Calls `body` with each visit of a sight and its page key, newest first, until `body` returns false.
    ///
    /// - Complexity: O(*k* log *n*) for *k* visits.
    package static func forEach(
        ofSight id: String, among scope: TravelScope? = nil, after key: PageKey?, limit: Int, in db: Database,
        _ body: (Visit, PageKey) throws -> Bool
    ) throws {
        let statement = try db.cachedStatement(
            sql: """
                SELECT entered, sight_visit.device AS number, device.name AS device, "left", (
                    SELECT CASE WHEN "end" IS NULL OR "end" >= entered THEN trip.id END FROM trip
                    WHERE trip.device = sight_visit.device AND hidden = 0 AND start <= entered
                    ORDER BY start DESC, "end" IS NULL DESC, "end" DESC LIMIT 1) AS trip
                FROM sight_visit JOIN device ON device.number = sight_visit.device
                WHERE sight = (SELECT number FROM sight WHERE sight.id = :id)
                    \(key == nil ? "" : "AND (entered, sight_visit.device) < (:rank, :number)")
                    \(scope == nil ? "" : "AND \(TravelScope.condition(at: "sight_visit.entered"))")
                ORDER BY entered DESC, sight_visit.device DESC LIMIT :limit
                """)
        var arguments: StatementArguments = ["id": id, "limit": StoreDamage.widened(limit)]
        if let key { arguments += ["rank": key.rank, "number": key.number] }
        if let scope { arguments += StatementArguments(scope.arguments) }
        let rows = try NamedRow.soundRows(statement, arguments: arguments)
        while let row = try rows.next() {
            let visit = Visit(
                device: row["device"], entered: Timestamp(milliseconds: row["entered"]),
                left: (row["left"] as Int64?).map(Timestamp.init), trip: row["trip"])
            guard try body(visit, PageKey(rank: row["entered"], number: row["number"])) else { break }
        }
    }

    /// Calls `body` with the numbers of the sight and the device, and the beginning, of each visit that began in a
    /// period, latest first.
    ///
    /// - Parameters:
    ///   - begin: The earliest beginning, included.
    ///   - end: The latest beginning, excluded.
    /// - Complexity: O(*k*) for *k* visits, which an index holds in this order.
    package static func forEach(
        from begin: Timestamp, until end: Timestamp, in db: Database,
        _ body: (_ sight: Int64, _ device: Int64, _ entered: Timestamp) throws -> Void
    ) throws {
        let visits = try DirectStatement(
            "SELECT entered, device, sight FROM sight_visit WHERE entered >= ? AND entered < ? ORDER BY entered DESC",
            isList: true, in: db)
        try visits.bind(begin.milliseconds, at: 1)
        try visits.bind(end.milliseconds, at: 2)
        while try visits.step() {
            guard let entered = visits.integer(0), let device = visits.integer(1), let sight = visits.integer(2) else {
                continue
            }
            try body(sight, device, Timestamp(milliseconds: entered))
        }
    }

    /// A visit, with the sight that it is of.
    package struct OfSight: Sendable {
        /// The id of the sight.
        package var sight: String
        /// The title of the sight.
        package var title: String
        package var visit: Visit
    }

    /// Returns the visits that began in a period, earliest first.
    ///
    /// - Parameters:
    ///   - begin: The earliest beginning, included.
    ///   - end: The latest beginning, excluded.
    ///   - scope: The only devices, and the only trips, of which visits are returned; `nil` for all.
    package static func list(
        from begin: Timestamp, until end: Timestamp, among scope: TravelScope? = nil, limit: Int, in db: Database
    ) throws -> [OfSight] {
        var arguments: StatementArguments = [
            "begin": begin.milliseconds, "end": end.milliseconds, "limit": StoreDamage.widened(limit),
        ]
        if let scope { arguments += StatementArguments(scope.arguments) }
        return try NamedRow.soundList(
            db.cachedStatement(
                sql: """
                    SELECT sight.id AS sight, sight.title AS title, device.name AS device, entered, "left"
                    FROM sight_visit JOIN sight ON sight.number = sight_visit.sight
                        JOIN device ON device.number = sight_visit.device
                    WHERE entered >= :begin AND entered < :end
                        \(scope == nil ? "" : "AND \(TravelScope.condition(at: "sight_visit.entered"))")
                    ORDER BY entered, sight.number, device.number LIMIT :limit
                    """), arguments: arguments
        ) { row in
            OfSight(
                sight: row["sight"], title: row["title"],
                visit: Visit(
                    device: row["device"], entered: Timestamp(milliseconds: row["entered"]),
                    left: (row["left"] as Int64?).map(Timestamp.init)))
        }
    }

    /// Returns the number of all visits of a sight.
    ///
    /// - Parameter scope: The only devices, and the only trips, of which visits count; `nil` for all.
    /// - Complexity: One lookup by key, however many visits there are; O(*n*) for *n* visits if there is a scope.
    package static func count(ofSight id: String, among scope: TravelScope? = nil, in db: Database) throws -> Int {
        if let scope {
            let statement = try db.cachedStatement(
                sql: """
                    SELECT count(*) FROM sight_visit JOIN device ON device.number = sight_visit.device
                    WHERE sight_visit.sight = (SELECT sight.number FROM sight WHERE sight.id = :id)
                        AND \(TravelScope.condition(at: "sight_visit.entered"))
                    """)
            return try Int.fetchOne(statement, arguments: ["id": id] + StatementArguments(scope.arguments)) ?? 0
        }
        let statement = try db.cachedStatement(
            sql: """
                SELECT visits FROM sight_tally
                WHERE sight = (SELECT number FROM sight WHERE id = ?) AND period = \(SightTally.allOfTime)
                """)
        return try Int.fetchOne(statement, arguments: [id]) ?? 0
    }
}
