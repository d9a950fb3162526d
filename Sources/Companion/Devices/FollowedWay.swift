import GRDB
import Geodesy
import Positioning
import RPC
import Service
import Store
import Time

/// What a link shows of the trip that is going: some of its points, as many as suit a map.
struct FollowedWay: Sendable {
    /// A point of the way.
    struct Point: Answerable, Sendable {
        var time: Timestamp
        var place: Coordinate
        /// Whether the path to it is unknown.
        var isAfterGap: Bool

        static let shape = AnswerShape<Point>.object {
            Member("time", .time, "The time of the point.") { $0.time }
            Member.place("Degrees north.", "Degrees east.") { $0.place }
            Member.flag("gap", "Whether the path from the previous point is unknown.") { $0.isAfterGap }
        }
    }

    /// The most points.
    static let most = 500

    /// The points, in order of time.
    private(set) var points: [Point] = []
    /// Of how many points one is kept.
    private var step = 1
    private var passed = 0

    /// Creates an empty way.
    init() {}

    /// Reads the points of a trip after a time; none if there is no such trip.
    ///
    /// - Complexity: O(*n*) for *n* points, in constant memory.
    init(ofTrip id: String, after time: Timestamp, in db: Database) throws {
        try Travels.forEachPoint(ofTrip: id, after: time, in: db) { fix in
            add(fix)
            return true
        }
    }

    /// Adds the next point, or leaves it out if there are many.
    ///
    /// The last point may be left out; where the device is shows the end of the way.
    mutating func add(_ fix: Fix) {
        guard let time = fix.time else { return }
        defer { passed = passed &+ 1 }
        guard fix.beginsSegment || passed.isMultiple(of: step) else { return }
        points.append(Point(time: time, place: fix.coordinate, isAfterGap: fix.beginsSegment))
        guard points.count > Self.most else { return }
        step = step &* 2
        let kept = points.enumerated().filter { $0.offset.isMultiple(of: 2) || $0.element.isAfterGap }.map(\.element)
        // Only a way full of gaps is still too long, of which the end is worth the most.
        points = kept.suffix(Self.most)
    }
}
