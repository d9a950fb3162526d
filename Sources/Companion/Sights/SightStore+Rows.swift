package import GRDB
import Geodesy
import RPC
package import Service
import Store
import TextCoding
import Time
import Tracking

/// Sights, read and changed in the caller's transaction.
extension SightStore {
    /// The columns of a whole sight, for a query of the table `sight`.
    package static let columns = """
        \(rowColumns), sight.shape AS sight_shape, sight.speed_limit AS sight_speed_limit,
            sight.devices AS sight_devices, sight.device_groups AS sight_groups,
            \(groupDevices) AS sight_group_devices, sight.active AS sight_active, sight.zone AS sight_zone, sight.alarm AS sight_alarm,
            sight.description AS sight_description, sight.number AS sight_number,
            (SELECT person.id FROM person WHERE person.number = sight.owner) AS sight_owner, sight.added AS sight_added
        """

    /// The names of the devices of the groups that a sight is watched for, as a JSON array; `NULL` without a group.
    static let groupDevices = """
        CASE WHEN sight.device_groups IS NOT NULL THEN (
            SELECT json_group_array(DISTINCT CAST(grouped_device.device AS TEXT))
            FROM grouped_device JOIN device_group ON device_group.number = grouped_device.device_group
            WHERE device_group.id IN (SELECT chosen_group.value FROM json_each(sight.device_groups) AS chosen_group)) END
        """

    /// The columns of a sight in a short list, without shape, description and owner.
    private static let rowColumns = """
        sight.id AS sight_id, sight.title AS sight_title, sight.lat_e7 AS sight_lat_e7, sight.lon_e7 AS sight_lon_e7,
            sight.radius_m AS sight_radius_m, sight.form AS sight_form, sight.category AS sight_category
        """

    /// Returns the sight with an id; `nil` if there is none.
    package static func sight(id: String, in db: Database) throws -> Sight? {
        guard let id = try? Identifier(id).text else { return nil }
        let statement = try db.cachedStatement(sql: "SELECT \(columns) FROM sight WHERE sight.id = ?")
        return try NamedRow.fetchOne(statement, arguments: [id]).map { try Sight($0) }
    }

    /// Returns the sights with the given ids, by id, without description and owner.
    ///
    /// Unknown ids are omitted.
    ///
    /// - Complexity: O(*k* log *n*) for *k* ids among *n* sights.
    static func rows(ids: [String], in db: Database) throws -> [String: Sight] {
        let list = JSONText.array { json in for id in ids { json.string(id) } }
        let rows = try NamedRow.soundRows(
            db.cachedStatement(
                sql: "SELECT \(rowColumns) FROM json_each(:ids) AS asked CROSS JOIN sight ON sight.id = asked.value"),
            arguments: ["ids": String(decoding: list.bytes, as: UTF8.self)])
        var sights: [String: Sight] = [:]
        while let row = try rows.next() {
            let sight = try Sight(row)
            sights[sight.id] = sight
        }
        return sights
    }

    /// Returns the sights with the given numbers, without description and owner, in the order of the numbers.
    static func rows(numbers: [Int64], in db: Database) throws -> [Sight] {
        let list = JSONText.array { json in for number in numbers { json.integer(number) } }
        return try NamedRow.soundList(
            db.cachedStatement(
                sql: """
                    SELECT \(rowColumns) FROM json_each(:numbers) AS asked CROSS JOIN sight ON sight.number = asked.value
                    ORDER BY asked.key
                    """),
            arguments: ["numbers": String(decoding: list.bytes, as: UTF8.self)]
        ) { try Sight($0) }
    }

