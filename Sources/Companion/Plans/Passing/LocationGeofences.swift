import GRDB
import Geodesy
import RPC
import Service
import Store
import Time
import Tracking

/// The geofences of locations in plans.
///
/// A location is watched if it has a place and a device carries a traveller of its plan. Its geofence applies to these
/// devices, from one day before the plan's start to one day after its end, or always if the plan has no days.
///
/// Database triggers record the locations whose geofence may have changed, whatever the cause: the days of a plan, its
/// travellers, the people whom a device carries, or a removed account.
struct LocationGeofences: GeofenceSource {
    let kind = Geofence.Kind(rawValue: Location.kind)
    // Travellers are notified of the stamp instead.
    let notification: NotificationDraft.Kind? = nil

    /// How long before the start and after the end of a plan its locations are watched, in milliseconds.
    static let margin = Timestamp.millisecondsPerDay

    func count(in db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM location WHERE plan IN (SELECT plan FROM plan_device)") ?? 0
    }

    func forEach(in db: Database, _ body: (_ geofence: Geofence, _ revision: Int64) -> Void) throws {
        var devices: [Int64: [String]] = [:]
        let sql = "SELECT DISTINCT plan, device FROM plan_device ORDER BY plan, device"
        for row in try StoredRow.fetchAll(db, sql: sql) {
            devices[row[0], default: []].append(row[1])
        }
        let rows = try NamedRow.soundRows(
            db.cachedStatement(
                sql: """
                    \(Self.select) WHERE location.plan IN (SELECT plan FROM plan_device) ORDER BY location.number
                    """))
        while let row = try rows.next() {
            if let geofence = Self.geofence(row, of: devices[row["plan"]] ?? []) { body(geofence, row["watched"]) }
        }
    }

    func geofence(_ id: String, in db: Database) throws -> Geofence? {
        try NamedRow.fetchOne(db.cachedStatement(sql: "\(Self.select) WHERE location.id = ?"), arguments: [id])
            .flatMap { try Self.geofence($0, of: Self.devices(of: $0["plan"], in: db)) }
    }

    func changes(in db: Database) throws -> [GeofenceChange] {
        let ids = try String.fetchAll(db.cachedStatement(sql: "SELECT id FROM location_due ORDER BY id"))
        guard !ids.isEmpty else { return [] }
        let rows = try NamedRow.list(
            db.cachedStatement(sql: "\(Self.select) WHERE location.id IN (SELECT id FROM location_due)"), arguments: []
        ) { row in
            (
                number: row["number"] as Int64, plan: row["plan"] as Int64, watched: row["watched"] as Int64,
                description: row["watched_as"] as String?, geofence: Self.geofence(row, of: [])
            )
        }
        try db.cachedStatement(sql: "DELETE FROM location_due").execute()
        var (devices, last): ([Int64: [String]], Int64?) = ([:], nil)
        func revision() throws -> Int64 {
            let revision = try last ?? GeofenceRevision.next(in: db)
            last = revision
            return revision
        }
        var gone = Set(ids)
        var changes: [GeofenceChange] = []
        for var row in rows {
            if devices[row.plan] == nil { devices[row.plan] = try Self.devices(of: row.plan, in: db) }
            guard var geofence = row.geofence, let carriers = devices[row.plan], !carriers.isEmpty else { continue }
            geofence.watch?.devices = carriers
            gone.remove(geofence.identity.id)
            let description = Self.description(geofence)
            if row.description != description {
                row.watched = try revision()
                try db.cachedStatement(sql: "UPDATE location SET watched = ?, watched_as = ? WHERE number = ?")
                    .execute(arguments: [row.watched, description, row.number])
            }
            changes.append(.watched(geofence, revision: row.watched))
        }
        guard !gone.isEmpty else { return changes }
        let list = JSONText(.array(gone.map(JSONValue.string)))
        try db.cachedStatement(
            sql: """
                UPDATE location SET watched_as = NULL
                WHERE watched_as IS NOT NULL AND id IN (SELECT value FROM json_each(?))
                """
        ).execute(arguments: [String(decoding: list.bytes, as: UTF8.self)])
        for id in gone.sorted() { changes.append(.removed(Self.identity(id), revision: try revision())) }
        return changes
    }

    private static let select = """
        SELECT location.number, location.id, location.plan, location.name, location.lat_e7, location.lon_e7,
            location.radius_m, location.watched, location.watched_as, plan.start_time, plan.end_time
        FROM location JOIN plan ON plan.number = location.plan
        """

    /// Returns the devices that carry a traveller of a plan.
    private static func devices(of plan: Int64, in db: Database) throws -> [String] {
        try String.fetchAll(
            db.cachedStatement(sql: "SELECT DISTINCT device FROM plan_device WHERE plan = ? ORDER BY device"),
            arguments: [plan])
    }

    private static func geofence(_ row: NamedRow, of devices: [String]) -> Geofence? {
        row.place.map { place in
            var geofence = Geofence(
                identity: identity(row["id"]), title: row["name"], center: place, radius: .meters(row["radius_m"]))
            geofence.watch = Geofence.Watch(
                since: row.time("start_time")?.advanced(byMilliseconds: -margin) ?? .earliest,
                until: row.time("end_time")?.advanced(byMilliseconds: margin) ?? .latest, devices: devices)
            return geofence
        }
    }

    private static func identity(_ id: String) -> Geofence.Identity {
        Geofence.Identity(kind: Geofence.Kind(rawValue: Location.kind), id: id)
    }

    /// Returns everything about a geofence except its title, as text.
    ///
    /// A geofence gets a new revision only if this text changes, because then the devices must check it again.
    private static func description(_ geofence: Geofence) -> String {
        let (center, watch) = (geofence.center, geofence.watch)
        let numbers: [Int64] = [
            Int64(center.latitudeE7), Int64(center.longitudeE7), Int64(bitPattern: geofence.radius.meters.bitPattern),
            watch?.since.milliseconds ?? 0, watch?.until.milliseconds ?? 0,
        ]
        let values = numbers.map(JSONValue.integer) + (watch?.devices ?? []).map(JSONValue.string)
        return String(decoding: JSONText(.array(values)).bytes, as: UTF8.self)
    }
}
