/// The boundary of some polygons as directed edges, each with the inside on its left.
///
/// The steps: edges are cut where others touch them; an edge and its reverse cancel out, which removes spikes, bridges to
/// holes, and borders between the parts of one shape; then each polygon is checked: the winding number must be 1 on the
/// left of every edge and 0 on its right. This one rule finds rings that cross or retrace themselves, and holes outside.
struct EdgeSet {
    private(set) var edges: ContiguousArray<MapEdge> = []
    private(set) var mends: [ShapeMend] = []
    /// The polygons that were taken by the even-odd rule, as polygons with an outer ring and holes.
    private(set) var repaired: [Int: [[[MapPoint]]]] = [:]

    /// Creates the boundary of polygons given as paths, the outer ring of each first.
    ///
    /// - Parameter repair: whether to take polygons whose edges cross by the even-odd rule.
    /// - Complexity: O(*n* log *n*) for outlines.
    /// - Throws: a ``ShapeError`` that names the ring and the position.
    init(_ polygons: [(part: Int, rings: [MapPath])], repair: Bool) throws(ShapeError) {
        add(polygons)
        // A ring all the way round the earth goes along one meridian twice; a hole may lie across that seam.
        let spans = polygons.contains { $0.rings.contains { Self.width($0) >= MapPoint.turn } }
        if spans { cancel(evenOdd: [], acrossParts: false) }
        var crossed: Set<Int32> = []
        for _ in 0..<Self.greatestRounds {
            let join = try EdgeJoin(edges, stopsAtCrossing: !repair)
            if let crossing = join.crossings.first, !repair {
                throw Self.error(edges[Int(crossing.first)], edges[Int(crossing.second)])
            }
            for crossing in join.crossings { crossed.insert(edges[Int(crossing.first)].part) }
            cut(at: join.touches + join.crossings.flatMap(points))
            guard !join.crossings.isEmpty else {
                try finish(hasOverlap: join.hasOverlap, polygons.count, crossed: crossed)
                return
            }
        }
        throw ShapeError("its edges cross too often to be repaired; simplify it")
    }

    /// The most rounds of cutting edges where they cross.
    ///
    /// Rounding a crossing moves an edge by at most half a unit, which seldom makes a new crossing.
    private static let greatestRounds = 16

    private mutating func add(_ polygons: [(part: Int, rings: [MapPath])]) {
        var count = 0
        for polygon in polygons { for ring in polygon.rings { count += ring.vertices.count } }
        edges.reserveCapacity(count)
        for (part, rings) in polygons {
            for (number, ring) in rings.enumerated() where ring.vertices.count > 1 {
                var path = ring
                // The outer ring counterclockwise, holes clockwise.
                if (path.doubledArea < 0) == (number == 0) { path.reverse() }
                let positions = path.vertices.map(\.position)
                let (first, last) = (positions.min() ?? 0, positions.max() ?? 0)
                for (index, vertex) in path.vertices.enumerated() {
                    let next = path.vertices[index + 1 < path.vertices.count ? index + 1 : 0]
                    let (lower, upper) = (min(vertex.position, next.position), max(vertex.position, next.position))
                    // The edge that closes the ring goes from its last position back to the first.
                    let isClosing = lower == first && upper == last && positions.count > 2
                    edges.append(
                        MapEdge(
                            a: vertex.point, b: next.point, part: Int32(part), ring: Int32(number),
                            position: Int32(isClosing ? upper : lower)))
                }
            }
        }
    }

    private static func width(_ ring: MapPath) -> Int64 {
        let west = ring.vertices.reduce(Int64.max) { min($0, $1.point.x) }
        let east = ring.vertices.reduce(Int64.min) { max($0, $1.point.x) }
        return ring.vertices.isEmpty ? 0 : east - west
    }

    private static func error(_ first: MapEdge, _ second: MapEdge) -> ShapeError {
        let (early, late) =
            (first.ring, first.position) <= (second.ring, second.position) ? (first, second) : (second, first)
        guard early.ring != late.ring else {
            return ShapeError(
                "the ring crosses itself: the edges from positions \(early.position) and \(late.position) cross; draw "
                    + "them without crossing, or repair", at: early.location)
        }
        return ShapeError(
            "the hole crosses ring \(early.ring): its edge from position \(late.position) crosses that from position "
                + "\(early.position)", at: late.location)
    }

    /// Returns where two edges cross, rounded, as a touch of each.
    private func points(_ crossing: EdgeJoin.Crossing) -> [EdgeJoin.Touch] {
        let (p, q) = (edges[Int(crossing.first)], edges[Int(crossing.second)])
        // Relative to the start of the first edge, so that no digits are lost.
        let (ax, ay) = (Double(p.b.x - p.a.x), Double(p.b.y - p.a.y))
        let (bx, by) = (Double(q.b.x - q.a.x), Double(q.b.y - q.a.y))
        let (cx, cy) = (Double(q.a.x + crossing.shift - p.a.x), Double(q.a.y - p.a.y))
        let across = ax * by - ay * bx
        guard across != 0 else { return [] }
        let share = min(1, max(0, (cx * by - cy * bx) / across))
        let x = p.a.x + Int64((ax * share).rounded())
        let y = p.a.y + Int64((ay * share).rounded())
        return [
            EdgeJoin.Touch(edge: crossing.first, point: MapPoint(x: x, y: y)),
            EdgeJoin.Touch(edge: crossing.second, point: MapPoint(x: x - crossing.shift, y: y)),
        ]
    }

