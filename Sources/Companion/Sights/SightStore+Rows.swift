import GRDB
import Geodesy
import Tracking

/// Sights within a transaction of its caller.
extension SightStore {
    private static let columns = """
        SELECT id, title, lat_e7, lon_e7, radius_m, category, description, number,
            (SELECT person.id FROM person WHERE person.number = owner)
        FROM sight
        """

    /// Calls `body` with each sight asked for and its number, in the order in which they were added, as long as it
    /// returns true.
    static func forEach(_ query: Query, in db: Database, _ body: (Sight, Int64) throws -> Bool) throws {
        var conditions: [String] = []
        var arguments = StatementArguments()
        func ask(_ condition: String, _ values: [String: any DatabaseValueConvertible]) {
            conditions.append(condition)
            arguments += StatementArguments(values)
        }
        if let text = query.text { ask("instr(lower(title), lower(:text)) > 0", ["text": text]) }
        if let category = query.category { ask("category = :category", ["category": category]) }
        if let after = query.after { ask("number > :after", ["after": after]) }
        if let window = query.window {
            let also = window.crossesAntimeridian ? "OR" : "AND"
            ask(
                """
                lat_e7 BETWEEN :south AND :north AND (
                    lon_e7 >= :west \(also) lon_e7 <= :east
                    OR abs(lon_e7) = 1800000000 AND (-lon_e7 >= :west \(also) -lon_e7 <= :east))
                """,
                ["south": window.southE7, "north": window.northE7, "west": window.westE7, "east": window.eastE7])
        }
        ask("true ORDER BY number LIMIT :limit", ["limit": query.limit])
        let rows = try Row.fetchCursor(
            db, sql: "\(columns) WHERE \(conditions.joined(separator: " AND "))", arguments: arguments)
        while let row = try rows.next() {
            guard try body(Sight(row), row[7]) else { break }
        }
    }

    /// The sight of an id; nil where there is none.
    static func sight(id: String, in db: Database) throws -> Sight? {
        let statement = try db.cachedStatement(sql: columns + " WHERE id = ?")
        return try Row.fetchOne(statement, arguments: [id]).map { try Sight($0) }
    }

    /// Whether there is a sight of an id.
    static func contains(_ id: String, in db: Database) throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM sight WHERE id = ?)")
        return try Bool.fetchOne(statement, arguments: [id]) ?? false
    }

    /// Adds sights, each in place of the one of its id.
    static func put(_ sights: [Sight], in db: Database) throws -> (result: Import, changes: [GeofenceChange]) {
        let revision = try nextRevision(in: db)
        let before = try count(in: db)
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO sight (id, title, lat_e7, lon_e7, radius_m, category, description, revision)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET
                    title = excluded.title, category = excluded.category, description = excluded.description,
                    revision = CASE
                        WHEN (lat_e7, lon_e7, radius_m) = (excluded.lat_e7, excluded.lon_e7, excluded.radius_m)
                        THEN revision ELSE excluded.revision END,
                    lat_e7 = excluded.lat_e7, lon_e7 = excluded.lon_e7, radius_m = excluded.radius_m
                RETURNING revision
                """)
        var changes: [GeofenceChange] = []
        for sight in sights {
            let kept = try Int64.fetchOne(
                statement,
                arguments: [
                    sight.id, sight.title, sight.place.latitudeE7, sight.place.longitudeE7, sight.radius.meters,
                    sight.category, sight.information, revision,
                ])
            changes.append(.watched(sight.geofence, revision: kept ?? revision))
        }
        let added = try count(in: db) - before
        return (Import(added: added, updated: sights.count - added), changes)
    }

    /// Removes a sight; nil where there is none.
    static func remove(_ id: String, in db: Database) throws -> GeofenceChange? {
        try db.execute(sql: "DELETE FROM sight WHERE id = ?", arguments: [id])
        guard db.changesCount > 0 else { return nil }
        return .removed(.init(kind: .sight, id: id), revision: try nextRevision(in: db))
    }

    private static func nextRevision(in db: Database) throws -> Int64 {
        try db.execute(sql: "UPDATE sight_revision SET last = last + 1")
        return try Int64.fetchOne(db, sql: "SELECT last FROM sight_revision") ?? 0
    }

    private static func count(in db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM sight") ?? 0
    }
}

extension Sight {
    /// A row of the columns above.
    fileprivate init(_ row: Row) throws {
        guard let place = Coordinate(latitudeE7: row[2], longitudeE7: row[3]) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "no place on earth")
        }
        self.init(
            id: row[0], title: row[1], place: place, radius: .meters(row[4]), category: row[5], information: row[6],
            owner: row[8])
    }
}
