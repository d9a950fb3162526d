package import GRDB
import Geodesy
import Positioning
package import Service
import Store
import Tracking

/// Sights within a transaction of its caller.
extension SightStore {
    /// The columns of a sight, of the table `sight`.
    package static let columns = """
        sight.id, title, lat_e7, lon_e7, radius_m, category, description, sight.number,
            (SELECT person.id FROM person WHERE person.number = owner), added
        """

    /// The sight of an id; nil where there is none.
    package static func sight(id: String, in db: Database) throws -> Sight? {
        guard let id = try? Identifier(id).text else { return nil }
        let statement = try db.cachedStatement(sql: "SELECT \(columns) FROM sight WHERE sight.id = ?")
        return try Row.fetchOne(statement, arguments: [id]).map { try Sight($0) }
    }

    /// Whether there is a sight of an identifier.
    package static func contains(_ id: String, in db: Database) throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM sight WHERE id = ?)")
        return try Bool.fetchOne(statement, arguments: [id]) ?? false
    }

    /// Adds sights, each in place of the one of its id, which stays whose it is.
    package static func put(_ sights: [Sight], in db: Database) throws -> (result: Import, changes: [GeofenceChange]) {
        let revision = try nextRevision(in: db)
        let before = try count(in: db)
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO sight (id, title, lat_e7, lon_e7, radius_m, category, description, revision, owner, added)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, (SELECT number FROM person WHERE person.id = ?), ?)
                ON CONFLICT (id) DO UPDATE SET
                    title = excluded.title, category = excluded.category, description = excluded.description,
                    revision = CASE
                        WHEN (lat_e7, lon_e7, radius_m) = (excluded.lat_e7, excluded.lon_e7, excluded.radius_m)
                        THEN revision ELSE excluded.revision END,
                    lat_e7 = excluded.lat_e7, lon_e7 = excluded.lon_e7, radius_m = excluded.radius_m
                RETURNING revision
                """)
        var changes: [GeofenceChange] = []
        try SightSearch.adding(in: db) {
            for sight in sights {
                let kept = try Int64.fetchOne(
                    statement,
                    arguments: [
                        sight.id, sight.title, sight.place.latitudeE7, sight.place.longitudeE7, sight.radius.meters,
                        sight.category, sight.information, revision, sight.owner, sight.added?.milliseconds,
                    ])
                changes.append(.watched(sight.geofence, revision: kept ?? revision))
            }
        }
        let added = try count(in: db) - before
        return (Import(added: added, updated: sights.count - added), changes)
    }

    /// Removes a sight, with all that was said of it; nil where there is none.
    package static func remove(_ id: String, in db: Database) throws -> GeofenceChange? {
        let statement = try db.cachedStatement(sql: "DELETE FROM sight WHERE id = ? RETURNING number")
        guard try Int64.fetchOne(statement, arguments: [id]) != nil else { return nil }
        try Subjects.remove(SubjectID(kind: SightSubject.kind, id: id), in: db)
        return .removed(.init(kind: .sight, id: id), revision: try nextRevision(in: db))
    }

    static func nextRevision(in db: Database) throws -> Int64 {
        try db.execute(sql: "UPDATE sight_revision SET last = last + 1")
        return try Int64.fetchOne(db, sql: "SELECT last FROM sight_revision") ?? 0
    }

    private static func count(in db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM sight") ?? 0
    }
}

extension Sight {
    /// A row of the columns above.
    package init(_ row: Row) throws {
        guard let place = Coordinate(latitudeE7: row[2], longitudeE7: row[3]) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "no place on earth")
        }
        self.init(
            id: row[0], title: row[1], place: place, radius: .meters(row[4]), category: row[5], information: row[6],
            owner: row[8], added: (row[9] as Int64?).map(Timestamp.init))
    }
}
