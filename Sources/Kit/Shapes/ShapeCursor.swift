public import Geodesy

/// Asks one shape about places that follow each other, such as the fixes of one device.
///
/// The cursor saves most of the searches in three ways. A place that is nearer to the last one than the boundary was
/// cannot have crossed it. Near the boundary the cursor remembers the few nearest arcs: while no other arc can be nearer, a
/// place is compared with these alone. And between two such places it counts the arcs that the way crosses, instead of
/// asking the whole outline which of them are inside. So a query beside an outline of 100,000 vertices costs about as much
/// as one beside a small polygon. Within the margin the answers are exactly those of ``Shape/standing(_:at:)``.
///
/// A cursor belongs to one shape. Create a new one when the shape is replaced.
public struct ShapeCursor: Sendable {
    /// The numbers of the nearest arcs.
    private var arcs = InlineArray<12, Int32>(repeating: 0)
    private var count = 0
    /// The place around which the arcs are complete, and how far, in metres.
    private var middle = UnitVector(.origin)
    private var known = -1.0
    /// The last place that was answered exactly, and the answer.
    private var last: (here: UnitVector, standing: Shape.Standing)?
    /// Whether the last answer was exact beyond the margin as well.
    public private(set) var isExact = false
    /// The winding number of the last place, unless an arc is so near that it is uncertain.
    private var winding: Int?
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

    /// The longest way along which crossings are counted, in metres: so short that all of it and what it crosses is on one
    /// half of the earth.
    private static let longestWay = 5_000_000.0

    /// Creates a cursor that knows nothing yet.
    public init() {}

    /// Creates the cursor of something that was at a place which is outside of the shape, more than half a metre from it.
    public init(outsideAt place: UnitVector) {
        last = (place, Shape.Standing(isInside: false, gap: 0))
        winding = 0
    }

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
        isExact = false
        if let last {
            left = last.standing.gap - Self.metres(last.here, here) - Self.tolerance
            if left > margin.meters { return Shape.Standing(isInside: last.standing.isInside, gap: left) }
        }
        isExact = true
        let squared = squaredChord(to: here, in: shape)
        let standing =
            shape.kind == .polygon
            ? polygonStanding(place, at: here, in: shape, squaredChord: squared, isSameSide: left > 0)
            : shape.standing(place, at: here, squaredChord: squared)
        last = (here, standing)
        return standing
    }

    private mutating func polygonStanding(
        _ place: Coordinate, at here: UnitVector, in shape: Shape, squaredChord: Double, isSameSide: Bool
    ) -> Shape.Standing {
        let gap = Sphere.distance(squaredChord: squaredChord).meters
        let isCertain = gap > Self.tolerance
        if isSameSide, let last {
            if !isCertain { winding = nil }
            return Shape.Standing(isInside: last.standing.isInside, gap: gap)
        }
        // All arcs that the way can cross are known if both of its ends lie where they are.
        if isCertain, let last, let before = winding, Self.metres(middle, last.here) <= min(known, Self.longestWay),
            Self.metres(last.here, here) <= Self.longestWay
        {
            let number = before + crossings(from: last.here, to: here, in: shape.tree)
            winding = number
            return Shape.Standing(isInside: number > 0, gap: gap)
        }
        let number = shape.windingNumber(of: place)
        winding = isCertain ? number : nil
        return Shape.Standing(isInside: number.map { $0 > 0 } ?? true, gap: gap)
    }

    /// Returns how often the way between two places crosses an arc from its right to its left, less how often it crosses
    /// one from its left to its right.
    ///
    /// The inside of a polygon is on the left of its arcs, so this is how the winding number changes. All arcs that the
    /// way can cross must be known, and be farther than ``tolerance`` from both ends. Then rounding does not matter: two
    /// arcs that meet in a point agree on which side of the way it is.
    private func crossings(from start: UnitVector, to end: UnitVector, in tree: ArcTree) -> Int {
        let way = Normal(start, end)
        var sum = 0
        for index in 0..<count {
            let arc = tree[Int(arcs[index])]
            let (isALeft, isBLeft) = (way.isLeft(arc.a), way.isLeft(arc.b))
            // An arc on the other half of the earth would meet the way's great circle there.
            guard isALeft != isBLeft, start.dot(arc.a) > 0 else { continue }
            let across = Normal(arc.a, arc.b)
            guard across.isLeft(start) != across.isLeft(end) else { continue }
            sum += isALeft ? 1 : -1
        }
        return sum
    }

    /// The great circle from a point through another.
    ///
    /// All is computed from differences, so that points near each other lose no digits.
    private struct Normal {
        private let start: UnitVector
        private let (x, y, z): (Double, Double, Double)

        @inline(__always)
        init(_ a: UnitVector, _ b: UnitVector) {
            start = a
            let (ex, ey, ez) = (b.x - a.x, b.y - a.y, b.z - a.z)
            (x, y, z) = (a.y * ez - a.z * ey, a.z * ex - a.x * ez, a.x * ey - a.y * ex)
        }

        @inline(__always)
        func isLeft(_ point: UnitVector) -> Bool {
            x * (point.x - start.x) + y * (point.y - start.y) + z * (point.z - start.z) > 0
        }
    }

    private static func metres(_ a: UnitVector, _ b: UnitVector) -> Double {
        Sphere.maximumDistance(squaredChord: a.squaredChord(to: b)).meters
    }

    /// Returns the squared chord to the nearest arc.
    private mutating func squaredChord(to here: UnitVector, in shape: Shape) -> Double {
        if known > 0 {
            var squared = 4.1
            for index in 0..<count {
                let arc = shape.tree[Int(arcs[index])]
                squared = min(squared, Arc.squaredChord(arc.a, arc.b, to: here))
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
        (arcs, count) = (found.arcs, found.count)
        middle = here
        // All other arcs are at least as far as the last one; if there is room left, there are no others.
        known =
            found.isFull
            ? Sphere.minimumDistance(squaredChord: found.squares[found.count - 1]).meters : Distance.greatest.meters
        return found.squares[0]
    }
}
