import Glibc

/// A set of places that certainly lie within a radius of a centre.
///
/// The test uses integer units and no trigonometry.
///
/// The test errs in one direction. The places it accepts are nearer than the radius by great circle. It may reject
/// places that are nearer, too: always beyond the antimeridian, often close to a pole, and otherwise within a rim as
/// wide as the radius times ρ tan φ. Here φ is the latitude, and ρ is the angle of the radius as seen from the centre
/// of the earth.
///
/// Proof. Take the straight line between two places on the map of latitude φ and longitude λ, and a number *k* that no
/// cos φ along it exceeds. On the sphere the length of that line is ∫ √(dφ² + cos² φ dλ²) ≤ √(Δφ² + *k*² Δλ²), and no
/// path is shorter than the great circle. Here *k* is the cosine of the latitude that is nearer to the equator than the
/// centre by ρ. If the bound is less than ρ, so is Δφ, and no point of the line has a latitude with a greater cosine.
public struct Vicinity: Sendable {
    // These are in the units of `Coordinate`.
    @usableFromInline let latitude: Double
    @usableFromInline let longitude: Double
    @usableFromInline let squaredRadius: Double
    /// The number *k* of the proof.
    @usableFromInline let scale: Double

    /// The empty vicinity.
    public static let nowhere = Vicinity(latitude: 0, longitude: 0, squaredRadius: -1, scale: 1)

    private static let unitsPerMeter = Coordinate.unitsPerDegree * 180 / .pi / Sphere.radius.meters

    /// Creates the vicinity of places within `radius` of `center`.
    ///
    /// It is empty unless the radius is greater than 0.
    public init(of center: Coordinate, radius: Distance) {
        let nearerToEquator = abs(center.latitude) * .pi / 180 - radius.meters / Sphere.radius.meters
        self.init(of: center, radius: radius, scale: cos(max(0, nearerToEquator)))
    }

    /// Returns the vicinity of places within `radius` of `center`, all of which must lie within the radius of this one.
    ///
    /// It takes over the scale of this vicinity, which is valid for everything inside, and so needs no trigonometry.
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

    /// Whether a place certainly lies within the radius.
    @inlinable
    public func holds(_ place: Coordinate) -> Bool {
        let north = Double(place.latitudeE7) - latitude
        let east = (Double(place.longitudeE7) - longitude) * scale
        return north * north + east * east < squaredRadius
    }
}
