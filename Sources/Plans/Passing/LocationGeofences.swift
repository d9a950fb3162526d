import GRDB
import Geodesy
import Service
import Store
import Tracking

/// Locations as what is watched: all that have a place.
///
/// Whose passing counts, and when, is for ``LocationStamps`` to say; it may be asked long after a recording was made.
struct LocationGeofences: GeofenceSource {
    let kind = Geofence.Kind(rawValue: Location.kind)
    // Travellers are told of the stamp instead.
    let notification: NotificationDraft.Kind? = nil

    func count(in db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM location WHERE lat_e7 IS NOT NULL") ?? 0
    }

    func forEach(in db: Database, _ body: (_ geofence: Geofence, _ revision: Int64) -> Void) throws {
        let rows = try Row.fetchCursor(
            db, sql: "SELECT id, name, lat_e7, lon_e7, radius_m, watched FROM location ORDER BY number")
        while let row = try rows.next() {
            if let geofence = Self.geofence(row) { body(geofence, row["watched"]) }
        }
    }

    func geofence(_ id: String, in db: Database) throws -> Geofence? {
        try Row.fetchOne(db.cachedStatement(sql: "SELECT * FROM location WHERE id = ?"), arguments: [id])
            .flatMap(Self.geofence)
    }

    private static func geofence(_ row: Row) -> Geofence? {
        row.place.map { place in
            Geofence(
                identity: identity(row["id"]), title: row["name"], center: place, radius: .meters(row["radius_m"]))
        }
    }

    private static func identity(_ id: String) -> Geofence.Identity {
        Geofence.Identity(kind: Geofence.Kind(rawValue: Location.kind), id: id)
    }
}

extension LocationGeofences {
    /// What is to be watched otherwise once locations are as they are now.
    static func watch(_ numbers: [Int64], in db: Database) throws -> [GeofenceChange] {
        try numbers.compactMap { number in
            let row = try Row.fetchOne(
                db.cachedStatement(sql: "SELECT * FROM location WHERE number = ?"), arguments: [number])
            guard let row else { return nil }
            guard let geofence = geofence(row) else {
                return .removed(identity(row["id"]), revision: try GeofenceRevision.next(in: db))
            }
            return .watched(geofence, revision: row["watched"])
        }
    }

    /// What is to be watched otherwise once locations are gone.
    static func remove(_ ids: [String], in db: Database) throws -> [GeofenceChange] {
        guard !ids.isEmpty else { return [] }
        let revision = try GeofenceRevision.next(in: db)
        return ids.map { .removed(identity($0), revision: revision) }
    }

    /// The ids of the locations of a plan.
    static func ids(of plan: Int64, in db: Database) throws -> [String] {
        try String.fetchAll(db.cachedStatement(sql: "SELECT id FROM location WHERE plan = ?"), arguments: [plan])
    }

    /// The numbers of the locations of a plan.
    static func numbers(of plan: Int64, in db: Database) throws -> [Int64] {
        try Int64.fetchAll(db.cachedStatement(sql: "SELECT number FROM location WHERE plan = ?"), arguments: [plan])
    }
}
