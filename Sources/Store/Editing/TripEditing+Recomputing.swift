public import GRDB
import Geodesy
public import Positioning
public import Tracking

/// What a trip would be by the present algorithm.
public struct TripRecomputation: Hashable, Sendable {
    /// As it is stored.
    public var stored: RecordedTrip
    /// As it would be.
    public var found: TripSummary

    /// Whether there is more between them than is lost where points are stored in whole units.
    public var differs: Bool { !stored.summary.isClose(to: found) }
}

extension TripEditing {
    /// Finds the numbers of a trip anew from the points it shows, and changes nothing.
    ///
    /// - Complexity: O(*n*) for *n* points.
    /// - Throws: ``TripEditError``.
    public static func recomputation(of id: String, in db: Database) throws -> TripRecomputation {
        let trip = try EditedTrip(id: id, in: db)
        return try recomputation(of: trip, in: db)
    }

    private static func recomputation(of trip: EditedTrip, in db: Database) throws -> TripRecomputation {
        var found = trip.recorded.summary
        try found.count(trip.parts, in: db)
        return TripRecomputation(stored: trip.recorded, found: found)
    }

    /// Finds the numbers of a trip anew from the points it shows, and stores those that differ.
    ///
    /// - Returns: nil where they do not.
    /// - Throws: ``TripEditError``.
    public static func recompute(
        _ id: String, now: Timestamp, in db: Database
    ) throws -> (TripRecomputation, TripRevision?) {
        let trip = try EditedTrip(id: id, in: db)
        let recomputation = try recomputation(of: trip, in: db)
        guard recomputation.differs else { return (recomputation, nil) }
        var edit = try TripEdit(.recompute, now: now, in: db)
        try edit.revise(trip, keepingPartsTo: recomputation.found)
        return (recomputation, edit.finish())
    }
}

extension TripSummary {
    /// Whether the numbers are the same, but for what is lost where points are stored in whole units: heights are to
    /// 0.1 m, which adds up with each turn, speeds to 0.01 m/s.
    fileprivate func isClose(to other: TripSummary) -> Bool {
        func isClose(_ value: Double?, _ other: Double?, within limit: Double, relative: Double = 0) -> Bool {
            guard let value, let other else { return (value == nil) == (other == nil) }
            return abs(value - other) <= limit + relative * max(value, other)
        }
        return fixes == other.fixes && stops == other.stops && bounds?.edges == other.bounds?.edges
            && isClose(distance.meters, other.distance.meters, within: 0.05)
            && isClose(gaps.meters, other.gaps.meters, within: 0.05)
            && isClose(bridged.meters, other.bridged.meters, within: 0.05)
            && isClose(stopped, other.stopped, within: 0.0005)
            && isClose(maximumSpeed?.metersPerSecond, other.maximumSpeed?.metersPerSecond, within: 0.0051)
            && isClose(climb?.meters, other.climb?.meters, within: 1, relative: 0.01)
            && isClose(descent?.meters, other.descent?.meters, within: 1, relative: 0.01)
    }
}

extension TraceBounds {
    /// What is kept of it.
    fileprivate var edges: [Int32] { [southE7, westE7, northE7, eastE7] }
}
