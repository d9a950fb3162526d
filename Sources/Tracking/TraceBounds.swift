public import Geodesy

/// The box of latitudes and longitudes that holds a way, found point by point.
///
/// The way from one point to the next is the shorter one around the earth, so that the box of a way across the
/// antimeridian is small: it has its west east of its east.
public struct TraceBounds: Hashable, Sendable, Codable {
    /// The southernmost latitude times 10⁷.
    public private(set) var southE7: Int32
    /// The northernmost latitude times 10⁷.
    public private(set) var northE7: Int32
    /// Longitudes times 10⁷, counted on beyond 180 degrees: where the way is, and how far it has been.
    private var longitude: Int64
    private var westernmost: Int64
    private var easternmost: Int64

    private static let circle: Int64 = 3_600_000_000

    /// The bounds of one place.
    public init(_ place: Coordinate) {
        southE7 = place.latitudeE7
        northE7 = place.latitudeE7
        longitude = Int64(place.longitudeE7)
        westernmost = longitude
        easternmost = longitude
    }

    /// The bounds as they are kept: a box whose west is not east of its east does not cross the antimeridian.
    public init(southE7: Int32, westE7: Int32, northE7: Int32, eastE7: Int32) {
        self.southE7 = southE7
        self.northE7 = northE7
        westernmost = Int64(westE7)
        easternmost = Int64(eastE7) + (westE7 > eastE7 ? Self.circle : 0)
        longitude = westernmost
    }

    /// Whether what was saved of it can be counted on: nobody travels around the earth a million times.
    var isBounded: Bool {
        let bounds = -Self.circle * 1_000_000...Self.circle * 1_000_000
        return [longitude, westernmost, easternmost].allSatisfy(bounds.contains)
    }

    /// Grows the bounds until they hold the next place.
    public mutating func include(_ place: Coordinate) {
        southE7 = min(southE7, place.latitudeE7)
        northE7 = max(northE7, place.latitudeE7)
        longitude += Self.wrapped(Int64(place.longitudeE7) - longitude)
        westernmost = min(westernmost, longitude)
        easternmost = max(easternmost, longitude)
    }

    /// The westernmost longitude times 10⁷.
    public var westE7: Int32 { isAround ? -1_800_000_000 : Int32(Self.wrapped(westernmost)) }

    /// The easternmost longitude times 10⁷.
    public var eastE7: Int32 { isAround ? 1_800_000_000 : Int32(Self.wrapped(easternmost)) }

    /// Whether the way leads around the whole earth.
    private var isAround: Bool { easternmost - westernmost >= Self.circle }

    /// The same longitude, from -180 to 180 degrees.
    private static func wrapped(_ longitude: Int64) -> Int64 {
        let rest = longitude % circle
        return rest > circle / 2 ? rest - circle : rest < -circle / 2 ? rest + circle : rest
    }
}
