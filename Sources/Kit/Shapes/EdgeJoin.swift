/// Finds where the edges of a geometry cross or touch each other.
///
/// The edges are put into a tree of boxes in the order of their rings, long slanting ones in several pieces, and the tree
/// is joined with itself. All tests of edges are exact.
struct EdgeJoin {
    /// A point in which an edge is touched between its ends.
    struct Touch {
        var edge: Int32
        /// The point on the map on which the edge itself is stored.
        var point: MapPoint
    }

    /// Two edges of one polygon that cross between their ends.
    struct Crossing {
        var first: Int32
        var second: Int32
        /// The turns by which the second edge must be moved to meet the first.
        var shift: Int64
    }

    private(set) var touches: [Touch] = []
    private(set) var crossings: [Crossing] = []
    /// Whether two edges lie on one line and share more than a point.
    private(set) var hasOverlap = false

    /// The most pairs of edges that are tested.
    ///
    /// Outlines need a few for each edge. Only edges that lie side by side by the thousand come near; more take seconds.
    static let greatestTestCount = 400_000_000
    /// The most touches and crossings for each edge, and those always allowed, which bounds the memory.
    static let greatestFindsPerEdge = 8
    static let leastFindsAllowed = 100_000

    private let edges: ContiguousArray<MapEdge>
    private let findsAllowed: Int
    private let stopsAtCrossing: Bool
    private var items: ContiguousArray<Item> = []
    private var levels: [ContiguousArray<MapBox>] = []
    private var testCount = 0

    private struct Item {
        var edge: Int32
        var shift: Int64
    }

    private static let fanOut = 8

    /// Joins edges with each other.
    ///
    /// - Parameter stopsAtCrossing: whether the first crossing ends the search.
    /// - Complexity: O(*n* log *n*) for outlines.
    /// - Throws: a ``ShapeError`` if there is too much to test or too much was found.
    init(_ edges: ContiguousArray<MapEdge>, stopsAtCrossing: Bool) throws(ShapeError) {
        self.edges = edges
        self.stopsAtCrossing = stopsAtCrossing
        findsAllowed = max(edges.count * Self.greatestFindsPerEdge, Self.leastFindsAllowed)
        place()
        guard let top = levels.last, !top.isEmpty else { return }
        try joinSelf(level: levels.count - 1, 0)
    }

    /// Puts the edges into the tree, each where it is on the map from -180° to 180°, and again where it goes on beyond.
    private mutating func place() {
        var boxes: ContiguousArray<MapBox> = []
        let slants = edges.reduce(0.0) { $0 + Self.slant($1) }
        let unit = max(1, slants / Double(4 * max(1, edges.count)))
        for (index, edge) in edges.enumerated() where !edge.isAlongPole {
            let pieces = max(1, min(64, Int(Self.slant(edge) / unit)))
            let shift = -MapPoint.turns(min(edge.a.x, edge.b.x)) * MapPoint.turn
            for piece in 0..<pieces {
                let box = Self.box(of: edge, piece: Int64(piece), of: Int64(pieces)).shifted(by: shift)
                boxes.append(box)
                items.append(Item(edge: Int32(index), shift: shift))
                if box.maxX >= MapPoint.half {
                    boxes.append(box.shifted(by: -MapPoint.turn))
                    items.append(Item(edge: Int32(index), shift: shift - MapPoint.turn))
                }
            }
        }
        levels = [boxes]
        while let below = levels.last, below.count > 1 {
            var above: ContiguousArray<MapBox> = []
            for first in stride(from: 0, to: below.count, by: Self.fanOut) {
                above.append(below[first..<min(first + Self.fanOut, below.count)].reduce(.nothing) { $0.union($1) })
            }
            levels.append(above)
        }
    }

    private static func slant(_ edge: MapEdge) -> Double {
        Double(min(abs(edge.b.x - edge.a.x), abs(edge.b.y - edge.a.y)))
    }

