import Geodesy
import Positioning
import TestSupport
import Time
import Tracking

/// A recording, and a copy with more fixes on its legs, which lie on the great circle at even speed.
struct LegFiller {
    /// The fixes of the recording.
    let sparse: [Fix]
    /// The same fixes with others between them.
    private(set) var dense: [Fix] = []

    /// Puts up to `most` fixes on each leg that counts as travelled.
    init(_ fixes: [Fix], most: Int = 4, _ random: inout SeededGenerator) {
        sparse = fixes
        var before: Fix?
        for fix in fixes {
            defer { before = fix }
            if let before, !fix.beginsSegment, let start = before.time, let end = fix.time,
                end.seconds(since: start) <= TrackingPolicy.longestLegTime,
                Sphere.distance(from: before.coordinate, to: fix.coordinate) < TrackingPolicy.longestLeg
            {
                let span = end.milliseconds(since: start)
                let count = Int.random(in: 0...most, using: &random)
                let moments = Set((0..<count).map { _ in Int64.random(in: 0...span, using: &random) })
                for moment in moments.sorted() where moment > 0 && moment < span {
                    var between = before
                    between.beginsSegment = false
                    between.time = start.advanced(byMilliseconds: moment)
                    between.coordinate = Self.point(
                        from: before.coordinate, to: fix.coordinate, at: Double(moment) / Double(span))
                    dense.append(between)
                }
            }
            dense.append(fix)
        }
    }

    private static func point(from start: Coordinate, to end: Coordinate, at fraction: Double) -> Coordinate {
        // Legs are so short that dividing the chord divides the arc accurately enough.
        let (a, b) = (UnitVector(start), UnitVector(end))
        let point = UnitVector(
            towardsX: a.x + fraction * (b.x - a.x), y: a.y + fraction * (b.y - a.y), z: a.z + fraction * (b.z - a.z))
        return point.map { Coordinate($0) } ?? start
    }

    /// Returns the leg of a moment: the index of the recording's fix at its end.
    func leg(of time: Timestamp) -> Int {
        var (low, high) = (0, sparse.count)
        while low < high {
            let middle = (low + high) / 2
            if let end = sparse[middle].time, end >= time { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
