import Glibc

/// A place as a point of the unit sphere, in the geocentric frame.
///
/// The x axis points to 0° N 0° E, y to 0° N 90° E, and z to the north pole. The sphere has no seam: the antimeridian
/// and the poles are places like any other. The latitude is treated as the angle at the centre, as in every
/// great-circle formula.
public struct UnitVector: Hashable, Sendable {
    /// The coordinate towards 0° N 0° E.
    public let x: Double
    /// The coordinate towards 0° N 90° E.
    public let y: Double
    /// The coordinate towards the north pole.
    public let z: Double

    /// Creates the point of the sphere at a coordinate.
    public init(_ coordinate: Coordinate) {
        let latitude = coordinate.latitude * .pi / 180
        let longitude = coordinate.longitude * .pi / 180
        let equatorial = cos(latitude)
        self.init(x: equatorial * cos(longitude), y: equatorial * sin(longitude), z: sin(latitude))
    }

    /// Creates a vector from components of unit length.
    init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// Creates the point of the sphere in the direction of a vector.
    ///
    /// Returns `nil` if the vector has no direction, because it is nearly zero or not finite.
    public init?(towardsX x: Double, y: Double, z: Double) {
        let length = (x * x + y * y + z * z).squareRoot()
        guard length > 1e-12, length.isFinite else { return nil }
        self.init(x: x / length, y: y / length, z: z / length)
    }

    /// The latitude in degrees north.
    public var latitudeDegrees: Double { atan2(z, (x * x + y * y).squareRoot()) * 180 / .pi }
    /// The longitude in degrees east, within ±180.
    public var longitudeDegrees: Double { atan2(y, x) * 180 / .pi }

    /// Returns the squared chord between two points, from 0 to 4; see ``Sphere``.
    @inlinable
    public func squaredChord(to other: UnitVector) -> Double {
        let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
        return dx * dx + dy * dy + dz * dz
    }

    /// Returns the cosine of the angle between two points.
    @inlinable
    public func dot(_ other: UnitVector) -> Double { x * other.x + y * other.y + z * other.z }

    /// Returns the great-circle distance to another point.
    public func distance(to other: UnitVector) -> Distance {
        Sphere.distance(squaredChord: squaredChord(to: other))
    }

    /// Returns the direction in which the great circle to another point leaves this one.
    ///
    /// At a pole, where every direction is south or north, it is measured from the meridian of the stored longitude.
    /// For equal points it is 0.
    public func bearing(to other: UnitVector) -> Angle {
        // These are the components to the east and north at this point. The horizontal length is zero only at a pole.
        let horizontal = (x * x + y * y).squareRoot()
        let (cosine, sine) = horizontal > 0 ? (x / horizontal, y / horizontal) : (1, 0)
        let east = -sine * other.x + cosine * other.y
        let north = -z * (cosine * other.x + sine * other.y) + horizontal * other.z
        guard east != 0 || north != 0 else { return .degrees(0) }
        return Angle(degrees: atan2(east, north) * 180 / .pi).normalized
    }
}
