import GRDB
public import Geodesy
public import Positioning
public import Tracking

/// A device as it is in the store.
public struct StoredDevice: Hashable, Sendable {
    /// What it is called.
    public var name: String
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

extension LocationDatabase {
    /// All devices, by name.
    public func devices() throws -> [StoredDevice] {
        try read { db in
            try Row.fetchAll(db, sql: "SELECT name, last_time, last_lat_e7, last_lon_e7 FROM device ORDER BY name")
                .map { row in
                    guard let time: Int64 = row[1] else { return StoredDevice(name: row[0]) }
                    guard let place = Coordinate(latitudeE7: row[2], longitudeE7: row[3]) else { throw Self.noPlace }
                    return StoredDevice(
                        name: row[0], last: .init(time: Timestamp(milliseconds: time), place: place))
                }
        }
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
