package import GRDB
import Geodesy
package import Service
import Store
package import Tracking

/// The geofences of all sights.
package struct SightGeofences: GeofenceSource {
    package let kind = Geofence.Kind.sight
    package let notification: NotificationDraft.Kind? = .sight

    package init() {}

    package func count(in db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM sight") ?? 0
    }

    package func forEach(in db: Database, _ body: (_ geofence: Geofence, _ revision: Int64) -> Void) throws {
        let rows = try DirectStatement(
            "SELECT id, title, lat_e7, lon_e7, radius_m, revision, form, shape, speed_limit, devices, active, zone, alarm, "
                + "sight.device_groups, \(SightStore.groupDevices) FROM sight ORDER BY number", isList: true,
            in: db)
        while try rows.step() {
            guard
                let place = Coordinate(
                    latitudeE7: rows.integer32(2) ?? .max, longitudeE7: rows.integer32(3) ?? .max)
            else { continue }
            var geofence = Geofence(
                identity: .init(kind: kind, id: rows.text(0)), title: rows.text(1), center: place,
                radius: .meters(rows.real(4)))
            let form = rows.text(6)
            if !form.isEmpty {
                // A shape that cannot be read is left out, like other damaged rows.
                guard let shape = Sight.outline(form, rows.text(7), radius: geofence.radius) else { continue }
                geofence = Geofence(identity: geofence.identity, title: geofence.title, shape: shape)
            }
            let (limit, devices, active) = (rows.real(8), rows.text(9), rows.text(10))
            let isAlarm = rows.integer(12) != nil
            let groups = rows.text(13)
            if limit > 0 || isAlarm || !devices.isEmpty || !groups.isEmpty || !active.isEmpty {
                let rules = SightRules(
                    speedLimit: limit, devicesText: devices, groupsText: groups, groupDevicesText: rows.text(14),
                    active: active.isEmpty ? nil : active, zone: rows.text(11),
                    isAlarm: isAlarm)
                (geofence.speedLimit, geofence.isAlarm, geofence.watch) = (rules.speedLimit, isAlarm, rules.watch)
            }
            body(geofence, rows.integer(5) ?? 0)
        }
    }

    package func geofence(_ id: String, in db: Database) throws -> Geofence? {
        try SightStore.sight(id: id, in: db)?.geofence
    }
}
