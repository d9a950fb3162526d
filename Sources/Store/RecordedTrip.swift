import GRDB
import Geodesy
public import Positioning
public import Tracking

/// A trip as it is in the store.
public struct RecordedTrip: Hashable, Sendable {
    /// When, how far and how fast; what is not known yet is 0.
    public var summary: TripSummary
    /// The version of the rules it was computed by; see `TrackingPolicy.algorithm`.
    public var algorithm: Int
    /// The settings it was computed with, JSON.
    public var settings: String
    /// How often someone has changed it since.
    public var revision: Int
}

/// Which trips are asked for.
public struct TripQuery: Hashable, Sendable {
    /// Those of one device.
    public var device: String?
    /// Those that began then or later.
    public var since: Timestamp?
    /// Those that began earlier.
    public var until: Timestamp?
    /// The newest so many.
    public var limit: Int

    /// All trips, or the newest of some.
    public init(device: String? = nil, since: Timestamp? = nil, until: Timestamp? = nil, limit: Int = .max) {
        self.device = device
        self.since = since
        self.until = until
        self.limit = limit
    }
}

extension LocationDatabase {
    private static let tripColumns = """
        SELECT trip.id, device.name, start, "end", distance_m, stopped_s, max_speed_mps, stops, fixes, algorithm,
            settings, revision
        FROM trip JOIN device ON device.number = trip.device
        """

    /// The trips that a query asks for, by start, the newest last.
    public func trips(_ query: TripQuery = TripQuery()) throws -> [RecordedTrip] {
        try read { db in
            let rows = try Row.fetchAll(
                db,
                sql: Self.tripColumns + """
                     WHERE (:device IS NULL OR device.name = :device) AND start >= :since AND start < :until
                    ORDER BY start DESC, trip.number DESC LIMIT :limit
                    """,
                arguments: [
                    "device": query.device, "since": query.since?.milliseconds ?? .min,
                    "until": query.until?.milliseconds ?? .max, "limit": query.limit,
                ])
            return rows.reversed().map(RecordedTrip.init)
        }
    }

    /// The trip of an id; nil where there is none.
    public func trip(id: String) throws -> RecordedTrip? {
        try read { db in
            try Row.fetchOne(db, sql: Self.tripColumns + " WHERE trip.id = ?", arguments: [id]).map(RecordedTrip.init)
        }
    }

    /// Removes a trip with its points.
    ///
    /// - Returns: whether there was one.
    public func removeTrip(id: String) throws -> Bool {
        try write { db in
            try db.execute(sql: "DELETE FROM trip WHERE id = ?", arguments: [id])
            return db.changesCount > 0
        }
    }

    /// The stops of a device that began within a time, by start.
    public func stops(
        ofDevice device: String, since: Timestamp? = nil, until: Timestamp? = nil, limit: Int = .max
    ) throws -> [StopSummary] {
        try read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT id, start, "end", lat_e7, lon_e7 FROM stop
                    WHERE device = (SELECT number FROM device WHERE name = ?) AND start >= ? AND start < ?
                    ORDER BY start, number LIMIT ?
                    """,
                arguments: [device, since?.milliseconds ?? .min, until?.milliseconds ?? .max, limit])
            return try rows.map { row in
                guard let place = Coordinate(latitudeE7: row[3], longitudeE7: row[4]) else { throw Self.noPlace }
                var stop = StopSummary(device: device, start: Timestamp(milliseconds: row[1]), place: place)
                stop.id = row[0]
                stop.end = (row[2] as Int64?).map(Timestamp.init)
                return stop
            }
        }
    }

    static var noPlace: DatabaseError { DatabaseError(resultCode: .SQLITE_CORRUPT, message: "no place on earth") }
}

extension RecordedTrip {
    fileprivate init(_ row: Row) {
        summary = TripSummary(device: row[1], start: Timestamp(milliseconds: row[2]))
        summary.id = row[0]
        summary.end = (row[3] as Int64?).map(Timestamp.init)
        summary.distance = .meters(row[4] ?? 0)
        summary.stopped = row[5] ?? 0
        summary.maximumSpeed = (row[6] as Double?).map(Speed.metersPerSecond)
        summary.stops = row[7] ?? 0
        summary.fixes = row[8] ?? 0
        algorithm = row[9]
        settings = row[10]
        revision = row[11]
    }
}
