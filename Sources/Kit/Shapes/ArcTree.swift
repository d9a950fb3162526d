import Geodesy

/// A flat tree over the arcs of a boundary or of lines, in the order in which they are drawn.
///
/// Consecutive arcs are near each other, so every sixteen of them share a box, and so on upwards; nothing is sorted. The
/// boxes have single precision and are rounded outward, and the arcs themselves are tested exactly.
///
/// An arc is known by the number of its first point, and goes from there to the next point. Between the last point of one
/// path and the first of the next there is none. So an arc takes 24 bytes, and its share of the boxes as many.
struct ArcTree {
    private var points: ContiguousArray<UnitVector> = []
    /// The last point of each path, in order, from which no arc goes.
    private var ends: ContiguousArray<Int> = []
    /// The number of arcs.
    let count: Int
    private var nodes: ContiguousArray<BoxLanes> = []
    /// The first node of each level, the leaves first.
    private var levels: ContiguousArray<Int> = []
    /// The box of everything; `nil` for a tree without arcs.
    let bounds: Box?

    /// Creates the tree.
    ///
    /// - Complexity: O(*n*).
    init(_ arcs: ContiguousArray<Arc>) {
        count = arcs.count
        var boxes: ContiguousArray<Box?> = []
        points.reserveCapacity(arcs.count + 1)
        boxes.reserveCapacity(arcs.count + 1)
        var end: UnitVector?
        for arc in arcs {
            if let end, end != arc.a {
                ends.append(points.count)
                points.append(end)
                boxes.append(nil)
            }
            points.append(arc.a)
            boxes.append(arc.box)
            end = arc.b
        }
        if let end {
            ends.append(points.count)
            points.append(end)
        }
        while boxes.count > 1 || (levels.isEmpty && boxes.count == 1) {
            levels.append(nodes.count)
            var above: ContiguousArray<Box?> = []
            for first in stride(from: 0, to: boxes.count, by: BoxLanes.count) {
                var lanes = BoxLanes()
                var union: Box?
                for (lane, box) in boxes[first..<min(first + BoxLanes.count, boxes.count)].enumerated() {
                    guard let box else { continue }
                    lanes.set(lane, to: box)
                    union = union?.union(box) ?? box
                }
                nodes.append(lanes)
                above.append(union)
            }
            boxes = above
        }
        bounds = boxes.first ?? nil
    }

    /// The arc with a number that a search or ``forEach(meeting:_:)`` gave.
    @inline(__always)
    subscript(number: Int) -> Arc { Arc(a: points[number], b: points[number + 1]) }

    /// Calls `body` with every arc.
    func forEach(_ body: (Arc) -> Void) {
        var first = 0
        for end in ends {
            for number in first..<end { body(self[number]) }
            first = end + 1
        }
    }

    /// The nearest arc to a point.
    struct Nearest: ArcSearch {
        /// The number of the arc; -1 if there is none within the limit.
        private(set) var arc = -1
        private(set) var squaredChord: Double
        private(set) var reach: Float

        fileprivate init(within squaredLimit: Double) {
            squaredChord = squaredLimit
            reach = Float(squaredLimit).nextUp
        }

        @inline(__always)
        mutating func visit() {}

        @inline(__always)
        mutating func consider(_ square: Double, _ arc: Int) {
            guard square < squaredChord else { return }
            (self.arc, squaredChord, reach) = (arc, square, Float(square).nextUp)
        }
    }

    /// The twelve nearest arcs to a point, nearest first.
    struct NearestFew: ArcSearch {
        private(set) var squares = InlineArray<12, Double>(repeating: 4.1)
        private(set) var arcs = InlineArray<12, Int32>(repeating: -1)
        private(set) var count = 0
        var reach: Float { isFull ? Float(squares[11]).nextUp : .greatestFiniteMagnitude }

        var isFull: Bool { count == 12 }

        fileprivate init() {}

        @inline(__always)
        mutating func visit() {}

