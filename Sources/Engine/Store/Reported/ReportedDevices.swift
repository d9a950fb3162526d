import Foundation
public import GRDB
import Positioning
public import Time

/// The devices whose fixes come by request, such as phones, and the secrets by which they are known.
///
/// All functions run in the caller's transaction.
public enum ReportedDevices {
    /// The number of bytes of a secret's digest (SHA-256).
    public static let digestLength = 32

    /// Makes a device one that reports, or gives it a new secret in place of its own.
    ///
    /// - Parameter digest: The SHA-256 of the secret.
    public static func set(digest: [UInt8], of device: String, in db: Database) throws {
        let number = try Devices.add(device, to: db)
        try db.execute(
            sql: """
                INSERT INTO reported_device (device, secret) VALUES (?, ?)
                ON CONFLICT (device) DO UPDATE SET secret = excluded.secret
                """, arguments: [number, Data(digest)])
    }

    /// Takes its secret from a device, whose requests are refused from then on.
    ///
    /// - Returns: Whether it had one.
    public static func removeSecret(of device: String, in db: Database) throws -> Bool {
        try db.execute(
            sql: "DELETE FROM reported_device WHERE device = (SELECT number FROM device WHERE name = ?)",
            arguments: [device])
        return db.changesCount > 0
    }

    /// Returns the name of the device with a secret; `nil` if there is none.
    public static func name(digest: [UInt8], in db: Database) throws -> String? {
        try String.fetchOne(
            db.cachedStatement(
                sql: "SELECT name FROM reported_device JOIN device ON device.number = device WHERE secret = ?"),
            arguments: [Data(digest)])
    }

    /// Sets whether the phone of a device is told which regions to watch.
    ///
    /// - Returns: Whether the device reports; if not, nothing changes.
    public static func setRegions(_ wants: Bool, of device: String, in db: Database) throws -> Bool {
        try db.execute(
            sql: """
                UPDATE reported_device SET regions = ? WHERE device = (SELECT number FROM device WHERE name = ?)
                """, arguments: [wants, device])
        return db.changesCount > 0
    }

    /// Returns the names of the devices whose phones are told which regions to watch.
    public static func namesWithRegions(in db: Database) throws -> Set<String> {
        try String.fetchSet(
            db.cachedStatement(
                sql: "SELECT name FROM reported_device JOIN device ON device.number = device WHERE regions = 1"))
    }

    /// Returns whether a device has a secret, and so may report.
    public static func has(_ device: String, in db: Database) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT EXISTS (
                        SELECT 1 FROM reported_device JOIN device ON device.number = reported_device.device
                        WHERE device.name = ?)
                    """), arguments: [device]) ?? false
    }

    /// Returns the names of all devices that report.
    public static func names(in db: Database) throws -> [String] {
        try String.fetchAll(
            db, sql: "SELECT name FROM reported_device JOIN device ON device.number = device ORDER BY name")
    }

    /// Returns those of some times at which the store has a fix of a device: in a trace, or among the late ones.
    ///
    /// - Complexity: O(*k* log *n*) for *k* times among *n* points.
    public static func stored(_ times: [Timestamp], of device: String, in db: Database) throws -> Set<Timestamp> {
        guard
            let number = try Int64.fetchOne(
                db.cachedStatement(sql: "SELECT number FROM device WHERE name = ?"), arguments: [device])
        else { return [] }
        return Set(try times.filter { try hasFix(ofDevice: number, at: $0, in: db) })
    }

    private static func hasFix(ofDevice number: Int64, at time: Timestamp, in db: Database) throws -> Bool {
        let late = try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM late_fix WHERE device = ? AND time = ?)"),
            arguments: [number, time.milliseconds])
        if late == true { return true }
        // The points of a trip that was merged into another one are its own; so hidden trips count as well.
        let rows = try StoredRow.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT number, coalesce(recorded, start) FROM trip
                    WHERE device = ? AND start <= ? ORDER BY start DESC LIMIT \(searchedTrips)
                    """), arguments: [number, time.milliseconds])
        for row in rows {
            let offset = time.milliseconds(since: Timestamp(milliseconds: row[1]))
            guard TraceKeys.times.contains(offset) else { continue }
            let isThere = try Bool.fetchOne(
                db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM trace WHERE key = ?)"),
                arguments: [TraceKeys(trip: row[0]).key(offset)])
            if isThere == true { return true }
        }
        return false
    }

    /// The number of trips before a time in which a point of that time is looked for.
    private static let searchedTrips = 4
}

extension StoreMigration {
    static let regions = """
        -- Whether the device's phone is told which regions to watch.
        ALTER TABLE reported_device ADD COLUMN regions INTEGER NOT NULL DEFAULT 0 CHECK (regions IN (0, 1));
        """

    static let reported = """
        -- Devices whose fixes come by request, such as phones. Whoever has the secret with this SHA-256 may add fixes.
        CREATE TABLE reported_device (
            device INTEGER PRIMARY KEY REFERENCES device (number) ON DELETE CASCADE,
            secret BLOB NOT NULL UNIQUE CHECK (length(secret) = 32)
        ) STRICT;

        -- Fixes that were reported after later ones of their device, until they are merged into its trips.
        CREATE TABLE late_fix (
            device INTEGER NOT NULL REFERENCES device (number) ON DELETE CASCADE,
            time INTEGER NOT NULL,
            lat_e7 INTEGER NOT NULL CHECK (lat_e7 BETWEEN -900000000 AND 900000000),
            lon_e7 INTEGER NOT NULL CHECK (lon_e7 BETWEEN -1800000000 AND 1800000000),
            alt_dm INTEGER,
            speed_cmps INTEGER,
            track_ddeg INTEGER,
            accuracy_m INTEGER,
            PRIMARY KEY (device, time)
        ) STRICT, WITHOUT ROWID;
        """
}
