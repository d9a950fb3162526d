public import GRDB
import Geodesy
public import Positioning

extension Travels {
    /// Calls `body` with each point of a trip's trace in the order of time, as long as it returns true.
    ///
    /// See ``LocationDatabase/forEachPoint(ofTrip:_:)`` for how exact a point is.
    ///
    /// - Parameters:
    ///   - time: only later points.
    ///   - limit: at most so many points.
    /// - Returns: whether there is such a trip.
    @discardableResult
    public static func forEachPoint(
        ofTrip id: String, after time: Timestamp? = nil, limit: Int = .max, in db: Database,
        _ body: (Fix) throws -> Bool
    ) throws -> Bool {
        guard let trip = try Row.fetchOne(db, sql: "SELECT number, start FROM trip WHERE id = ?", arguments: [id])
        else { return false }
        let number: Int64 = trip[0]
        let start = Timestamp(milliseconds: trip[1])
        let selection = try db.cachedStatement(
            sql: """
                SELECT trace.time, lat_e7, lon_e7, alt_dm, speed_cmps, track_ddeg, accuracy_m,
                    trace_gap.time IS NOT NULL
                FROM trace LEFT JOIN trace_gap ON trace_gap.trip = trace.trip AND trace_gap.time = trace.time
                WHERE trace.trip = ? AND trace.time > ? ORDER BY trace.time LIMIT ?
                """)
        let earlier = time?.milliseconds(since: start) ?? .min
        let rows = try Row.fetchCursor(selection, arguments: [number, earlier, limit])
        while let row = try rows.next() {
            let point = TracePoint(
                time: row[0], latitudeE7: row[1], longitudeE7: row[2], altitude: row[3], speed: row[4],
                track: row[5], accuracy: row[6], gap: row[7])
            guard let fix = point.fix(since: start) else { throw LocationDatabase.noPlace }
            guard try body(fix) else { break }
        }
        return true
    }
}

extension LocationDatabase {
    /// Calls `body` with each point of a trip's trace in the order of time, as long as it returns true.
    ///
    /// A fix to which the way is not known begins a segment. Time is exact and places are to 1e-7 degrees; heights
    /// are to 0.1 m, speeds to 0.01 m/s, courses to 0.1 degrees, and accuracies to the next whole metre. Memory does
    /// not grow with the trace. The store's write-ahead log cannot shrink while this runs, so that a slow caller
    /// rather takes ``trace(ofTrip:after:limit:)``.
    ///
    /// - Returns: whether there is such a trip.
    @discardableResult
    public func forEachPoint(ofTrip id: String, _ body: (Fix) throws -> Bool) throws -> Bool {
        try read { try Travels.forEachPoint(ofTrip: id, in: $0, body) }
    }

    /// At most `limit` points of a trip's trace later than a time, in order; none where there is no such trip.
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
