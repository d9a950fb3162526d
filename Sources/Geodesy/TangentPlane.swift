/// The plane that touches the sphere at a place: a map of the land around it, in metres to the east and the north.
///
/// It is the orthographic projection. Near the place, distances on it are those of great circles to within
/// ``error``, and its sums are cheap enough to be made for many points at once in single precision.
///
/// Proof of the error, for one point within ``reach`` and another within ``span`` of the place, all lengths in radii:
/// - Let their distance on the plane be *d*, and *s* ≤ 0.0038 the sum of their distances from the place. Their heights
///   differ by at most *d s* / 2, rounded up; so the straight line between them is longer than *d* by at most
///   *d s*² / 8 ≤ 7e-9, and the great circle longer than that by at most *s*³ / 24 ≤ 3e-9: 6 cm.
/// - ``point(near:)`` puts the first point by series in place of sines. With the differences *a* of latitude and *b* of
///   longitude, and *c* ≥ 0.17 the cosine of the latitude, it errs by at most *c b*³ / 6 + *b a*² *c* / 2 ≤ 1.2e-8 to
///   the east, where *a* ≤ 0.00126 and *c b* ≤ 0.00127, and by *a*³ / 6 + *a*² *b*² / 4 + *c b*⁴ / 24 ≤ 4e-10 to the
///   north: 8 cm.
/// - Single precision rounds 24 km to 2 mm, a few times.
/// - The way between two such points bulges out of its chord by at most 0.5 m on 5 km, but upwards, which moves it on
///   the plane by less than a millimetre.
public struct TangentPlane: Sendable {
    private let latitude: Double
    private let longitude: Double
    private let touching: UnitVector
    /// The cosine of the latitude, above 0.
    private let cosine: Double

    /// How far a distance on the plane may be from the one by great circle, in metres; twice the sum of the proof.
    public static let error = 0.25
    /// How far from the place ``point(near:)`` may be asked for.
    public static let reach = Distance.kilometers(8)
    /// How far from the place ``point(_:)`` may be asked for.
    public static let span = Distance.kilometers(16)
    private static let greatestLatitude = 80.0

    /// The plane at a place, given as unit vector too; nil within ten degrees of the poles, where the axes turn too
    /// fast.
    public init?(at place: Coordinate, _ touching: UnitVector) {
        guard abs(place.latitude) <= Self.greatestLatitude else { return nil }
        latitude = Double(place.latitudeE7)
        longitude = Double(place.longitudeE7)
        self.touching = touching
        cosine = (touching.x * touching.x + touching.y * touching.y).squareRoot()
    }

    /// Where a point of the sphere lies on the plane, x to the east and y to the north.
    public func point(_ vector: UnitVector) -> SIMD2<Float> {
        let (x, y) = (touching.x / cosine, touching.y / cosine)
        let east = x * vector.y - y * vector.x
        let north = cosine * vector.z - touching.z * (x * vector.x + y * vector.y)
        return SIMD2(Float(east * Sphere.radius.meters), Float(north * Sphere.radius.meters))
    }

    /// Where a place close by, on the same side of the antimeridian, lies on the plane.
    public func point(near place: Coordinate) -> SIMD2<Float> {
        let north = (Double(place.latitudeE7) - latitude) * Self.radiansPerUnit
        let turn = (Double(place.longitudeE7) - longitude) * Self.radiansPerUnit
        let east = turn * (cosine - north * touching.z)
        let bent = north + 0.5 * touching.z * turn * east
        return SIMD2(Float(east * Sphere.radius.meters), Float(bent * Sphere.radius.meters))
    }

    private static let radiansPerUnit = .pi / 180 / Coordinate.unitsPerDegree
}