    /// Returns whether a sight has an id.
    package static func contains(_ id: String, in db: Database) throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM sight WHERE id = ?)")
        return try Bool.fetchOne(statement, arguments: [id]) ?? false
    }

    /// Adds sights, and replaces those with the same id.
    ///
    /// A replaced sight keeps its owner and the time at which it was added.
    package static func put(_ sights: [Sight], in db: Database) throws -> (result: Import, changes: [GeofenceChange]) {
        let revision = try GeofenceRevision.next(in: db)
        let before = try count(in: db)
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO sight (
                    id, title, lat_e7, lon_e7, radius_m, category, description, revision, owner, added, form, shape,
                    speed_limit, devices, device_groups, active, zone, alarm)
                VALUES (
                    ?, ?, ?, ?, ?, ?, ?, ?, (SELECT number FROM person WHERE person.id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET
                    title = excluded.title, category = excluded.category, description = excluded.description,
                    revision = CASE
                        WHEN (lat_e7, lon_e7, radius_m) = (excluded.lat_e7, excluded.lon_e7, excluded.radius_m)
                            AND form IS excluded.form AND shape IS excluded.shape AND devices IS excluded.devices
                            AND device_groups IS excluded.device_groups
                            AND active IS excluded.active AND zone IS excluded.zone
                        THEN revision ELSE excluded.revision END,
                    lat_e7 = excluded.lat_e7, lon_e7 = excluded.lon_e7, radius_m = excluded.radius_m,
                    form = excluded.form, shape = excluded.shape, speed_limit = excluded.speed_limit,
                    devices = excluded.devices, device_groups = excluded.device_groups, active = excluded.active, zone = excluded.zone,
                    alarm = excluded.alarm
                RETURNING revision
                """)
        var changes: [GeofenceChange] = []
        // Growing by doubling would need up to three times the memory.
        changes.reserveCapacity(sights.count)
        try SightSearch.adding(in: db) {
            for sight in sights {
                let kept = try Int64.fetchOne(
                    statement,
                    arguments: [
                        sight.id, sight.title, sight.place.latitudeE7, sight.place.longitudeE7,
                        sight.storedRadius.meters, sight.category, sight.information, revision, sight.owner,
                        sight.added?.milliseconds, sight.form, sight.outlineText,
                        sight.rules.speedLimit?.metersPerSecond, sight.rules.devicesText, sight.rules.groupsText,
                        sight.rules.active, sight.rules.zone, sight.rules.isAlarm ? 1 : nil,
                    ])
                changes.append(.watched(sight.geofence, revision: kept ?? revision))
            }
        }
        let added = try count(in: db) - before
        return (Import(added: added, updated: sights.count - added), changes)
    }

    /// Watches the sights of a group of devices for those that it has now.
    ///
    /// - Returns: The geofences that are watched for other devices than before.
    package static func watchAgain(ofGroup id: String, in db: Database) throws -> [GeofenceChange] {
        let sights = try sights(ofGroup: id, in: db)
        guard !sights.isEmpty else { return [] }
        let revision = try GeofenceRevision.next(in: db)
        return try sights.map { sight in
            try db.cachedStatement(sql: "UPDATE sight SET revision = ? WHERE id = ?")
                .execute(arguments: [revision, sight.id])
            return .watched(sight.geofence, revision: revision)
        }
    }

    /// Returns the sights that are watched for a group of devices.
    package static func sights(ofGroup id: String, in db: Database) throws -> [Sight] {
        try NamedRow.list(
            db.cachedStatement(
                sql: """
                    SELECT \(columns) FROM sight
                    WHERE sight.device_groups IS NOT NULL
                        AND ? IN (SELECT asked.value FROM json_each(sight.device_groups) AS asked)
                    ORDER BY sight.number
                    """), arguments: [id]
        ) { try Sight($0) }
    }

    /// Removes a sight and everything people have said about it.
    ///
    /// Returns `nil` if there is none.
    package static func remove(_ id: String, in db: Database) throws -> GeofenceChange? {
        let statement = try db.cachedStatement(sql: "DELETE FROM sight WHERE id = ? RETURNING number")
        guard try Int64.fetchOne(statement, arguments: [id]) != nil else { return nil }
        try Subjects.remove(SubjectID(kind: SightSubject.kind, id: id), in: db)
        return .removed(.init(kind: .sight, id: id), revision: try GeofenceRevision.next(in: db))
    }

    private static func count(in db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM sight") ?? 0
    }
}

extension Sight {
    /// Creates a sight from a row that has ``SightStore/columns``, or the shorter list of columns.
    package init(_ row: NamedRow) throws {
        guard let place = Coordinate(latitudeE7: row["sight_lat_e7"], longitudeE7: row["sight_lon_e7"]) else {
            throw row.damage("a sight has an invalid position")
        }
        self.init(
            id: row["sight_id"], title: row["sight_title"], place: place, radius: .meters(row["sight_radius_m"]),
            category: row["sight_category"], information: row["sight_description"], owner: row["sight_owner"],
            added: (row["sight_added"] as Int64?).map(Timestamp.init))
        rules = SightRules(
            speedLimit: row["sight_speed_limit"], devicesText: row["sight_devices"], groupsText: row["sight_groups"],
            groupDevicesText: row["sight_group_devices"], active: row["sight_active"], zone: row["sight_zone"],
            isAlarm: row["sight_alarm"] as Int64? != nil)
        guard let form = row["sight_form"] as String? else { return }
        guard setShape(form, row["sight_shape"]) else { throw row.damage("a sight has an invalid shape") }
    }
}
