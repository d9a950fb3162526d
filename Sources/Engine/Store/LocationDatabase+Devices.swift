public import GRDB
public import Geodesy
public import Time
public import Tracking

/// A device in the store.
public struct StoredDevice: Hashable, Sendable {
    /// The device's name, by which receivers and events identify it.
    public var name: String
    /// The title that people gave the device; `nil` if there is none.
    public var title: String?
    /// Whether a request that names no device means this one: the device that was made primary, or else the oldest.
    public var isPrimary: Bool
    /// The time and place of the device's last fix; `nil` before the first.
    public var last: Sighting?
    /// The speed above which the device is reported, wherever it is; `nil` for that of the configuration.
    public var speedLimit: Speed?
    /// Whether this machine tracks the device: another one may hand over its trips.
    public var isTracked = false

    /// A time and a place.
    public struct Sighting: Hashable, Sendable {
        /// The time of the fix.
        public var time: Timestamp
        /// The place of the fix.
        public var place: Coordinate
    }
}

/// Reads and writes of devices, within the caller's transaction.
public enum Devices {
    /// Returns all devices, by name.
    public static func all(in db: Database) throws -> [StoredDevice] {
        let rows = try StoredRow.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT name, title,
                        number = coalesce(
                            (SELECT number FROM device WHERE is_primary = 1), (SELECT min(number) FROM device)),
                        last_time, last_lat_e7, last_lon_e7, speed_limit, state IS NOT NULL
                    FROM device ORDER BY name
                    """))
        return rows.map { row in
            var device = StoredDevice(name: row[0], title: row[1], isPrimary: row[2])
            // A device with a damaged place goes on as one without.
            device.last =
                StoreDamage.sparing {
                    (row[3] as Int64?).map { time in
                        .init(time: Timestamp(milliseconds: time), place: row.place(latitude: 4, longitude: 5))
                    }
                } ?? nil
            device.speedLimit = (row[6] as Double?).map(Speed.metersPerSecond)
            device.isTracked = row[7]
            return device
        }
    }

    /// Returns the names of all devices by their numbers.
    public static func names(in db: Database) throws -> [Int64: String] {
        var names: [Int64: String] = [:]
        for row in try StoredRow.fetchAll(db.cachedStatement(sql: "SELECT number, name FROM device")) {
            names[row[0]] = row[1]
        }
        return names
    }

    /// Returns the number of a device, and adds the device if it is not in the store yet.
    @discardableResult
    public static func add(_ name: String, to db: Database) throws -> Int64 {
        let known = try db.cachedStatement(sql: "SELECT number FROM device WHERE name = ?")
        if let number = try Int64.fetchOne(known, arguments: [name]) { return number }
        try db.execute(sql: "INSERT INTO device (name) VALUES (?)", arguments: [name])
        return db.lastInsertedRowID
    }

    /// Sets the title of a device in the store; `nil` removes it.
    public static func setTitle(_ title: String?, of name: String, in db: Database) throws {
        try db.execute(sql: "UPDATE device SET title = ? WHERE name = ?", arguments: [title, name])
    }

    /// Sets the speed above which a device in the store is reported, wherever it is; `nil` removes it.
    public static func setSpeedLimit(_ limit: Speed?, of name: String, in db: Database) throws {
        try db.execute(
            sql: "UPDATE device SET speed_limit = ? WHERE name = ?", arguments: [limit?.metersPerSecond, name])
    }

    /// Makes a device in the store the primary one, in place of any other.
    public static func makePrimary(_ name: String, in db: Database) throws {
        try db.execute(sql: "UPDATE device SET is_primary = 0 WHERE is_primary = 1")
        try db.execute(sql: "UPDATE device SET is_primary = 1 WHERE name = ?", arguments: [name])
    }
}

extension LocationDatabase {
    /// Returns all devices, by name.
    public func devices() throws -> [StoredDevice] {
        try read { try Devices.all(in: $0) }
    }

    /// Returns the speed above which a device is reported, wherever it is; `nil` if it has no limit of its own.
    public func speedLimit(ofDevice name: String) throws -> Speed? {
        try read { db in
            try Double.fetchOne(db, sql: "SELECT speed_limit FROM device WHERE name = ?", arguments: [name])
                .map(Speed.metersPerSecond)
        }
    }

    /// Returns the state from which the tracker of a device resumes; `nil` if none is stored.
    ///
    /// - Throws: ``StoreError/damaged(path:detail:)`` if the state cannot be decoded.
    public func state(ofDevice name: String) throws -> Tracker.Saved? {
        let text = try read { db in
            try String.fetchOne(db, sql: "SELECT state FROM device WHERE name = ?", arguments: [name])
        }
        guard let text else { return nil }
        do {
            return try StoredJSON.decode(Tracker.Saved.self, from: text)
        } catch {
            throw StoreError.damaged(path: place, detail: "the state of device \(name): \(error)")
        }
    }
}