        @inline(__always)
        mutating func consider(_ square: Double, _ arc: Int) {
            guard !isFull || square < squares[11] else { return }
            var at = isFull ? 11 : count
            if !isFull { count += 1 }
            while at > 0, squares[at - 1] > square {
                squares[at] = squares[at - 1]
                arcs[at] = arcs[at - 1]
                at -= 1
            }
            squares[at] = square
            arcs[at] = Int32(truncatingIfNeeded: arc)
        }
    }

    /// Returns the arc nearest to a point, if it is nearer than a limit.
    ///
    /// - Complexity: O(log *n*) for outlines. Nothing is allocated.
    func nearest(to point: UnitVector, within squaredLimit: Double = 4.1) -> Nearest {
        var best = Nearest(within: squaredLimit)
        search(around: point, &best)
        return best
    }

    /// Returns the arcs nearest to a point.
    ///
    /// - Complexity: as ``nearest(to:within:)``.
    func nearestFew(to point: UnitVector) -> NearestFew {
        var best = NearestFew()
        search(around: point, &best)
        return best
    }

    /// Shows a search the arcs within its reach of a point, near ones first.
    @inline(__always)
    func search(around point: UnitVector, _ best: inout some ArcSearch) {
        if !levels.isEmpty { search(level: levels.count - 1, 0, point, Box(point), &best) }
    }

    private func search(
        level: Int, _ index: Int, _ point: UnitVector, _ box: Box, _ best: inout some ArcSearch
    ) {
        best.visit()
        let squares = nodes[levels[level] + index].squaredDistances(to: box)
        // The nearest child comes first, because the others are often too far after it. Free lanes are infinitely far.
        let least = BoxLanes.least(squares)
        guard least <= best.reach, least < .infinity else { return }
        let nearest = BoxLanes.bits(squares .== least).trailingZeroBitCount
        visit(level: level, index * BoxLanes.count + nearest, point, box, &best)
        var left = BoxLanes.bits(squares .<= best.reach) & ~(1 << UInt32(nearest))
        while left != 0 {
            var lane = left.trailingZeroBitCount
            // To look at an arc costs less than to find the nearest of them.
            if level > 0 {
                var others = left & (left - 1)
                while others != 0 {
                    let other = others.trailingZeroBitCount
                    others &= others - 1
                    if squares[other] < squares[lane] { lane = other }
                }
                guard squares[lane] <= best.reach else { return }
            }
            left &= ~(1 << UInt32(lane))
            if squares[lane] <= best.reach { visit(level: level, index * BoxLanes.count + lane, point, box, &best) }
        }
    }

    @inline(__always)
    private func visit(
        level: Int, _ child: Int, _ point: UnitVector, _ box: Box, _ best: inout some ArcSearch
    ) {
        if level == 0 {
            best.consider(Arc.squaredChord(points[child], points[child + 1], to: point), child)
        } else {
            search(level: level - 1, child, point, box, &best)
        }
    }

    /// Calls `body` with the number of every arc whose box meets a box.
    ///
    /// - Complexity: O(log *n* + *k*) for outlines and *k* hits. Nothing is allocated.
    func forEach(meeting box: Box, _ body: (Int) -> Void) {
        guard !levels.isEmpty else { return }
        visit(level: levels.count - 1, 0, box, body)
    }

    private func visit(level: Int, _ index: Int, _ box: Box, _ body: (Int) -> Void) {
        var hits = nodes[levels[level] + index].lanes(meeting: box)
        while hits != 0 {
            let child = index * BoxLanes.count + hits.trailingZeroBitCount
            hits &= hits - 1
            if level == 0 { body(child) } else { visit(level: level - 1, child, box, body) }
        }
    }
}

/// What a search for near arcs has found so far.
protocol ArcSearch: VisitCount {
    /// At least the squared chord up to which arcs are needed, in single precision; finite.
    var reach: Float { get }

    /// Considers an arc.
    mutating func consider(_ square: Double, _ arc: Int)
}
