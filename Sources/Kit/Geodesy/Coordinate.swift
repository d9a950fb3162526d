/// A place on the WGS 84 ellipsoid, in whole ten-millionths of a degree.
///
/// One unit is at most 11.1 mm on the ground, finer than any receiver. Because the units are integers, a coordinate
/// that is stored and read again is equal to the original on every machine. The decoders round to this type's 1e-7
/// degrees.
public struct Coordinate: Hashable, Sendable, Codable {
    /// The latitude in degrees north times 10⁷, within ±900,000,000.
    public let latitudeE7: Int32
    /// The longitude in degrees east times 10⁷, within ±1,800,000,000.
    ///
    /// Both ends are the antimeridian.
    public let longitudeE7: Int32

    /// The number of this type's units in a degree.
    public static let unitsPerDegree = 1e7

    /// The intersection of the prime meridian and the equator.
    public static let origin = Coordinate()

    private init() {
        latitudeE7 = 0
        longitudeE7 = 0
    }

    /// Creates a place from integer units.
    ///
    /// Returns `nil` if they are out of range.
    public init?(latitudeE7: Int32, longitudeE7: Int32) {
        guard abs(Int64(latitudeE7)) <= 900_000_000, abs(Int64(longitudeE7)) <= 1_800_000_000 else {
            return nil
        }
        self.latitudeE7 = latitudeE7
        self.longitudeE7 = longitudeE7
    }

    /// Creates the place nearest to a latitude and longitude in degrees.
    ///
    /// Returns `nil` for a latitude beyond ±90, a longitude beyond ±180, and values that are infinite or not a number.
    public init?(latitude: Double, longitude: Double) {
        // A comparison with NaN is false, so NaN is rejected, too.
        guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
        self.latitudeE7 = Int32((latitude * Self.unitsPerDegree).rounded())
        self.longitudeE7 = Int32((longitude * Self.unitsPerDegree).rounded())
    }

    /// Creates the place nearest to a unit vector.
    public init(_ vector: UnitVector) {
        let latitude = vector.latitudeDegrees
        let longitude = vector.longitudeDegrees
        self.latitudeE7 = Int32((min(90, max(-90, latitude)) * Self.unitsPerDegree).rounded())
        self.longitudeE7 = Int32((min(180, max(-180, longitude)) * Self.unitsPerDegree).rounded())
    }

    /// The latitude in degrees north.
    public var latitude: Double { Double(latitudeE7) / Self.unitsPerDegree }
    /// The longitude in degrees east.
    public var longitude: Double { Double(longitudeE7) / Self.unitsPerDegree }

    /// Decodes latitude and longitude in integer units, in that order.
    ///
    /// - Throws: `DecodingError` if they are out of range.
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        let latitude = try container.decode(Int32.self)
        let longitude = try container.decode(Int32.self)
        guard let place = Coordinate(latitudeE7: latitude, longitudeE7: longitude) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no place on earth")
        }
        self = place
    }

    /// Encodes latitude and longitude in integer units, in that order.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(latitudeE7)
        try container.encode(longitudeE7)
    }
}
