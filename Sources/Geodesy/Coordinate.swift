/// A place on the WGS 84 ellipsoid, held as whole ten-millionths of a degree.
///
/// One unit is at most 11.1 mm on the ground, finer than any receiver. Being whole, a coordinate is equal to what
/// was stored and read again, on every machine; the readers' rounding to 1e-7 degrees is this type's.
public struct Coordinate: Hashable, Sendable, Codable {
    /// Degrees north times 10⁷, within ±900,000,000.
    public let latitudeE7: Int32
    /// Degrees east times 10⁷, within ±1,800,000,000; both ends are the antimeridian.
    public let longitudeE7: Int32

    /// Units of this type in a degree.
    public static let unitsPerDegree = 1e7

    /// Where the prime meridian crosses the equator.
    public static let origin = Coordinate()

    private init() {
        latitudeE7 = 0
        longitudeE7 = 0
    }

    /// The place at so many whole units, or nil where that is none on earth.
    public init?(latitudeE7: Int32, longitudeE7: Int32) {
        guard abs(Int64(latitudeE7)) <= 900_000_000, abs(Int64(longitudeE7)) <= 1_800_000_000 else {
            return nil
        }
        self.latitudeE7 = latitudeE7
        self.longitudeE7 = longitudeE7
    }

    /// The place nearest to so many degrees, or nil where that is none on earth: latitude beyond ±90, longitude
    /// beyond ±180, not a number, or infinite.
    public init?(latitude: Double, longitude: Double) {
        // A comparison with NaN is false, and so refuses it.
        guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
        self.latitudeE7 = Int32((latitude * Self.unitsPerDegree).rounded())
        self.longitudeE7 = Int32((longitude * Self.unitsPerDegree).rounded())
    }

    /// The place nearest to a unit vector.
    public init(_ vector: UnitVector) {
        let latitude = vector.latitudeDegrees
        let longitude = vector.longitudeDegrees
        self.latitudeE7 = Int32((min(90, max(-90, latitude)) * Self.unitsPerDegree).rounded())
        self.longitudeE7 = Int32((min(180, max(-180, longitude)) * Self.unitsPerDegree).rounded())
    }

    /// Degrees north.
    public var latitude: Double { Double(latitudeE7) / Self.unitsPerDegree }
    /// Degrees east.
    public var longitude: Double { Double(longitudeE7) / Self.unitsPerDegree }

    /// Reads latitude and longitude in whole units, in that order.
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        let latitude = try container.decode(Int32.self)
        let longitude = try container.decode(Int32.self)
        guard let place = Coordinate(latitudeE7: latitude, longitudeE7: longitude) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no place on earth")
        }
        self = place
    }

    /// Writes latitude and longitude in whole units, in that order.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(latitudeE7)
        try container.encode(longitudeE7)
    }
}
