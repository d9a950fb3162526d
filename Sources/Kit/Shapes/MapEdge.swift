/// An edge of a ring on the map of longitude and latitude, directed as the ring.
struct MapEdge {
    var a: MapPoint
    var b: MapPoint
    /// The polygon of the shape.
    var part: Int32
    /// The ring of the polygon.
    var ring: Int32
    /// The position in the file at which the edge begins.
    var position: Int32

    /// Where the edge is in the geometry.
    var location: ShapeError.Location {
        ShapeError.Location(part: Int(part), ring: Int(ring), position: Int(position))
    }

    /// Whether the edge runs along a pole, and so has no length on the ground.
    var isAlongPole: Bool { a.isPole && a.y == b.y }

    /// The same edge for every direction and turn: from its western or lower end, which is on the map from -180° to
    /// 180°.
    var key: Key {
        let isForward = (a.x, a.y) < (b.x, b.y)
        let (p, q) = isForward ? (a, b) : (b, a)
        let shift = MapPoint.turns(p.x) * MapPoint.turn
        return Key(p: MapPoint(x: p.x - shift, y: p.y), q: MapPoint(x: q.x - shift, y: q.y), isForward: isForward)
    }

    /// See ``MapEdge/key``.
    struct Key {
        var p: MapPoint
        var q: MapPoint
        var isForward: Bool

        func isSameEdge(_ other: Key) -> Bool { p == other.p && q == other.q }

        static func < (a: Key, b: Key) -> Bool { (a.p.x, a.p.y, a.q.x, a.q.y) < (b.p.x, b.p.y, b.q.x, b.q.y) }
    }

    /// Returns on which side of the line from `a` to `b` a point is: 1 left, -1 right, 0 on it.
    ///
    /// The products of the differences stay below 2⁶³: edges span less than 180° in longitude, and the callers ask only
    /// for points that are less than 360° away from `a`.
    @inline(__always)
    static func side(_ a: MapPoint, _ b: MapPoint, _ point: MapPoint) -> Int {
        let ahead = (b.x - a.x) * (point.y - a.y)
        let aside = (b.y - a.y) * (point.x - a.x)
        return ahead > aside ? 1 : ahead < aside ? -1 : 0
    }
}

/// The rectangle of points on the map, closed on all sides.
struct MapBox {
    var minX: Int64
    var maxX: Int64
    var minY: Int64
    var maxY: Int64

    init(_ a: MapPoint, _ b: MapPoint) {
        (minX, maxX) = a.x < b.x ? (a.x, b.x) : (b.x, a.x)
        (minY, maxY) = a.y < b.y ? (a.y, b.y) : (b.y, a.y)
    }

    /// The box that holds no point.
    static let nothing = MapBox(minX: .max, maxX: .min, minY: .max, maxY: .min)

    private init(minX: Int64, maxX: Int64, minY: Int64, maxY: Int64) {
        (self.minX, self.maxX, self.minY, self.maxY) = (minX, maxX, minY, maxY)
    }

    func union(_ other: MapBox) -> MapBox {
        MapBox(
            minX: min(minX, other.minX), maxX: max(maxX, other.maxX), minY: min(minY, other.minY),
            maxY: max(maxY, other.maxY))
    }

    @inline(__always)
    func meets(_ other: MapBox) -> Bool {
        minX <= other.maxX && maxX >= other.minX && minY <= other.maxY && maxY >= other.minY
    }

    func shifted(by x: Int64) -> MapBox { MapBox(minX: minX + x, maxX: maxX + x, minY: minY, maxY: maxY) }
}
