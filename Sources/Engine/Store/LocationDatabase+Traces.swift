public import GRDB
import Geodesy
public import Positioning
public import Time

extension Travels {
    /// Calls `body` with each point that a trip shows, in order of time, until it returns `false`.
    ///
    /// These are the points of the trip's trace, or the parts that people have made of it; see ``TripEditing``. See
    /// ``LocationDatabase/forEachPoint(ofTrip:_:)`` for the precision of a point.
    ///
    /// - Parameters:
    ///   - time: Only later points are visited.
    ///   - limit: The most points to visit.
    /// - Returns: Whether there is such a trip.
    @discardableResult
    public static func forEachPoint(
        ofTrip id: String, after time: Timestamp? = nil, limit: Int = .max, in db: Database,
        _ body: (Fix) throws -> Bool
    ) throws -> Bool {
        let selection = try db.cachedStatement(
            sql: "SELECT number, coalesce(recorded, start) FROM trip WHERE id = ? AND hidden = 0")
        guard let trip = try StoredRow.fetchOne(selection, arguments: [id]) else { return false }
        let parts = try TripPart.all(ofTrip: trip[0], origin: Timestamp(milliseconds: trip[1]), in: db)
        try forEachPoint(of: parts, after: time, limit: limit, in: db, body)
        return true
    }

    /// Calls `body` with each point of some parts in their order, until it returns `false`.
    static func forEachPoint(
        of parts: [TripPart], after time: Timestamp? = nil, limit: Int = .max, in db: Database,
        _ body: (Fix) throws -> Bool
    ) throws {
        let selection = try db.cachedStatement(
            sql: """
                SELECT trace.time, lat_e7, lon_e7, alt_dm, speed_cmps, track_ddeg, accuracy_m,
                    trace_gap.time IS NOT NULL
                FROM trace LEFT JOIN trace_gap ON trace_gap.trip = trace.trip AND trace_gap.time = trace.time
                WHERE key BETWEEN ? AND ? ORDER BY key LIMIT ?
                """)
        var left = limit
        for part in parts where left > 0 {
            let earliest = max(part.first, time.map { $0.milliseconds(since: part.origin) + 1 } ?? .min)
            let keys = TraceKeys(trip: part.source).range(from: earliest, to: part.last)
            let rows = try StoredRow.fetchCursor(selection, arguments: [keys.least, keys.greatest, left])
            while let row = try rows.next() {
                let point = TracePoint(
                    time: row[0], latitudeE7: row[1], longitudeE7: row[2], altitude: row[3], speed: row[4],
                    track: row[5], accuracy: row[6], gap: row[7] || part.gap && row[0] == part.first)
                guard let fix = point.fix(since: part.origin) else { throw LocationDatabase.noPlace }
                left -= 1
                guard try body(fix) else { return }
            }
        }
    }
}

extension LocationDatabase {
    /// Calls `body` with each point of a trip's trace, in order of time, until it returns `false`.
    ///
    /// A fix begins a segment if the path to it is unknown. Times are exact, and places are precise to 1e-7 degrees.
    /// Heights are rounded to 0.1 m, speeds to 0.01 m/s, courses to 0.1 degrees, and accuracies up to the next metre.
    /// Memory does not grow with the trace. The store's write-ahead log cannot shrink while this runs; a slow caller
    /// should use ``trace(ofTrip:after:limit:)``.
    ///
    /// - Returns: Whether there is such a trip.
    @discardableResult
    public func forEachPoint(ofTrip id: String, _ body: (Fix) throws -> Bool) throws -> Bool {
        try read { try Travels.forEachPoint(ofTrip: id, in: $0, body) }
    }

    /// Returns at most `limit` points of a trip's trace after a time, in order; none if there is no such trip.
    public func trace(ofTrip id: String, after time: Timestamp? = nil, limit: Int) throws -> [Fix] {
        var fixes: [Fix] = []
        _ = try read { db in
            try Travels.forEachPoint(ofTrip: id, after: time, limit: limit, in: db) { fix in
                fixes.append(fix)
                return true
            }
        }
        return fixes
    }
}
