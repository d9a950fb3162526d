public import GRDB
import Geodesy
public import Time
public import Tracking

/// Access to recorded trips and stops, within the caller's transaction.
public enum Travels {
    static let tripColumns = """
        SELECT trip.id, device.name, start, "end", distance_m, stopped_s, max_speed_mps, stops, fixes, algorithm,
            revision, gaps_m, bridged_m, climb_m, descent_m, south_e7, west_e7, north_e7, east_e7, moving_s,
            imported IS NOT NULL, trip.kind
        FROM trip JOIN device ON device.number = trip.device
        """

    /// Returns the trips that match a query, by start and id, the newest last.
    ///
    /// - Complexity: O(*n* + log *m*) for *n* returned ones of *m* trips, if the query has no scope.
    public static func trips(_ query: TripQuery = TripQuery(), in db: Database) throws -> [RecordedTrip] {
        var condition = "hidden = 0 AND start >= :since AND start < :until"
        var arguments: StatementArguments = [
            "since": query.since?.milliseconds ?? .min, "until": query.latest,
            "limit": StoreDamage.widened(query.limit),
        ]
        if let device = query.device {
            condition += " AND trip.device = (SELECT number FROM device WHERE name = :device)"
            arguments += ["device": device]
        }
        if let mark = query.before {
            condition += " AND (start, trip.id) < (:start, :id)"
            arguments += ["start": mark.start.milliseconds, "id": mark.id]
        }
        if let scope = query.scope {
            condition += " AND \(TravelScope.condition)"
            arguments += StatementArguments(scope.arguments)
        }
        let sql = "\(tripColumns) WHERE \(condition) ORDER BY start DESC, trip.id DESC LIMIT :limit"
        return try StoredRow.soundList(db, sql: sql, arguments: arguments, RecordedTrip.init).reversed()
    }

    /// Returns the trip with an id; `nil` if there is none.
    public static func trip(id: String, in db: Database) throws -> RecordedTrip? {
        try StoredRow.fetchOne(db, sql: tripColumns + " WHERE trip.id = ? AND hidden = 0", arguments: [id]).map(
            RecordedTrip.init)
    }

    /// Returns the stops of a device that began at or after `since` and before `until`, by start.
    public static func stops(
        ofDevice device: String, since: Timestamp? = nil, until: Timestamp? = nil, limit: Int = .max, in db: Database
    ) throws -> [StopSummary] {
        try StoredRow.soundList(
            db,
            sql: """
                SELECT id, start, "end", lat_e7, lon_e7 FROM stop
                WHERE device = (SELECT number FROM device WHERE name = ?) AND start >= ? AND start < ?
                ORDER BY start, number LIMIT ?
                """,
            arguments: [
                device, since?.milliseconds ?? .min, until?.milliseconds ?? .max, StoreDamage.widened(limit),
            ]
        ) { stop(of: device, $0) }
    }

    /// Returns the stops during a trip that has ended, by start, cut off at the trip's ends.
    public static func stops(on trip: TripSummary, in db: Database) throws -> [StopSummary] {
        guard let end = trip.end else { return [] }
        return try StoredRow.soundList(
            db,
            sql: """
                SELECT id, max(start, :start), min(coalesce("end", :end), :end), lat_e7, lon_e7 FROM stop
                WHERE device = (SELECT number FROM device WHERE name = :device)
                    AND start < :end AND coalesce("end", :end) > :start
                ORDER BY start, number
                """,
            arguments: ["device": trip.device, "start": trip.start.milliseconds, "end": end.milliseconds]
        ) { stop(of: trip.device, $0) }
    }

    /// Returns the stop with an id; `nil` if there is none.
    static func stop(id: String, in db: Database) throws -> StopSummary? {
        let row = try StoredRow.fetchOne(
            db,
            sql: """
                SELECT id, start, "end", lat_e7, lon_e7, name FROM stop JOIN device ON device.number = stop.device
                WHERE id = ?
                """,
            arguments: [id])
        return row.map { stop(of: $0[5], $0) }
    }

    /// Adds a stop that was removed, unless there is one with its id.
    static func restore(_ stop: StopSummary, in db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO stop (id, device, start, "end", lat_e7, lon_e7)
                SELECT ?, number, ?, ?, ?, ? FROM device WHERE name = ?
                ON CONFLICT (id) DO NOTHING
                """,
            arguments: [
                stop.id, stop.start.milliseconds, stop.end?.milliseconds, stop.place.latitudeE7,
                stop.place.longitudeE7, stop.device,
            ])
    }

    static func stop(of device: String, _ row: StoredRow) -> StopSummary {
        let place = row.place(latitude: 3, longitude: 4)
        var stop = StopSummary(device: device, start: Timestamp(milliseconds: row[1]), place: place)
        stop.id = row[0]
        stop.end = (row[2] as Int64?).map(Timestamp.init)
        return stop
    }
}

extension LocationDatabase {
    /// Returns the trips that match a query, by start and id, the newest last.
    public func trips(_ query: TripQuery = TripQuery()) throws -> [RecordedTrip] {
        try read { try Travels.trips(query, in: $0) }
    }

    /// Returns the trip with an id; `nil` if there is none.
    public func trip(id: String) throws -> RecordedTrip? {
        try read { try Travels.trip(id: id, in: $0) }
    }

    /// Removes a trip and its points, except those that another trip shows.
    ///
    /// - Returns: Whether there was such a trip.
    public func removeTrip(id: String) throws -> Bool {
        try write { db in
            guard try Travels.retire(trip: id, in: db) else { return false }
            while try !Travels.sweep(limit: .max, in: db) {}
            return true
        }
    }

    /// Returns the stops of a device that began at or after `since` and before `until`, by start.
    public func stops(
        ofDevice device: String, since: Timestamp? = nil, until: Timestamp? = nil, limit: Int = .max
    ) throws -> [StopSummary] {
        try read { try Travels.stops(ofDevice: device, since: since, until: until, limit: limit, in: $0) }
    }

    static var noPlace: DatabaseError { DatabaseError(resultCode: .SQLITE_CORRUPT, message: "no place on earth") }
}
