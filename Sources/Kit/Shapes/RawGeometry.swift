public import Geodesy

/// A position as a file states it, in degrees and before any check.
public struct RawPosition: Hashable, Sendable {
    /// The longitude in degrees east.
    public var longitude: Double
    /// The latitude in degrees north.
    public var latitude: Double

    /// Creates a position from degrees.
    public init(longitude: Double, latitude: Double) {
        self.longitude = longitude
        self.latitude = latitude
    }

    /// Creates the position of a place.
    public init(_ place: Coordinate) { self.init(longitude: place.longitude, latitude: place.latitude) }
}

/// A geometry as a file states it, before any check.
public enum RawGeometry: Hashable, Sendable {
    /// A point, which needs a radius to be a shape.
    case point(RawPosition)
    /// One or more lines, which need a radius to be a shape.
    case lines([[RawPosition]])
    /// One or more polygons, each a list of rings whose first one is the outer ring.
    case polygons([[[RawPosition]]])
}

/// A position in whole ten-millionths of a degree on the map of longitude and latitude.
///
/// The longitude may be beyond ±180° where a ring or line goes on over the antimeridian, so that edges stay straight.
struct MapPoint: Hashable {
    /// The longitude times 10⁷.
    var x: Int64
    /// The latitude times 10⁷.
    var y: Int64

    /// Half a turn.
    static let half: Int64 = 1_800_000_000
    /// A whole turn.
    static let turn: Int64 = 3_600_000_000
    /// The latitude of the north pole.
    static let pole: Int64 = 900_000_000

    /// The number of turns east of the map from -180° to 180° at which a longitude lies.
    static func turns(_ x: Int64) -> Int64 {
        let shifted = x + half
        return shifted >= 0 ? shifted / turn : -((turn - 1 - shifted) / turn)
    }

    /// A longitude on the map from -180° to 180°, exclusive.
    static func turned(_ x: Int64) -> Int64 { x - turns(x) * turn }

    /// Whether the point is a pole, whatever its longitude.
    var isPole: Bool { abs(y) == Self.pole }

    /// The place, with its longitude within ±180°.
    var coordinate: Coordinate {
        let x = abs(self.x) <= Self.half ? self.x : Self.turned(self.x)
        return Coordinate(latitudeE7: Int32(clamping: y), longitudeE7: Int32(clamping: x)) ?? .origin
    }

    init(x: Int64, y: Int64) {
        self.x = x
        self.y = y
    }

    init(_ place: Coordinate) { self.init(x: Int64(place.longitudeE7), y: Int64(place.latitudeE7)) }

    /// The greatest magnitude of a longitude in degrees: one turn more than is needed, as some programs write it when
    /// a line crosses the antimeridian.
    static let greatestLongitude = 540.0

    /// Rounds a position to the map.
    ///
    /// - Throws: a ``ShapeError`` if it is not a number or out of range.
    init(_ raw: RawPosition, at location: ShapeError.Location) throws(ShapeError) {
        guard abs(raw.latitude) <= 90 else {
            throw ShapeError(
                "latitude \(raw.latitude) is not within ±90 degrees; the longitude comes first, and lengths in metres "
                    + "must be converted to degrees of WGS 84", at: location)
        }
        guard abs(raw.longitude) <= Self.greatestLongitude else {
            throw ShapeError("longitude \(raw.longitude) is not within ±540 degrees", at: location)
        }
        x = Int64((raw.longitude * Coordinate.unitsPerDegree).rounded())
        y = Int64((raw.latitude * Coordinate.unitsPerDegree).rounded())
    }
}
