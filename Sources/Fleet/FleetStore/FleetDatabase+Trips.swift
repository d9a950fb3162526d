#if Fleet
public import Geodesy
public import Time

/// A trip of a fleet's device.
public struct FleetTrip: Hashable, Sendable {
    /// The id, which one Waymark would give it as well.
    public let id: String
    /// The device.
    public let device: String
    /// When it began.
    public let start: Timestamp
    /// When it ended; `nil` while it goes on.
    public let end: Timestamp?
    /// Its length; `nil` while it goes on.
    public let distance: Distance?
    /// The trip that this one continues after a silence; `nil` for none.
    public let journey: String?
}

// What readers ask of trips and devices.
extension FleetDatabase {
    /// Returns trips by their beginning, the earliest first.
    ///
    /// - Parameters:
    ///   - device: Whose trips; `nil` for all.
    ///   - start: The earliest beginning; `nil` for no bound.
    ///   - end: The beginnings are before it; `nil` for no bound.
    ///   - limit: The most trips to return, of which the latest are kept; `nil` for all.
    /// - Throws: ``FleetStoreError``.
    public func trips(
        of device: String? = nil, from start: Timestamp? = nil, before end: Timestamp? = nil, limit: Int? = nil
    ) throws(FleetStoreError) -> [FleetTrip] {
        let rows = try run(
            Statement(
                named: "read-trips",
                """
                SELECT trip.id, trip.device, trip.start, trip."end", trip.distance_m, trip.journey FROM waymark.trip
                WHERE ($1::text IS NULL OR trip.device = $1) AND ($2::bigint IS NULL OR trip.start >= $2)
                    AND ($3::bigint IS NULL OR trip.start < $3)
                ORDER BY trip.start DESC, trip.id DESC LIMIT $4::bigint
                """,
                [device, start.map { "\($0.milliseconds)" }, end.map { "\($0.milliseconds)" }, limit.map { "\($0)" }]))
        var trips: [FleetTrip] = []
        for row in rows.values.indices.reversed() {
            trips.append(
                FleetTrip(
                    id: try rows.text(row, 0), device: try rows.text(row, 1), start: try rows.time(row, 2),
                    end: try rows.optional(row, 3) == nil ? nil : rows.time(row, 3),
                    distance: rows.optional(row, 4).flatMap(Double.init).map(Distance.meters),
                    journey: rows.optional(row, 5)))
        }
        return trips
    }

    /// Returns the time of the last accepted fix of each device that has one.
    ///
    /// - Throws: ``FleetStoreError``.
    public func lastTimes() throws(FleetStoreError) -> [String: Timestamp] {
        let rows = try run(
            Statement(
                named: "last-times",
                "SELECT device.name, device.last_time FROM waymark.device WHERE device.last_time IS NOT NULL", []))
        var times: [String: Timestamp] = [:]
        for row in rows.values.indices { times[try rows.text(row, 0)] = try rows.time(row, 1) }
        return times
    }
}

extension Rows {
    /// Returns a text of a row; `nil` for NULL.
    func optional(_ row: Int, _ column: Int) -> String? {
        guard row < values.count, column < values[row].count else { return nil }
        return values[row][column]
    }

    /// Returns a time of a row, which is in milliseconds.
    ///
    /// - Throws: ``FleetStoreError`` if there is none, or it is out of range.
    func time(_ row: Int, _ column: Int) throws(FleetStoreError) -> Timestamp {
        guard let time = Timestamp(exactly: try number(row, column)) else {
            throw FleetStoreError(.damaged, "a time in the database is out of range")
        }
        return time
    }
}
#endif
