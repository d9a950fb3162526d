public import GRDB
import Geodesy
public import Time
public import Tracking

/// A trip's stored numbers beside those that the present algorithm computes.
public struct TripRecomputation: Hashable, Sendable {
    /// The trip as it is stored.
    public var stored: RecordedTrip
    /// The trip's summary as the present algorithm computes it.
    public var found: TripSummary

    /// Whether the two differ by more than what rounding points to whole units explains.
    public var differs: Bool { !stored.summary.isClose(to: found) }
}

extension TripEditing {
    /// Recomputes the numbers of a trip from the points it shows, without storing them.
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

    /// Recomputes the numbers of a trip from the points it shows, and stores them if they differ.
    ///
    /// - Returns: The numbers, and the revision; `nil` if they do not differ.
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
    /// Whether the numbers agree, except for what rounding to the units of the store explains.
    ///
    /// Heights are stored to 0.1 m, and their errors add up with each turn up or down. Speeds are stored to 0.01 m/s.
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
    /// The edges that the store keeps.
    fileprivate var edges: [Int32] { [southE7, westE7, northE7, eastE7] }
}
