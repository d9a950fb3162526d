import Geodesy

/// A ring or line on the map of longitude and latitude, with every edge the shorter way round.
///
/// The points are unrolled: consecutive longitudes differ by less than 180°, so that a path over the antimeridian goes
/// on beyond ±180° (RFC 7946, section 3.1.1). An edge along a pole has no length on the ground; it may be as wide as the
/// map.
struct MapPath {
    /// A point, and its position in the file.
    struct Vertex {
        var point: MapPoint
        var position: Int
    }

    /// The points without doubled ones; in a ring the first is not repeated at the end.
    private(set) var vertices: [Vertex]

    /// Reads a line.
    ///
    /// A line without length has one vertex.
    init(line positions: [RawPosition], part: Int) throws(ShapeError) {
        guard positions.count >= 2 else {
            throw ShapeError("a line needs at least two positions", at: ShapeError.Location(part: part))
        }
        vertices = []
        for (index, position) in positions.enumerated() {
            let location = ShapeError.Location(part: part, position: index)
            let point = try MapPoint(position, at: location)
            try add(point, from: vertices.last?.point, position: index, at: location)
        }
    }

    /// Reads a ring, and closes it if `repair` is set.
    init(
        ring positions: [RawPosition], at ring: ShapeError.Location, repair: Bool, mends: inout [ShapeMend]
    ) throws(ShapeError) {
        vertices = []
        guard !positions.isEmpty else { throw ShapeError("the ring has no positions", at: ring) }
        var points: [MapPoint] = []
        points.reserveCapacity(positions.count + 1)
        for (index, position) in positions.enumerated() { points.append(try MapPoint(position, at: ring.at(index))) }
        let (first, last) = (points[0], points[points.count - 1])
        if points.count < 2 || !Self.isSamePlace(first, last) {
            guard repair else {
                throw ShapeError(
                    "the ring is not closed: its last position differs from its first; repeat the first one, or repair",
                    at: ring.at(points.count - 1))
            }
            points.append(first)
            mends.append(ShapeMend("closed the ring", at: ring))
        }
        guard points.count >= 4 else {
            throw ShapeError("a ring needs at least four positions, the last equal to the first", at: ring)
        }
        vertices.reserveCapacity(points.count)
        var before: MapPoint?
        for (index, point) in points.enumerated() {
            try add(point, from: before, position: index, at: ring.at(index))
            before = point
        }
        try close(at: ring)
    }

    private static func isSamePlace(_ a: MapPoint, _ b: MapPoint) -> Bool {
        a.y == b.y && (a.isPole || (a.x - b.x) % MapPoint.turn == 0)
    }

    /// Adds a point after the last one, the shorter way round.
    ///
    /// - Parameter written: the point before as it is written.
    private mutating func add(
        _ point: MapPoint, from written: MapPoint?, position: Int, at location: ShapeError.Location
    ) throws(ShapeError) {
        guard let last = vertices.last?.point, let written else {
            vertices.append(Vertex(point: MapPoint(x: MapPoint.turned(point.x), y: point.y), position: position))
            return
        }
        var way = point.x - written.x
        if !(point.isPole && point.y == last.y && abs(way) <= MapPoint.turn) {
            way = MapPoint.turned(way)
            guard way != -MapPoint.half || (point.isPole && point.y == last.y) else {
                throw ShapeError(
                    "the edge to this position spans exactly 180 degrees of longitude, so it goes neither way; add a "
                        + "position between", at: location)
            }
        }
        guard way != 0 || point.y != last.y else { return }
        vertices.append(Vertex(point: MapPoint(x: last.x + way, y: point.y), position: position))
    }

    /// Makes the last point equal the first, and removes it.
    private mutating func close(at ring: ShapeError.Location) throws(ShapeError) {
        guard let first = vertices.first?.point, let last = vertices.last?.point else { return }
        let excess = last.x - first.x
        if excess != 0 { try removeExcess(excess, at: ring) }
        if vertices.count > 1 { vertices.removeLast() }
        let west = vertices.reduce(Int64.max) { min($0, $1.point.x) }
        let shift = MapPoint.turns(west) * MapPoint.turn
        if shift != 0 { for index in vertices.indices { vertices[index].point.x -= shift } }
    }

    /// Leads a ring that touches one pole back along it, so that the ring closes on the map.
    private mutating func removeExcess(_ excess: Int64, at ring: ShapeError.Location) throws(ShapeError) {
        let poles = vertices.indices.filter { vertices[$0].point.isPole }
        guard let at = poles.first, abs(excess) <= MapPoint.turn,
            poles.allSatisfy({ vertices[$0].point.y == vertices[at].point.y })
        else {
            throw ShapeError(
                "the ring goes round a pole and does not close; lead it along ±180 degrees to the pole at ±90 and back",
                at: ring)
        }
        if vertices[0].point.isPole {
            vertices.append(Vertex(point: vertices[0].point, position: vertices.count))
            return
        }
        // Everything after the first stay at the pole moves by a turn; an edge along the pole takes up the difference.
        let after = at + 1
        if vertices[after].point.y != vertices[at].point.y { vertices.insert(vertices[at], at: after) }
        for index in after..<vertices.count { vertices[index].point.x -= excess }
        if vertices[after].point == vertices[at].point { vertices.remove(at: after) }
    }

    /// Twice the signed area on the map, positive for a counterclockwise ring.
    var doubledArea: Int128 {
        guard var before = vertices.last?.point else { return 0 }
        var sum: Int128 = 0
        for vertex in vertices {
            sum += Int128(before.x) * Int128(vertex.point.y) - Int128(vertex.point.x) * Int128(before.y)
            before = vertex.point
        }
        return sum
    }

    /// Turns the ring round.
    mutating func reverse() { vertices.reverse() }
}

extension ShapeError.Location {
    /// The location of a position in this ring or line.
    func at(_ position: Int) -> ShapeError.Location {
        ShapeError.Location(part: part, ring: ring, position: position)
    }
}
