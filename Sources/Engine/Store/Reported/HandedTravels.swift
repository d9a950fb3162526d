public import GRDB
public import Geodesy
public import Positioning
public import Time
public import Tracking

/// Trips and stops that another machine has recorded and hands over, within the caller's transaction.
///
/// The machine's numbers of a trip are kept. A trip that people have changed here stays as they left it. The same once
/// more changes nothing.
public enum HandedTravels {
    /// Writes a trip that has begun.
    ///
    /// Another trip that the device left open is ended at its last point.
    ///
    /// - Parameter policy: The settings to store with the trip.
    public static func begin(_ trip: TripSummary, policy: TrackingPolicy, in db: Database) throws {
        guard try Travels.trip(id: trip.id, in: db) == nil else { return }
        var writer = try TravelWriter(db, knowing: KnownDevices(), policy: policy)
        _ = try writer.write([.tripBegan(trip)], ofDevice: trip.device)
    }

    /// Writes the times and numbers of a trip that has ended, and adds the trip if it is not in the store.
    ///
    /// What is known from its points only, such as its heights, stays as it is until ``endTrace(of:revision:now:in:)``.
    ///
    /// - Parameters:
    ///   - revision: The number of changes that were made to the trip where it was recorded.
    ///   - policy: The settings to store with a trip that is added.
    public static func end(
        _ trip: TripSummary, revision: Int, policy: TrackingPolicy, in db: Database
    ) throws {
        guard let end = trip.end else { return }
        if try Travels.trip(id: trip.id, in: db) == nil {
            // Another trip of the device may go on.
            try Travels.vacate(trip.id, in: db)
            try db.execute(
                sql: """
                    INSERT INTO trip (id, device, start, "end", algorithm, settings) VALUES (?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    trip.id, try Devices.add(trip.device, to: db), trip.start.milliseconds, end.milliseconds,
                    TrackingPolicy.algorithm, try StoredJSON.encode(policy),
                ])
        }
        guard let number = try number(ofUnchanged: trip.id, in: db),
            var recorded = try Travels.trip(id: trip.id, in: db)
        else { return }
        try recorded.adopt(trip, revision: revision, tracedAs: recorded.summary, number, in: db)
    }

    /// Removes a trip whose points another trip shows where it was recorded.
    public static func remove(trip id: String, in db: Database) throws {
        guard try number(ofUnchanged: id, in: db) != nil else { return }
        _ = try Travels.retire(trip: id, in: db)
    }

    /// Writes a stop, in place of an earlier version of it.
    public static func write(_ stop: StopSummary, in db: Database) throws {
        let writer = try TravelWriter(db, knowing: KnownDevices(), policy: TrackingPolicy())
        try writer.write(stop, ofDevice: try Devices.add(stop.device, to: db))
    }

    /// Notes where a device was, unless a later place of it is known.
    public static func note(_ device: String, at time: Timestamp, _ place: Coordinate, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                UPDATE device SET last_time = :time, last_lat_e7 = :latitude, last_lon_e7 = :longitude
                WHERE device.name = :name AND (device.last_time IS NULL OR device.last_time < :time)
                """
        ).execute(arguments: [
            "time": time.milliseconds, "latitude": place.latitudeE7, "longitude": place.longitudeE7, "name": device,
        ])
    }

    // MARK: Traces

    /// Writes a part of the trace of a trip that has ended, in place of what is stored between its ends.
    ///
    /// So a trace that comes anew never has fewer points than the old one, except where the new one has none.
    ///
    /// - Parameters:
    ///   - earlier: The time of the last point of the part before; `nil` for the first part.
    ///   - points: The points after it, in order of time.
    ///   - isLast: Whether no part follows, so that all later points go.
    /// - Returns: Whether there is such a trip that nobody has changed here.
    /// - Complexity: O(*k* log *n*) for *k* old and new points of the part among *n*.
    public static func writeTrace(
        ofTrip id: String, after earlier: Timestamp?, _ points: [Fix], isLast: Bool, in db: Database
    ) throws -> Bool {
        guard let number = try number(ofUnchanged: id, in: db), var origin = try origin(of: number, in: db) else {
            return false
        }
        if earlier == nil, let first = points.first?.time, first < origin {
            // The times of all points are counted from the first.
            try remove(from: nil, to: nil, of: number, in: db)
            try db.execute(
                sql: "UPDATE trip SET recorded = NULL, start = ? WHERE trip.number = ?",
                arguments: [first.milliseconds, number])
            origin = first
        }
        let last = points.last?.time ?? earlier
        try remove(
            from: earlier.map { $0.milliseconds(since: origin) + 1 },
            to: isLast ? nil : last?.milliseconds(since: origin), of: number, in: db)
        let writer = try TraceWriter(db)
        for fix in points {
            guard let point = TracePoint(fix, since: origin, gap: fix.beginsSegment) else { continue }
            try writer.write(point, ofTrip: number)
        }
        return true
    }

    /// Ends the trace of a trip: what is known from its points only is computed, and its numbers become those given.
    ///
    /// - Parameters:
    ///   - trip: The trip with the numbers that it has where it was recorded.
    ///   - revision: The number of changes that were made to it there.
    ///   - now: The time of the event.
    /// - Returns: The event to append to the log in the same transaction; `nil` if there is no such trip that nobody has
    ///   changed here, or if it has no points.
    /// - Complexity: O(*n*) for *n* points.
    public static func endTrace(
        of trip: TripSummary, revision: Int, now: Timestamp, in db: Database
    ) throws -> EventRecord? {
        guard trip.end != nil, let number = try number(ofUnchanged: trip.id, in: db),
            let origin = try origin(of: number, in: db), var recorded = try Travels.trip(id: trip.id, in: db)
        else { return nil }
        let parts = try TripPart.all(ofTrip: number, origin: origin, in: db).within(.min, .max, in: db)
        guard !parts.isEmpty else { return nil }
        var traced = recorded.summary
        try traced.show(parts, in: db)
        try recorded.adopt(trip, revision: revision, tracedAs: traced, number, in: db)
        return EventRecord(recorded, by: .late, at: now, into: nil)
    }

    /// Returns the number of a trip that nobody has merged, split or cut here; `nil` if there is none.
    private static func number(ofUnchanged id: String, in db: Database) throws -> Int64? {
        try StoredRow.integer(
            db.cachedStatement(
                sql: """
                    SELECT trip.number FROM trip WHERE trip.id = ? AND trip.hidden = 0
                        AND NOT EXISTS (SELECT 1 FROM trip_part WHERE trip_part.trip = trip.number)
                        AND NOT EXISTS (SELECT 1 FROM trip_part WHERE trip_part.source = trip.number)
                    """), arguments: [id])
    }

    /// Returns the time from which the times of a trip's points are counted.
    private static func origin(of number: Int64, in db: Database) throws -> Timestamp? {
        try StoredRow.integer(
            db.cachedStatement(sql: "SELECT coalesce(trip.recorded, trip.start) FROM trip WHERE trip.number = ?"),
            arguments: [number]
        ).map { Timestamp(milliseconds: $0) }
    }

    private static func remove(from first: Int64?, to last: Int64?, of number: Int64, in db: Database) throws {
        let (first, last) = (first ?? .min, last ?? .max)
        let keys = TraceKeys(trip: number).range(from: first, to: last)
        try db.cachedStatement(sql: "DELETE FROM trace WHERE trace.key BETWEEN ? AND ?")
            .execute(arguments: [keys.least, keys.greatest])
        try db.cachedStatement(sql: "DELETE FROM trace_gap WHERE trace_gap.trip = ? AND trace_gap.time BETWEEN ? AND ?")
            .execute(arguments: [number, first, last])
    }
}

extension RecordedTrip {
    /// Writes the numbers of a trip that was handed over, with what only its points tell.
    fileprivate mutating func adopt(
        _ trip: TripSummary, revision: Int, tracedAs traced: TripSummary, _ number: Int64, in db: Database
    ) throws {
        let kind = summary.kind
        summary = trip
        summary.kind = kind
        summary.gaps = traced.gaps
        summary.bridged = traced.bridged
        summary.climb = traced.climb
        summary.descent = traced.descent
        summary.bounds = traced.bounds
        self.revision = revision
        try update(number, in: db)
    }
}