    /// Cuts edges in points on them.
    private mutating func cut(at touches: [EdgeJoin.Touch]) {
        guard !touches.isEmpty else { return }
        let edges = self.edges
        func way(_ touch: EdgeJoin.Touch) -> Int64 {
            let edge = edges[Int(touch.edge)]
            return abs(touch.point.x - edge.a.x) + abs(touch.point.y - edge.a.y)
        }
        let sorted = touches.sorted { ($0.edge, way($0)) < ($1.edge, way($1)) }
        var cutEdges: ContiguousArray<MapEdge> = []
        cutEdges.reserveCapacity(edges.count + touches.count)
        var next = 0
        for (index, edge) in edges.enumerated() {
            var rest = edge
            while next < sorted.count, Int(sorted[next].edge) == index {
                let point = sorted[next].point
                next += 1
                guard point != rest.a, point != rest.b else { continue }
                var piece = rest
                piece.b = point
                cutEdges.append(piece)
                rest.a = point
            }
            cutEdges.append(rest)
        }
        self.edges = cutEdges
    }

    /// Cancels and checks the edges of each polygon, and then cancels the borders between polygons.
    private mutating func finish(hasOverlap: Bool, _ partCount: Int, crossed: Set<Int32>) throws(ShapeError) {
        let mayOverlap = hasOverlap || !crossed.isEmpty
        if mayOverlap { cancel(evenOdd: crossed, acrossParts: false) }
        if !crossed.isEmpty { orient(crossed) }
        if partCount == 1 {
            try check(WindingIndex(edges))
        } else {
            for run in runs { try check(WindingIndex(ContiguousArray(edges[run]))) }
        }
        for run in runs where crossed.contains(edges[run.lowerBound].part) {
            repaired[Int(edges[run.lowerBound].part)] = try Self.polygons(edges[run])
        }
        if partCount > 1, mayOverlap { cancel(evenOdd: [], acrossParts: true) }
        for part in crossed.sorted() {
            mends.append(
                ShapeMend("took the polygon by the even-odd rule, because its edges cross", at: .init(part: Int(part))))
        }
    }

    /// Removes pairs of an edge and its reverse, and by the even-odd rule any pair.
    private mutating func cancel(evenOdd: Set<Int32>, acrossParts: Bool) {
        let keys = ContiguousArray(edges.map(\.key))
        let edges = self.edges
        let order = edges.indices.sorted { a, b in
            if !keys[a].isSameEdge(keys[b]) { return keys[a] < keys[b] }
            return acrossParts || edges[a].part == edges[b].part ? a < b : edges[a].part < edges[b].part
        }
        var isKept = ContiguousArray(repeating: true, count: edges.count)
        var start = 0
        while start < order.count {
            var end = start + 1
            while end < order.count, keys[order[start]].isSameEdge(keys[order[end]]),
                acrossParts || edges[order[start]].part == edges[order[end]].part
            {
                end += 1
            }
            var group = Array(order[start..<end])
            if !acrossParts, evenOdd.contains(edges[order[start]].part) {
                for index in group.dropFirst(group.count % 2) { isKept[index] = false }
            } else {
                let forward = group.filter { keys[$0].isForward }
                group.removeAll { keys[$0].isForward }
                for (index, reverse) in zip(forward, group) { (isKept[index], isKept[reverse]) = (false, false) }
            }
            start = end
        }
        self.edges = ContiguousArray(edges.indices.lazy.filter { isKept[$0] }.map { edges[$0] })
    }

    /// Directs the edges of polygons by the even-odd rule.
    private mutating func orient(_ parts: Set<Int32>) {
        for run in runs where parts.contains(edges[run.lowerBound].part) {
            let index = WindingIndex(ContiguousArray(edges[run]))
            for at in run {
                let edge = edges[at]
                // Every crossing counts ±1, so the winding number is odd where the number of crossings is.
                let isInsideBeside = index.winding(besideMiddleOf: edge) % 2 != 0
                let isLeftBeside = edge.a.x == edge.b.x ? edge.b.y < edge.a.y : edge.b.x > edge.a.x
                if isInsideBeside != isLeftBeside { (edges[at].a, edges[at].b) = (edge.b, edge.a) }
            }
        }
        chain()
    }

