public import Geodesy

/// The shape of a geofence on the sphere: a circle, one or more polygons with holes, or a corridor along lines.
///
/// Edges are straight in longitude and latitude (RFC 7946, section 3.1.1) and take the shorter way round the earth, so a
/// shape may lie over the antimeridian. A polygon holds a pole if its ring is led to latitude ±90 and along it. All
/// distances are metres on the sphere of ``Geodesy/Sphere/radius``; an edge and the great-circle arcs that stand for it
/// are at most ``edgeTolerance`` apart. A place on the boundary is inside.
///
/// A shape is a value; copies share their memory.
public struct Shape: Sendable {
    /// What a shape is.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// All places within the radius of a point.
        case circle
        /// All places in polygons, without their holes.
        case polygon
        /// All places within the radius of lines.
        case corridor
    }

    /// What the shape is.
    public var kind: Kind { content.kind }
    /// The radius of a circle, and half the width of a corridor; 0 for polygons.
    public var radius: Distance { content.radius }
    /// The positions: of a circle its centre; of a corridor its lines, each as a part with one list; of polygons their
    /// rings, closed, the outer one of each part first.
    ///
    /// Longitudes are within ±180°. Doubled positions are left out, and parts without area or length.
    public var parts: [[[Coordinate]]] { content.parts }
    /// The centre of a circle, and otherwise a place in the middle of the shape's box, which may be outside of the shape.
    public var center: UnitVector { content.center }

    /// The greatest distance between an edge and the arcs that stand for it.
    public static let edgeTolerance = Distance(meters: Arc.tolerance)
    /// The most positions of a shape; the outline of a country in full detail has fewer.
    public static let greatestPositionCount = 100_000
    /// The most arcs of a shape.
    ///
    /// At 45 degrees of latitude an arc stands for up to 2.2 km of an edge, so this is enough for an outline of 800,000 km.
    /// An arc takes about 50 bytes.
    public static let greatestArcCount = 400_000
    /// The longest radius: a quarter of the circumference, up to which a circle is convex on the sphere.
    public static let greatestRadius = Distance(meters: Sphere.greatestDistance.meters / 2)

    /// The squared chord of the radius.
    var squaredRadius: Double { content.squaredRadius }
    /// The edges on the map; none but for polygons.
    var winding: WindingIndex { content.winding }
    /// The boundary of polygons, or the lines of a corridor.
    var tree: ArcTree { content.tree }
    /// The poles that polygons hold or touch, whatever the longitude.
    var holdsNorthPole: Bool { content.holdsNorthPole }
    var holdsSouthPole: Bool { content.holdsSouthPole }

    /// Everything about the shape, in one piece, so that a copy counts one reference.
    private final class Content: Sendable {
        let kind: Kind
        let radius: Distance
        let parts: [[[Coordinate]]]
        let center: UnitVector
        let squaredRadius: Double
        let winding: WindingIndex
        let tree: ArcTree
        let holdsNorthPole: Bool
        let holdsSouthPole: Bool

        init(
            _ kind: Kind, radius: Distance, parts: [[[Coordinate]]], center: UnitVector, edges: WindingIndex,
            arcs: ArcTree, poles: (north: Bool, south: Bool) = (false, false)
        ) {
            self.kind = kind
            self.radius = radius
            self.parts = parts
            self.center = center
            squaredRadius = Sphere.squaredChord(distance: radius)
            winding = edges
            tree = arcs
            (holdsNorthPole, holdsSouthPole) = poles
        }
    }

    private let content: Content

    /// Creates a circle.
    ///
    /// - Throws: a ``ShapeError`` unless the radius is greater than 0 and at most ``greatestRadius``.
    public init(circleAround center: Coordinate, radius: Distance) throws(ShapeError) {
        self.init(circle: center, radius: try Self.checked(radius.meters))
    }

    private init(circle center: Coordinate, radius: Distance) {
        content = Content(
            .circle, radius: radius, parts: [[[center]]], center: UnitVector(center), edges: WindingIndex([]),
            arcs: ArcTree([]))
    }

    /// Reads a shape from a geometry.
    ///
    /// - Parameters:
    ///   - radius: the radius in metres of a circle or corridor; polygons ignore it.
    ///   - repair: whether to close open rings, and to take polygons whose edges cross by the even-odd rule.
    /// - Returns: the shape, and what was changed for it.
    /// - Complexity: O(*n* log *n*) for outlines of *n* positions.
    /// - Throws: a ``ShapeError`` that names the part, the ring and the position, and says what to do.
    public static func read(
        _ geometry: RawGeometry, radius: Double? = nil, repair: Bool = false
    ) throws(ShapeError) -> (shape: Shape, mends: [ShapeMend]) {
        switch geometry {
        case .point(let position):
            guard let radius else {
                throw ShapeError("a point needs a radius; give it a property radius_m in metres")
            }
            let point = try MapPoint(position, at: ShapeError.Location())
            return (Shape(circle: point.coordinate, radius: try checked(radius)), [])
        case .lines(let lines):
            guard let radius else {
                throw ShapeError("a line needs a radius; give it a property radius_m in metres, half the width")
            }
            return (try Shape(lines: lines, radius: checked(radius)), [])
        case .polygons(let polygons):
            var mends: [ShapeMend] = []
            let shape = try Shape(polygons: polygons, repair: repair, mends: &mends)
            if radius != nil {
                mends.append(ShapeMend("ignored the radius, which a polygon does not have", at: .init()))
            }
            return (shape, mends)
        }
    }

    private static func checked(_ radius: Double) throws(ShapeError) -> Distance {
        guard radius > 0, radius <= greatestRadius.meters else {
            throw ShapeError("the radius is \(radius) m; it must be greater than 0 and at most 10,007 km")
        }
        return Distance(meters: radius)
    }

    private static func checkCount(_ count: Int) throws(ShapeError) {
        guard count <= greatestPositionCount else {
            throw ShapeError(
                "it has \(count) positions, more than the \(greatestPositionCount) of one shape; simplify or split it")
        }
    }

    private init(lines: [[RawPosition]], radius: Distance) throws(ShapeError) {
        guard !lines.isEmpty else { throw ShapeError("it has no lines") }
        try Self.checkCount(lines.reduce(0) { $0 + $1.count })
        var arcs: ContiguousArray<Arc> = []
        var parts: [[[Coordinate]]] = []
        for (part, line) in lines.enumerated() {
            let path = try MapPath(line: line, part: part)
            guard path.vertices.count > 1 else { continue }
            for (start, end) in zip(path.vertices, path.vertices.dropFirst()) {
                try Self.cut(
                    start.point, end.point, at: ShapeError.Location(part: part, position: start.position), into: &arcs)
            }
            parts.append([path.vertices.map(\.point.coordinate)])
        }
        guard !parts.isEmpty else { throw ShapeError("it has no length: all positions of each line are equal") }
        let tree = ArcTree(arcs)
        content = Content(
            .corridor, radius: radius, parts: parts, center: Self.middle(tree.bounds), edges: WindingIndex([]),
            arcs: tree)
    }

    private init(polygons: [[[RawPosition]]], repair: Bool, mends: inout [ShapeMend]) throws(ShapeError) {
        guard !polygons.isEmpty else { throw ShapeError("it has no polygons") }
        try Self.checkCount(polygons.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } })
        var paths: [(part: Int, rings: [MapPath])] = []
        for (part, polygon) in polygons.enumerated() {
            guard !polygon.isEmpty else {
                throw ShapeError("the polygon has no rings", at: ShapeError.Location(part: part))
            }
            var rings: [MapPath] = []
            for (ring, positions) in polygon.enumerated() {
                let location = ShapeError.Location(part: part, ring: ring)
                rings.append(try MapPath(ring: positions, at: location, repair: repair, mends: &mends))
            }
            paths.append((part, rings))
        }
        let set = try EdgeSet(Self.sorted(paths), repair: repair)
        mends += set.mends
        guard !set.edges.isEmpty else { throw ShapeError("it has no area: all positions of each ring are on one line") }
        var arcs: ContiguousArray<Arc> = []
        for edge in set.edges where !edge.isAlongPole { try Self.cut(edge.a, edge.b, at: edge.location, into: &arcs) }
        let tree = ArcTree(arcs)
        content = Content(
            .polygon, radius: .zero, parts: Self.rings(paths, set), center: Self.middle(tree.bounds),
            edges: WindingIndex(set.edges), arcs: tree,
            poles: (
                set.edges.contains { $0.a.y == MapPoint.pole }, set.edges.contains { $0.a.y == -MapPoint.pole }
            ))
    }

    /// The polygons with an area, as closed rings.
    private static func rings(_ paths: [(part: Int, rings: [MapPath])], _ set: EdgeSet) -> [[[Coordinate]]] {
        let kept = Set(set.edges.map { SIMD2($0.part, $0.ring) })
        return paths.flatMap { part, rings -> [[[Coordinate]]] in
            if let polygons = set.repaired[part] { return polygons.map { $0.map { $0.map(\.coordinate) } } }
            guard kept.contains(SIMD2(Int32(part), 0)) else { return [] }
            return [
                rings.enumerated().compactMap { number, ring in
                    guard kept.contains(SIMD2(Int32(part), Int32(number))), let first = ring.vertices.first else {
                        return nil
                    }
                    return (ring.vertices + [first]).map(\.point.coordinate)
                }
            ]
        }
    }

    /// Puts the polygons in an order in which neighbours are near each other, so that the trees are tight.
    private static func sorted(_ paths: [(part: Int, rings: [MapPath])]) -> [(part: Int, rings: [MapPath])] {
        guard paths.count > 1 else { return paths }
        func key(_ rings: [MapPath]) -> UInt64 {
            guard let point = rings.first?.vertices.first?.point else { return 0 }
            // The bits of both coordinates in turn (Morton order).
            var (x, y) = (UInt64(clamping: point.x + MapPoint.half), UInt64(clamping: point.y + MapPoint.pole))
            var key: UInt64 = 0
            for bit in 0..<32 {
                key |= (x & 1) << UInt64(2 * bit) | (y & 1) << UInt64(2 * bit + 1)
                (x, y) = (x >> 1, y >> 1)
            }
            return key
        }
        return paths.map { (key($0.rings), $0) }.sorted { ($0.0, $0.1.part) < ($1.0, $1.1.part) }.map(\.1)
    }

    /// Cuts an edge into arcs.
    private static func cut(
        _ a: MapPoint, _ b: MapPoint, at location: ShapeError.Location, into arcs: inout ContiguousArray<Arc>
    ) throws(ShapeError) {
        let count = Arc.count(from: a, to: b)
        guard arcs.count + count <= greatestArcCount else {
            throw ShapeError("its edges are too long in sum to be computed within 0.1 m; split it", at: location)
        }
        var start = UnitVector(a)
        for index in 1...count {
            var end = UnitVector(b)
            if index < count {
                let share = Double(index) / Double(count)
                end = .at(
                    latitude: (Double(a.y) + Double(b.y - a.y) * share) / Coordinate.unitsPerDegree,
                    longitude: (Double(a.x) + Double(b.x - a.x) * share) / Coordinate.unitsPerDegree)
            }
            arcs.append(Arc(a: start, b: end))
            start = end
        }
    }

    private static func middle(_ box: Box?) -> UnitVector {
        guard let box else { return UnitVector(.origin) }
        let middle = box.low + box.high
        return UnitVector(towardsX: Double(middle.x), y: Double(middle.y), z: Double(middle.z)) ?? UnitVector(.origin)
    }
}
