public import GPX
public import Geodesy
public import Positioning
import Service
package import Tracking

/// A stop as a GPX document of exported trips has it, so that it is there again when the document is imported.
///
/// A trace has no points at rest, and from what is left the stops cannot be found again. So each stop is two
/// waypoints at its place, of the types `stop.start` and `stop.end`, whose time is that of the arrival and of the
/// departure, and whose description is the name of the trip's track.
public struct ExportedStop: Hashable, Sendable {
    /// When it began.
    public var start: Timestamp
    /// When it ended.
    public var end: Timestamp
    /// Where it was.
    public var place: Coordinate

    /// What such a document is called, by which an import knows that its tracks are trips.
    public static let documentName = "Trips of Waymark"

    private static let arrival = "stop.start"
    private static let departure = "stop.end"

    /// The waypoints of a stop that has ended.
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

    /// The stops of a document, by the names of their tracks, as its waypoints come.
    public struct Collection: Sendable {
        /// The most stops of a document: more than a lifetime of trips has, in some 10 MB.
        public static let most = 100_000

        private var stops: [String: [ExportedStop]] = [:]
        private var count = 0
        private var begun: GPXPoint?

        /// Without any yet.
        public init() {}

        /// Takes the next waypoint; what is no end of a stop is none of this.
        public mutating func take(_ point: GPXPoint) {
            defer { begun = point.category == arrival ? point : nil }
            guard point.category == departure, let begun, let id = begun.description, point.description == id,
                let start = begun.time, let end = point.time, start < end, count < Self.most
            else { return }
            stops[id, default: []].append(ExportedStop(start: start, end: end, place: begun.coordinate))
            count += 1
        }

        /// The stops on the trip of a track.
        public subscript(track: String) -> [ExportedStop] { stops[track] ?? [] }
    }
}
