import GRDB
import Geodesy
import Positioning
import Service
import Store
import Tracking

extension Travels {
    /// Calls `body` with each point of a trip's trace that is kept at a tolerance, in the order of time, as long as it
    /// returns true.
    ///
    /// After the time of a point that is kept, the same points follow as if the trace were read from its beginning.
    ///
    /// - Parameters:
    ///   - time: only later points.
    ///   - tolerance: see `TraceSimplifier`; 0 keeps all.
    /// - Returns: whether there is such a trip.
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
        // The point of that time is where the way goes on from.
        let isThere = try forEachPoint(ofTrip: id, after: time?.advanced(byMilliseconds: -1), in: db) { fix in
            simplifier.take(fix, into: &kept)
            try give()
            return goesOn
        }
        simplifier.finish(into: &kept)
        try give()
        return isThere
    }
}
