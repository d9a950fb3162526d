public import GPX
public import Geodesy
import Service
public import Time
package import Tracking

/// A stop in a GPX document of exported trips, from which an import restores it.
///
/// A trace has no points at rest, and an import cannot find the stops in the points that remain. The export therefore
/// writes each stop as two waypoints at its place. Their types are `stop.start` and `stop.end`, their times those of
/// the arrival and the departure, and their description is the name of the trip's track.
public struct ExportedStop: Hashable, Sendable {
    /// The time of the arrival.
    public var start: Timestamp
    /// The time of the departure.
    public var end: Timestamp
    /// The place of the stop.
    public var place: Coordinate

    /// The name of such a document.
    ///
    /// An import recognises by it that the tracks are trips.
    public static let documentName = "Trips of Waymark"

    private static let arrival = "stop.start"
    private static let departure = "stop.end"

    /// Returns the two waypoints of a stop; none if it has not ended.
    package static func waypoints(of stop: StopSummary, onTrip id: String) -> [GPXPoint] {
        guard let end = stop.end else { return [] }
        return [(arrival, stop.start), (departure, end)].map { category, time in
            var point = GPXPoint(stop.place)
            point.time = time
            point.description = id
            point.category = category
            return point
        }
    }

    /// The stops of a document, by the names of their tracks, collected as its waypoints are read.
    public struct Collection: Sendable {
        /// The largest number of stops of a document: more than a lifetime of trips has, in some 10 MB.
        public static let maximumCount = 100_000

        private var stops: [String: [ExportedStop]] = [:]
        private var count = 0
        private var begun: GPXPoint?

        /// Creates an empty collection.
        public init() {}

        /// Reads the next waypoint.
        ///
        /// A waypoint that is neither end of a stop is ignored.
        public mutating func add(_ point: GPXPoint) {
            defer { begun = point.category == arrival ? point : nil }
            guard point.category == departure, let begun, let id = begun.description, point.description == id,
                let start = begun.time, let end = point.time, start < end, count < Self.maximumCount
            else { return }
            stops[id, default: []].append(ExportedStop(start: start, end: end, place: begun.coordinate))
            count += 1
        }

        /// The stops on the trip of a track.
        public subscript(track: String) -> [ExportedStop] { stops[track] ?? [] }
    }
}
