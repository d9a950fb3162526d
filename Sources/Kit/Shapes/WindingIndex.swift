/// Tells how often the edges of some rings wind round a point of the map, exactly.
///
/// A ray goes north from the point. Every edge that crosses it counts +1 if it goes west and -1 if it goes east. All
/// numbers are integers, so no answer is rounded: vertices, level edges, poles and the antimeridian need no tolerance.
///
/// The edges stay in the order of their rings. A run of edges that is wholly north of the point crosses the ray as often
/// as the straight line from its first to its last point does. So a search only opens the boxes that hold the point: for
/// an outline of *n* edges there are about log *n*.
struct WindingIndex {
    /// A run of consecutive edges.
    private struct Node {
        var box: MapBox
        /// The ends of the run if it is one path; equal if it is made of whole rings.
        var startX: Int64
        var endX: Int64
        /// The node after all nodes below this one.
        var next: Int32
        /// The first edge of a leaf; negative for a node above leaves.
        var firstEdge: Int32
        var edgeCount: Int32
        /// Whether the ends count for all edges.
        var isPath: Bool
    }

    private static let leafSize = 8
    private static let fanOut = 4

    private(set) var edges: ContiguousArray<MapEdge>
    private var nodes: ContiguousArray<Node> = []
    /// The easternmost longitude of an edge.
    private var maxX = Int64.min

    /// Creates the index of edges that come in the order of their rings.
    ///
    /// - Complexity: O(*n*).
    init(_ edges: ContiguousArray<MapEdge>) {
        self.edges = edges
        guard !edges.isEmpty else { return }
        nodes.reserveCapacity(edges.count / 4 + 8)
        var held = Self.leafSize
        while held < edges.count { held *= Self.fanOut }
        build(0..<edges.count, holding: held)
        maxX = nodes[0].box.maxX
    }

    private mutating func build(_ range: Range<Int>, holding held: Int) {
        let at = nodes.count
        var box = MapBox.nothing
        // A run is one path if every edge begins where the one before ends. Whole rings have no ends that count.
        var (isOnePath, isClosed) = (true, true)
        var start = edges[range.lowerBound].a
        for index in range {
            let edge = edges[index]
            box = box.union(MapBox(edge.a, edge.b))
            if index > range.lowerBound, edges[index - 1].b != edge.a {
                isOnePath = false
                if edges[index - 1].b != start { isClosed = false }
                start = edge.a
            }
        }
        let (first, last) = (edges[range.lowerBound].a, edges[range.upperBound - 1].b)
        if last != start { isClosed = false }
        let isLeaf = held <= Self.leafSize
        nodes.append(
            Node(
                box: box, startX: isClosed ? 0 : first.x, endX: isClosed ? 0 : last.x, next: 0,
                firstEdge: isLeaf ? Int32(range.lowerBound) : -1, edgeCount: Int32(range.count),
                isPath: isOnePath || isClosed))
        if !isLeaf {
            let share = held / Self.fanOut
            var lower = range.lowerBound
            while lower < range.upperBound {
                let upper = min(lower + share, range.upperBound)
                build(lower..<upper, holding: share)
                lower = upper
            }
        }
        nodes[at].next = Int32(nodes.count)
    }

    /// The boxes of up to a few runs that together hold all edges.
    var roots: [MapBox] { nodes.first.map { [$0.box] } ?? [] }

    /// Returns the winding number of a point, or `nil` if the point is on an edge.
    ///
    /// - Complexity: O(log *n*) for outlines, O(*n*) at worst.
    func winding(of point: MapPoint) -> Int? {
        var count = Uncounted()
        return winding(of: point, &count)
    }

    /// Returns the same, and counts the runs of edges that it looks at.
    @inline(__always)
    func winding(of point: MapPoint, _ count: inout some VisitCount) -> Int? {
        var sum = 0
        var x = MapPoint.turned(point.x)
        while x <= maxX {
            guard let winding = winding(x: 2 * x, y: 2 * point.y, isOnEdgeAllowed: false, &count) else { return nil }
            sum += winding
            x += MapPoint.turn
        }
        return sum
    }

    /// Returns the winding number on the right of an edge's middle, or on its northern side if the edge is not vertical;
    /// the edge itself counts as south of its middle.
    ///
    /// - Complexity: as ``winding(of:)``.
    func winding(besideMiddleOf edge: MapEdge) -> Int {
        let (x2, y2) = (edge.a.x + edge.b.x, edge.a.y + edge.b.y)
        let shift = MapPoint.turns(x2 / 2) * MapPoint.turn
        var (sum, x, count) = (0, x2 - 2 * shift, Uncounted())
        // The middle is on the map from -180° to 180° now, but for half a unit.
        while x <= 2 * maxX + 1 {
            sum += winding(x: x, y: y2, isOnEdgeAllowed: true, &count) ?? 0
            x += 2 * MapPoint.turn
        }
        return sum
    }

    /// Returns the winding number of a point given in half units, or `nil` if it is on an edge and that is not allowed.
    private func winding(x: Int64, y: Int64, isOnEdgeAllowed: Bool, _ count: inout some VisitCount) -> Int? {
        var sum = 0
        var at = 0
        while at < nodes.count {
            count.visit()
            let node = nodes[at]
            if x < 2 * node.box.minX || x > 2 * node.box.maxX || y > 2 * node.box.maxY {
                at = Int(node.next)
            } else if y < 2 * node.box.minY, node.isPath {
                sum += (2 * node.endX <= x ? 1 : 0) - (2 * node.startX <= x ? 1 : 0)
                at = Int(node.next)
            } else {
                if node.firstEdge >= 0 {
                    for index in Int(node.firstEdge)..<Int(node.firstEdge + node.edgeCount) {
                        guard let crossing = crossing(index, x, y, isOnEdgeAllowed) else { return nil }
                        sum += crossing
                    }
                }
                at += 1
            }
        }
        return sum
    }

    /// Returns how an edge crosses the ray north from a point in half units, or `nil` if the point is on the edge and
    /// that is not allowed.
    @inline(__always)
    private func crossing(_ index: Int, _ x: Int64, _ y: Int64, _ isOnEdgeAllowed: Bool) -> Int? {
        let (a, b) = (edges[index].a, edges[index].b)
        let (isAWest, isBWest) = (2 * a.x <= x, 2 * b.x <= x)
        if isAWest == isBWest {
            // The ray runs along no edge: it goes a hair east of the point. But the point may be on the edge's east end,
            // or on a vertical edge.
            if !isOnEdgeAllowed, 2 * max(a.x, b.x) == x {
                if a.x == b.x {
                    if y >= 2 * min(a.y, b.y), y <= 2 * max(a.y, b.y) { return nil }
                } else if 2 * (a.x > b.x ? a.y : b.y) == y {
                    return nil
                }
            }
            return 0
        }
        // Which side of the edge is the point on? Edges along a pole are wider than the products allow.
        let above: Int64
        if a.y == b.y {
            above = 2 * a.y - y
        } else {
            let ahead = (b.x - a.x) * (y - 2 * a.y)
            let aside = (b.y - a.y) * (x - 2 * a.x)
            let isSouth = (b.x > a.x) == (ahead < aside)
            above = ahead == aside ? 0 : isSouth ? 1 : -1
        }
        if above == 0, !isOnEdgeAllowed { return nil }
        guard above > 0 else { return 0 }
        return isBWest ? 1 : -1
    }
}
