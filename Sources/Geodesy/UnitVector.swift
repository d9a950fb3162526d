import Glibc

/// A place as a point of the unit sphere, with the axes of the geocentric frame: x to 0° N 0° E, y to 0° N 90° E,
/// z to the north pole.
///
/// The sphere has no seam: the antimeridian and the poles are places like any other. Latitude is taken as the
/// angle at the centre, as every great-circle formula does.
public struct UnitVector: Hashable, Sendable {
    /// Towards 0° N 0° E.
    public let x: Double
    /// Towards 0° N 90° E.
    public let y: Double
    /// Towards the north pole.
    public let z: Double

    /// The point of the sphere at a coordinate.
    public init(_ coordinate: Coordinate) {
        let latitude = coordinate.latitude * .pi / 180
        let longitude = coordinate.longitude * .pi / 180
        let equatorial = cos(latitude)
        self.init(x: equatorial * cos(longitude), y: equatorial * sin(longitude), z: sin(latitude))
    }

    /// A vector that already has length one.
    init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// The point of the sphere in the direction of a vector, or nil where that has no direction (all but zero, or
    /// not finite).
    public init?(towardsX x: Double, y: Double, z: Double) {
        let length = (x * x + y * y + z * z).squareRoot()
        guard length > 1e-12, length.isFinite else { return nil }
        self.init(x: x / length, y: y / length, z: z / length)
    }

    /// Degrees north.
    public var latitudeDegrees: Double { atan2(z, (x * x + y * y).squareRoot()) * 180 / .pi }
    /// Degrees east, within ±180.
    public var longitudeDegrees: Double { atan2(y, x) * 180 / .pi }

    /// The square of the straight line between two points through the sphere, from 0 to 4; see ``Sphere``.
    @inlinable
    public func squaredChord(to other: UnitVector) -> Double {
        let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
        return dx * dx + dy * dy + dz * dz
    }

    /// The cosine of the angle between two points.
    @inlinable
    public func dot(_ other: UnitVector) -> Double { x * other.x + y * other.y + z * other.z }

    /// The great-circle distance to another point.
    public func distance(to other: UnitVector) -> Distance {
        Sphere.distance(squaredChord: squaredChord(to: other))
    }

    /// The direction in which the great circle to another point leaves this one.
    ///
    /// At a pole, where every direction is south or north, it is counted from the meridian of the stored longitude;
    /// for equal points it is 0.
    public func bearing(to other: UnitVector) -> Angle {
        // East and north at this point; the horizontal length is zero only at a pole.
        let horizontal = (x * x + y * y).squareRoot()
        let (cosine, sine) = horizontal > 0 ? (x / horizontal, y / horizontal) : (1, 0)
        let east = -sine * other.x + cosine * other.y
        let north = -z * (cosine * other.x + sine * other.y) + horizontal * other.z
        guard east != 0 || north != 0 else { return .degrees(0) }
        return Angle(degrees: atan2(east, north) * 180 / .pi).normalized
    }
}
