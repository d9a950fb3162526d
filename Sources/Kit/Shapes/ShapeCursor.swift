public import Geodesy

/// Asks one shape about places that follow each other, such as the fixes of one device.
///
/// The cursor saves most of the searches in two ways. A place that is nearer to the last one than the boundary was cannot
/// have crossed it. And near the boundary it remembers the few nearest arcs: while no other arc can be nearer, a place is
/// compared with these alone. So a query beside an outline of 100,000 vertices costs about as much as one beside a small
/// polygon. Within the margin the answers are exactly those of ``Shape/standing(_:at:)``.
///
/// A cursor belongs to one shape. Create a new one when the shape is replaced.
public struct ShapeCursor: Sendable {
    private var arcs = InlineArray<12, Arc>(repeating: Arc(a: UnitVector(.origin), b: UnitVector(.origin)))
    private var count = 0
    /// The place around which the arcs are complete, and how far, in metres.
    private var middle = UnitVector(.origin)
    private var known = -1.0
    /// The last place that was answered exactly, and the answer.
    private var last: (here: UnitVector, standing: Shape.Standing)?
    /// The number of answers since the arcs were collected.
    private var served = 0
    /// The number of searches until arcs are collected again, and after the next collection in vain.
    private var (pause, nextPause) = (0, 0)

    /// The least number of answers from collected arcs for which collecting pays.
    private static let worthwhile = 3
    /// The most searches in a row without collecting.
    private static let longestPause = 32
    /// More than an edge and its arcs are apart, twice, in metres.
    private static let tolerance = 0.5

    /// Creates a cursor that knows nothing yet.
    public init() {}

    /// Returns whether a place is inside, and how far from the boundary.
    ///
    /// - Parameters:
    ///   - shape: the same shape as in the calls before.
    ///   - here: the place as a vector.
    ///   - margin: the distance to the boundary up to which the answer must be exact. Beyond it, ``Shape/Standing/gap`` may
    ///     be less than the distance, but is greater than the margin.
    /// - Complexity: O(1) for most places near the one before, otherwise as the shape's. Nothing is allocated.
    public mutating func standing(
        _ place: Coordinate, at here: UnitVector, in shape: Shape, exactWithin margin: Distance = .greatest
    ) -> Shape.Standing {
        guard shape.kind != .circle else { return shape.standing(place, at: here) }
        var left = -1.0
        if let last {
            left = last.standing.gap - Self.metres(last.here, here) - Self.tolerance
            if left > margin.meters { return Shape.Standing(isInside: last.standing.isInside, gap: left) }
        }
        let squared = squaredChord(to: here, in: shape)
        let standing: Shape.Standing
        if left > 0, shape.kind == .polygon, let last {
            let gap = Sphere.distance(squaredChord: squared).meters
            standing = Shape.Standing(isInside: last.standing.isInside, gap: gap)
        } else {
            standing = shape.standing(place, at: here, squaredChord: squared)
        }
        last = (here, standing)
        return standing
    }

    private static func metres(_ a: UnitVector, _ b: UnitVector) -> Double {
        Sphere.maximumDistance(squaredChord: a.squaredChord(to: b)).meters
    }

    /// Returns the squared chord to the nearest arc.
    private mutating func squaredChord(to here: UnitVector, in shape: Shape) -> Double {
        if known > 0 {
            var squared = 4.1
            for index in 0..<count {
                squared = min(squared, Arc.squaredChord(arcs[index].a, arcs[index].b, to: here))
            }
            if Sphere.maximumDistance(squaredChord: squared).meters <= known - Self.metres(middle, here) {
                served += 1
                return squared
            }
            nextPause = served < Self.worthwhile ? min(Self.longestPause, 2 * nextPause + 1) : 0
            (pause, known, served) = (nextPause, -1, 0)
        }
        guard pause == 0 else {
            pause -= 1
            return shape.tree.nearest(to: here).squaredChord
        }
        let found = shape.tree.nearestFew(to: here)
        for index in 0..<found.count { arcs[index] = shape.tree.arcs[Int(found.arcs[index])] }
        count = found.count
        middle = here
        // All other arcs are at least as far as the last one; if there is room left, there are no others.
        known =
            found.isFull
            ? Sphere.minimumDistance(squaredChord: found.squares[found.count - 1]).meters : Distance.greatest.meters
        return found.squares[0]
    }
}
