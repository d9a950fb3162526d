/// Two places so near each other that the earth between them counts as a plane.
///
/// Its users state the errors.
struct NearPlaces {
    /// The mean latitude, in radians.
    let latitude: Double
    /// The difference from the first place to the second, in radians.
    let latitudeDifference: Double
    /// The difference from the first place to the second, in radians.
    let longitudeDifference: Double

    /// The greatest difference in each direction: a twentieth of a degree, in units of 1e-7 degrees.
    private static let nearness = 500_000
    /// The greatest mean latitude: 80 degrees, in units of 1e-7 degrees.
    private static let highest = 800_000_000
    private static let radians = Double.pi / (180 * Coordinate.unitsPerDegree)

    /// Creates a pair of near places.
    ///
    /// Returns `nil` if they are more than a twentieth of a degree apart, beyond 80 degrees of latitude, or on
    /// different sides of the antimeridian.
    init?(_ start: Coordinate, _ end: Coordinate) {
        let north = Int(end.latitudeE7) - Int(start.latitudeE7)
        let east = Int(end.longitudeE7) - Int(start.longitudeE7)
        let sum = Int(start.latitudeE7) + Int(end.latitudeE7)
        guard abs(north) <= Self.nearness, abs(east) <= Self.nearness, abs(sum) <= 2 * Self.highest else { return nil }
        latitude = Double(sum) / 2 * Self.radians
        latitudeDifference = Double(north) * Self.radians
        longitudeDifference = Double(east) * Self.radians
    }
}
