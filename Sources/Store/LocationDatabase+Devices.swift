public import GRDB
public import Geodesy
public import Positioning
public import Tracking

/// A device as it is in the store.
public struct StoredDevice: Hashable, Sendable {
    /// What it is called.
    public var name: String
    /// What people call it; nil where nobody has said.
    public var title: String?
    /// Whether it is meant where no device is named: the one chosen for it, else the first that came.
    public var isPrimary: Bool
    /// When and where its last fix was; nil before any.
    public var last: Sighting?

    /// A time and a place.
    public struct Sighting: Hashable, Sendable {
        /// When.
        public var time: Timestamp
        /// Where.
        public var place: Coordinate
    }
}

/// The devices, within a transaction of its caller.
public enum Devices {
    /// All devices, by name.
    public static func all(in db: Database) throws -> [StoredDevice] {
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT name, title,
                        number = coalesce(
                            (SELECT number FROM device WHERE is_primary = 1), (SELECT min(number) FROM device)),
                        last_time, last_lat_e7, last_lon_e7
                    FROM device ORDER BY name
                    """))
        return try rows.map { row in
            var device = StoredDevice(name: row[0], title: row[1], isPrimary: row[2])
            guard let time: Int64 = row[3] else { return device }
            guard let place = Coordinate(latitudeE7: row[4], longitudeE7: row[5]) else {
                throw LocationDatabase.noPlace
            }
            device.last = .init(time: Timestamp(milliseconds: time), place: place)
            return device
        }
    }

    /// The number of a device, which is added where it is not there yet.
    @discardableResult
    public static func add(_ name: String, to db: Database) throws -> Int64 {
        let known = try db.cachedStatement(sql: "SELECT number FROM device WHERE name = ?")
        if let number = try Int64.fetchOne(known, arguments: [name]) { return number }
        try db.execute(sql: "INSERT INTO device (name) VALUES (?)", arguments: [name])
        return db.lastInsertedRowID
    }

    /// Sets what people call a device that is there; nil for nothing.
    public static func setTitle(_ title: String?, of name: String, in db: Database) throws {
        try db.execute(sql: "UPDATE device SET title = ? WHERE name = ?", arguments: [title, name])
    }

    /// Makes a device that is there the primary one, in place of another.
    public static func makePrimary(_ name: String, in db: Database) throws {
        try db.execute(sql: "UPDATE device SET is_primary = 0 WHERE is_primary = 1")
        try db.execute(sql: "UPDATE device SET is_primary = 1 WHERE name = ?", arguments: [name])
    }
}

extension LocationDatabase {
    /// All devices, by name.
    public func devices() throws -> [StoredDevice] {
        try read { try Devices.all(in: $0) }
    }

    /// What the tracker of a device goes on from; nil for a device without any.
    ///
    /// - Throws: ``StoreError/damaged(path:detail:)`` where it cannot be read.
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
