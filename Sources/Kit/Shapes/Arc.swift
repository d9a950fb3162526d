import Geodesy

/// A piece of an edge: the shorter great-circle arc between two points, at most ``longest`` wide.
struct Arc {
    var a: UnitVector
    var b: UnitVector

    /// The widest arc, in degrees of latitude or longitude.
    ///
    /// Edges along a meridian or the equator are great circles of any length; short pieces keep their boxes tight.
    static let longest = 1.0
    /// The farthest an edge may be from its arcs, in metres.
    static let tolerance = 0.1

    /// Returns the number of arcs for an edge that is straight on the map.
    ///
    /// Along such an edge a point moves steadily in latitude and longitude. Its path departs from the great circle by the
    /// acceleration sideways: |sin φ Δλ| √(cos² φ Δλ² + 4 Δφ²) at most, for the whole edge as the unit of time. A path
    /// with this acceleration is at most an eighth of it away from the arc between its ends, and a piece of *n* is closer
    /// by *n*².
    static func count(from a: MapPoint, to b: MapPoint) -> Int {
        let (east, north) = (abs(Double(b.x - a.x)) * radians, abs(Double(b.y - a.y)) * radians)
        let (low, high) = (min(abs(a.y), abs(b.y)), max(abs(a.y), abs(b.y)))
        let nearest = a.y.signum() * b.y.signum() < 0 ? 0 : low
        let sine = UnitVector.sine(Double(high) * radians)
        let cosine = UnitVector.sine(.pi / 2 - Double(nearest) * radians)
        let bend = sine * east * (cosine * cosine * east * east + 4 * north * north).squareRoot()
        let departure = bend / 8 * Sphere.radius.meters
        let pieces = max((departure / tolerance).squareRoot(), max(east, north) / (longest * .pi / 180))
        return max(1, Int(pieces.rounded(.up)))
    }

    private static let radians = .pi / 180 / Coordinate.unitsPerDegree

    /// Returns the squared chord from a point to the nearest point of the arc.
    ///
    /// All is computed from differences, so that short arcs lose no digits. With e = b - a and w = p - a, the foot of p on
    /// the great circle is beyond a where e·w ≤ |e|²|w|²/4, and the sine of the distance to the great circle is
    /// det(w, a, e) / |a × e|.
    @inline(__always)
    static func squaredChord(_ a: UnitVector, _ b: UnitVector, to p: UnitVector) -> Double {
        let (ex, ey, ez) = (b.x - a.x, b.y - a.y, b.z - a.z)
        let (wx, wy, wz) = (p.x - a.x, p.y - a.y, p.z - a.z)
        let (vx, vy, vz) = (p.x - b.x, p.y - b.y, p.z - b.z)
        let ee = ex * ex + ey * ey + ez * ez
        let ww = wx * wx + wy * wy + wz * wz
        let vv = vx * vx + vy * vy + vz * vz
        let we = wx * ex + wy * ey + wz * ez
        let ve = -(vx * ex + vy * ey + vz * ez)
        if we * 4 <= ee * ww || ve * 4 <= ee * vv { return min(ww, vv) }
        let det = wx * (a.y * ez - a.z * ey) + wy * (a.z * ex - a.x * ez) + wz * (a.x * ey - a.y * ex)
        let square = min(1, det * det / (ee * (1 - ee / 4)))
        return 2 * square / (1 + (1 - square).squareRoot())
    }

    /// The box of the arc: that of its ends and of the point where the tangents at the ends meet.
    var box: Box {
        let scale = 1 / (1 + a.dot(b))
        let (x, y, z) = ((a.x + b.x) * scale, (a.y + b.y) * scale, (a.z + b.z) * scale)
        return Box(
            minX: min(a.x, b.x, x), minY: min(a.y, b.y, y), minZ: min(a.z, b.z, z), maxX: max(a.x, b.x, x),
            maxY: max(a.y, b.y, y), maxZ: max(a.z, b.z, z))
    }
}