    private static func box(of edge: MapEdge, piece: Int64, of count: Int64) -> MapBox {
        guard count > 1 else { return MapBox(edge.a, edge.b) }
        func point(_ index: Int64, _ isUp: Bool) -> MapPoint {
            let (dx, dy) = ((edge.b.x - edge.a.x) * index, (edge.b.y - edge.a.y) * index)
            // Rounded down and up, so that the box is never too small.
            func part(_ way: Int64) -> Int64 {
                let quotient = way / count
                return isUp ? quotient + 1 : quotient - 1
            }
            return MapPoint(x: edge.a.x + part(dx), y: edge.a.y + part(dy))
        }
        let corners = [point(piece, false), point(piece, true), point(piece + 1, false), point(piece + 1, true)]
        return corners.reduce(.nothing) { $0.union(MapBox($1, $1)) }
    }

    private func children(_ level: Int, _ index: Int) -> Range<Int> {
        index * Self.fanOut..<min((index + 1) * Self.fanOut, levels[level - 1].count)
    }

    private mutating func joinSelf(level: Int, _ index: Int) throws(ShapeError) {
        guard level > 0, !isDone else { return }
        let children = children(level, index)
        for child in children {
            try joinSelf(level: level - 1, child)
            for other in (child + 1)..<max(child + 1, children.upperBound) {
                if levels[level - 1][child].meets(levels[level - 1][other]) {
                    try join(level: level - 1, child, other)
                }
            }
        }
    }

    private var isDone: Bool { stopsAtCrossing && !crossings.isEmpty }

    private mutating func join(level: Int, _ index: Int, _ other: Int) throws(ShapeError) {
        guard !isDone else { return }
        guard level > 0 else { return try test(items[index], items[other]) }
        let (box, otherBox) = (levels[level][index], levels[level][other])
        for child in children(level, index) where levels[level - 1][child].meets(otherBox) {
            let childBox = levels[level - 1][child]
            for otherChild in children(level, other)
            where levels[level - 1][otherChild].meets(box) && levels[level - 1][otherChild].meets(childBox) {
                try join(level: level - 1, child, otherChild)
            }
        }
    }

    private mutating func test(_ item: Item, _ other: Item) throws(ShapeError) {
        testCount += 1
        guard item.edge != other.edge else { return }
        let (p, q) = (edges[Int(item.edge)], edges[Int(other.edge)])
        guard testCount <= Self.greatestTestCount, touches.count + crossings.count <= findsAllowed else {
            throw ShapeError("its edges cross or touch each other too often to be checked; simplify it", at: p.location)
        }
        let shift = other.shift - item.shift
        let a = MapPoint(x: q.a.x + shift, y: q.a.y)
        let b = MapPoint(x: q.b.x + shift, y: q.b.y)
        guard MapBox(p.a, p.b).meets(MapBox(a, b)) else { return }
        let (sideA, sideB) = (MapEdge.side(p.a, p.b, a), MapEdge.side(p.a, p.b, b))
        guard sideA * sideB <= 0 else { return }
        let (sidePA, sidePB) = (MapEdge.side(a, b, p.a), MapEdge.side(a, b, p.b))
        guard sidePA * sidePB <= 0 else { return }
        if sideA * sideB < 0, sidePA * sidePB < 0 {
            if p.part == q.part {
                crossings.append(Crossing(first: item.edge, second: other.edge, shift: shift))
            }
            return
        }
        if sideA == 0, sideB == 0 { hasOverlap = true }
        if sideA == 0 { touch(item.edge, p.a, p.b, at: a, moved: 0) }
        if sideB == 0 { touch(item.edge, p.a, p.b, at: b, moved: 0) }
        if sidePA == 0 { touch(other.edge, a, b, at: p.a, moved: -shift) }
        if sidePB == 0 { touch(other.edge, a, b, at: p.b, moved: -shift) }
    }

    /// Notes a point on the line of an edge if it is between the edge's ends.
    private mutating func touch(_ edge: Int32, _ a: MapPoint, _ b: MapPoint, at point: MapPoint, moved: Int64) {
        guard point != a, point != b, MapBox(a, b).meets(MapBox(point, point)) else { return }
        touches.append(Touch(edge: edge, point: MapPoint(x: point.x + moved, y: point.y)))
    }
}
