import Glibc

/// Places that surely lie nearer to another than a radius, told from their whole units without trigonometry.
///
/// The test errs to one side. What it holds is nearer than the radius by great circle. What it does not hold may be
/// nearer all the same: beyond the antimeridian always, close to a pole often, and else within a rim as wide as the
/// radius times ρ tan φ, for a radius that is seen under the angle ρ from the middle of the earth.
///
/// Proof. Take the straight line between two places on the map of latitude φ and longitude λ, and a number *k* that no
/// cos φ along it exceeds. On the sphere that line is ∫ √(dφ² + cos² φ dλ²) ≤ √(Δφ² + *k*² Δλ²) long, and no way is
/// shorter than the great circle. Here *k* is the cosine of the latitude that lies ρ nearer to the equator than the
/// middle does: where the bound is less than ρ, so is Δφ, and no point of the line has a latitude of greater cosine.
public struct Vicinity: Sendable {
    // In the units of `Coordinate`.
    @usableFromInline let latitude: Double
    @usableFromInline let longitude: Double
    @usableFromInline let squaredRadius: Double
    /// The number *k*.
    @usableFromInline let scale: Double

    /// Holds no place.
    public static let nowhere = Vicinity(latitude: 0, longitude: 0, squaredRadius: -1, scale: 1)

    private static let unitsPerMeter = Coordinate.unitsPerDegree * 180 / .pi / Sphere.radius.meters

    /// What surely lies within `radius` of `center`: nothing where that is not above 0.
    public init(of center: Coordinate, radius: Distance) {
        let nearerToEquator = abs(center.latitude) * .pi / 180 - radius.meters / Sphere.radius.meters
        self.init(of: center, radius: radius, scale: cos(max(0, nearerToEquator)))
    }

    /// What surely lies within `radius` of `center`, both together wholly within the radius of this one.
    ///
    /// It takes over the scale of this one, which holds for all that lies in it, and so needs no trigonometry.
    public func part(of center: Coordinate, radius: Distance) -> Vicinity {
        Vicinity(of: center, radius: radius, scale: scale)
    }

    private init(of center: Coordinate, radius: Distance, scale: Double) {
        let units = radius.meters * Self.unitsPerMeter
        self.init(
            latitude: Double(center.latitudeE7), longitude: Double(center.longitudeE7),
            squaredRadius: units > 0 ? units * units : -1, scale: scale)
    }

    private init(latitude: Double, longitude: Double, squaredRadius: Double, scale: Double) {
        self.latitude = latitude
        self.longitude = longitude
        self.squaredRadius = squaredRadius
        self.scale = scale
    }

    /// Whether a place surely lies within the radius.
    @inlinable
    public func holds(_ place: Coordinate) -> Bool {
        let north = Double(place.latitudeE7) - latitude
        let east = (Double(place.longitudeE7) - longitude) * scale
        return north * north + east * east < squaredRadius
    }
}
