import GRDB
import Geodesy
import Positioning
import Service
import Store
import Time
import Tracking

extension Travels {
    /// Calls `body` with each point of a trip's simplified trace in order of time, until `body` returns false.
    ///
    /// Reading from the time of a kept point on yields the same points as reading the trace from its beginning.
    ///
    /// - Parameters:
    ///   - time: The time after which points are passed; the default is all points.
    ///   - tolerance: The tolerance of `TraceSimplifier`; 0 keeps all points.
    /// - Returns: Whether the trip exists.
    @discardableResult
    static func forEachPoint(
        ofTrip id: String, after time: Timestamp? = nil, tolerance: Distance, in db: Database,
        _ body: (Fix) throws -> Bool
    ) throws -> Bool {
        var simplifier = TraceSimplifier(tolerance: tolerance)
        var kept: [Fix] = []
        var goesOn = true
        func give() throws {
            for fix in kept where goesOn && (time == nil || fix.time != time) { goesOn = try body(fix) }
            kept.removeAll(keepingCapacity: true)
        }
        // The simplifier needs the point at `time` as the start of its first line.
        let isThere = try forEachPoint(ofTrip: id, after: time?.advanced(byMilliseconds: -1), in: db) { fix in
            simplifier.add(fix, into: &kept)
            try give()
            return goesOn
        }
        simplifier.finish(into: &kept)
        try give()
        return isThere
    }
}
