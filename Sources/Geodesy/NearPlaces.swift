/// Two places so near each other that the earth between them is a plane, with the errors stated where it is used.
struct NearPlaces {
    /// The latitude in the middle, in radians.
    let latitude: Double
    /// From the first place to the second, in radians.
    let latitudeDifference: Double
    /// From the first place to the second, in radians.
    let longitudeDifference: Double

    /// Units of 1e-7 degrees in a twentieth of a degree, and in 80 degrees.
    private static let nearness = 500_000
    private static let highest = 800_000_000
    private static let radians = Double.pi / (180 * Coordinate.unitsPerDegree)

    /// Nil for places farther apart than a twentieth of a degree, beyond 80 degrees, or apart across 180 degrees.
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