    private func check(_ index: WindingIndex) throws(ShapeError) {
        var failure: MapEdge?
        for edge in index.edges {
            let isLeftBeside = edge.a.x == edge.b.x ? edge.b.y < edge.a.y : edge.b.x > edge.a.x
            guard index.winding(besideMiddleOf: edge) != (isLeftBeside ? 1 : 0) else { continue }
            // A hole that is wrong also makes the outer ring wrong; it explains more.
            if edge.ring > 0 {
                throw ShapeError(
                    "the hole is not inside the outer ring alone: it lies outside, in another hole, or crosses a ring",
                    at: edge.location)
            }
            failure = failure ?? edge
        }
        if let failure {
            throw ShapeError(
                "the ring crosses or retraces itself here; draw it without, or repair", at: failure.location)
        }
    }

    /// Puts edges into the order of closed paths.
    private mutating func chain() {
        func isBefore(_ a: MapPoint, _ b: MapPoint) -> Bool { (a.x, a.y) < (b.x, b.y) }
        func onMap(_ point: MapPoint) -> MapPoint { MapPoint(x: MapPoint.turned(point.x), y: point.y) }
        let edges = self.edges
        let starts = edges.indices.sorted {
            edges[$0].part != edges[$1].part
                ? edges[$0].part < edges[$1].part : isBefore(onMap(edges[$0].a), onMap(edges[$1].a))
        }
        var isUsed = ContiguousArray(repeating: false, count: edges.count)
        var chained: ContiguousArray<MapEdge> = []
        chained.reserveCapacity(edges.count)
        /// The first unused edge at each run of equal starts; it moves on, so that the whole takes linear time.
        var cursor = ContiguousArray(starts.indices)
        func next(after edge: MapEdge) -> Int? {
            let point = onMap(edge.b)
            var (low, high) = (0, starts.count)
            while low < high {
                let middle = (low + high) / 2
                let other = edges[starts[middle]]
                let isLess = other.part != edge.part ? other.part < edge.part : isBefore(onMap(other.a), point)
                if isLess { low = middle + 1 } else { high = middle }
            }
            guard low < starts.count else { return nil }
            var at = cursor[low]
            defer { cursor[low] = at }
            while at < starts.count, edges[starts[at]].part == edge.part, onMap(edges[starts[at]].a) == point {
                if !isUsed[starts[at]] { return starts[at] }
                at += 1
            }
            return nil
        }
        for first in starts where !isUsed[first] {
            let start = chained.count
            var at: Int? = first
            var end = edges[first].a
            while let index = at {
                isUsed[index] = true
                var edge = edges[index]
                let shift = end.x - edge.a.x
                edge.a.x += shift
                edge.b.x += shift
                chained.append(edge)
                end = edge.b
                at = next(after: edges[index])
            }
            let west = chained[start...].reduce(Int64.max) { min($0, $1.a.x, $1.b.x) }
            let shift = MapPoint.turns(west) * MapPoint.turn
            for index in start..<chained.count {
                chained[index].a.x -= shift
                chained[index].b.x -= shift
            }
        }
        self.edges = chained
    }

    /// The runs of edges of one polygon each.
    private var runs: [Range<Int>] {
        var runs: [Range<Int>] = []
        var start = 0
        for index in edges.indices where index + 1 == edges.count || edges[index + 1].part != edges[index].part {
            runs.append(start..<index + 1)
            start = index + 1
        }
        return runs
    }

    /// The most pairs of an outer ring and a hole that are looked at to find which is in which; about a second's work.
    private static let greatestNestingCount = 4_000_000

    /// Groups closed paths into polygons with an outer ring and holes.
    ///
    /// - Complexity: O(*r h* log *n*) for *r* outer rings and *h* holes.
    private static func polygons(_ edges: ContiguousArray<MapEdge>.SubSequence) throws(ShapeError) -> [[[MapPoint]]] {
        var paths: [[MapEdge]] = []
        for edge in edges {
            if let last = paths.last?.last, last.b == edge.a {
                paths[paths.count - 1].append(edge)
            } else {
                paths.append([edge])
            }
        }
        func doubledArea(_ path: [MapEdge]) -> Int128 {
            path.reduce(0) { $0 + Int128($1.a.x) * Int128($1.b.y) - Int128($1.b.x) * Int128($1.a.y) }
        }
        func ring(_ path: [MapEdge]) -> [MapPoint] { path.map(\.a) + path.suffix(1).map(\.b) }
        let sized = paths.map { (path: $0, area: doubledArea($0)) }.sorted { $0.area < $1.area }
        let outer = sized.filter { $0.area > 0 }.map(\.path)
        let holes = sized.filter { $0.area <= 0 }.map(\.path)
        guard outer.count * holes.count <= greatestNestingCount else {
            throw ShapeError("its edges cross too often to be repaired; simplify it")
        }
        let indices = outer.map { WindingIndex(ContiguousArray($0)) }
        var polygons = outer.map { [ring($0)] }
        for hole in holes {
            // The smallest ring around the hole is its own.
            if let at = indices.firstIndex(where: { $0.winding(besideMiddleOf: hole[0]) > 0 }) {
                polygons[at].append(ring(hole))
            }
        }
        return polygons
    }
}
