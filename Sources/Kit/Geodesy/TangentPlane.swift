/// The plane that touches the sphere at a place: a map of the surroundings, in metres to the east and the north.
///
/// This is the orthographic projection. Near the place, distances on the plane equal great-circle distances to within
/// ``error``. Computing them is cheap enough to do for many points at once in single precision.
///
/// Proof of the error, for one point within ``reach`` and another within ``span`` of the place, all lengths in radii:
/// - Let *d* be their distance on the plane, and *s* ≤ 0.0038 the sum of their distances from the place. Their heights
///   differ by at most *d s* / 2, rounded up. So the straight line between them is longer than *d* by at most
///   *d s*² / 8 ≤ 7e-9, and the great circle is longer than that by at most *s*³ / 24 ≤ 3e-9: 6 cm.
/// - ``point(near:)`` computes the first point with series in place of sines. With the differences *a* of latitude and
///   *b* of longitude, and the cosine *c* ≥ 0.17 of the latitude, it errs by at most
///   *c b*³ / 6 + *b a*² *c* / 2 ≤ 1.2e-8 to the east, where *a* ≤ 0.00126 and *c b* ≤ 0.00127, and by
///   *a*³ / 6 + *a*² *b*² / 4 + *c b*⁴ / 24 ≤ 4e-10 to the north: 8 cm.
/// - Single precision rounds 24 km to 2 mm, a few times.
/// - The path between two such points bulges out of its chord by at most 0.5 m on 5 km. But it bulges upwards, which
///   moves it on the plane by less than a millimetre.
public struct TangentPlane: Sendable {
    private let latitude: Double
    private let longitude: Double
    private let touching: UnitVector
    /// The cosine of the latitude, greater than 0.
    private let cosine: Double

    /// The greatest difference between a distance on the plane and the great-circle distance, in metres.
    ///
    /// It is twice the sum of the proof.
    public static let error = 0.25
    /// The greatest distance from the place for ``point(near:)``.
    public static let reach = Distance.kilometers(8)
    /// The greatest distance from the place for ``point(_:)``.
    public static let span = Distance.kilometers(16)
    private static let greatestLatitude = 80.0

    /// Creates the plane at a place, which is also given as a unit vector.
    ///
    /// Returns `nil` within ten degrees of the poles, where the axes turn too fast.
    public init?(at place: Coordinate, _ touching: UnitVector) {
        guard abs(place.latitude) <= Self.greatestLatitude else { return nil }
        latitude = Double(place.latitudeE7)
        longitude = Double(place.longitudeE7)
        self.touching = touching
        cosine = (touching.x * touching.x + touching.y * touching.y).squareRoot()
    }

    /// Returns the position of a point of the sphere on the plane, with x to the east and y to the north.
    public func point(_ vector: UnitVector) -> SIMD2<Float> {
        let (x, y) = (touching.x / cosine, touching.y / cosine)
        let east = x * vector.y - y * vector.x
        let north = cosine * vector.z - touching.z * (x * vector.x + y * vector.y)
        return SIMD2(Float(east * Sphere.radius.meters), Float(north * Sphere.radius.meters))
    }

    /// Returns the position on the plane of a place nearby, which must be on the same side of the antimeridian.
    public func point(near place: Coordinate) -> SIMD2<Float> {
        let north = (Double(place.latitudeE7) - latitude) * Self.radiansPerUnit
        let turn = (Double(place.longitudeE7) - longitude) * Self.radiansPerUnit
        let east = turn * (cosine - north * touching.z)
        let bent = north + 0.5 * touching.z * turn * east
        return SIMD2(Float(east * Sphere.radius.meters), Float(bent * Sphere.radius.meters))
    }

    private static let radiansPerUnit = .pi / 180 / Coordinate.unitsPerDegree
}
