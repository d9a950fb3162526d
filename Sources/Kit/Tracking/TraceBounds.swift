public import Geodesy

/// The bounding box of a path in latitude and longitude, built point by point.
///
/// The path between two points is the shorter one around the earth. A path across the antimeridian has a small box
/// whose western edge has a greater longitude than the eastern one.
public struct TraceBounds: Hashable, Sendable, Codable {
    /// The southernmost latitude times 10⁷.
    public private(set) var southE7: Int32
    /// The northernmost latitude times 10⁷.
    public private(set) var northE7: Int32
    /// The present longitude of the path times 10⁷, counted on beyond 180 degrees, as are the extremes below.
    private var longitude: Int64
    private var westernmost: Int64
    private var easternmost: Int64

    private static let circle: Int64 = 3_600_000_000

    /// Creates the bounds of one place.
    public init(_ place: Coordinate) {
        southE7 = place.latitudeE7
        northE7 = place.latitudeE7
        longitude = Int64(place.longitudeE7)
        westernmost = longitude
        easternmost = longitude
    }

    /// Restores stored bounds.
    ///
    /// They cross the antimeridian if `westE7` is greater than `eastE7`.
    public init(southE7: Int32, westE7: Int32, northE7: Int32, eastE7: Int32) {
        self.southE7 = southE7
        self.northE7 = northE7
        westernmost = Int64(westE7)
        easternmost = Int64(eastE7) + (westE7 > eastE7 ? Self.circle : 0)
        longitude = westernmost
    }

    /// Whether restored bounds are valid: nobody travels around the earth a million times.
    var isBounded: Bool {
        let bounds = -Self.circle * 1_000_000...Self.circle * 1_000_000
        return [longitude, westernmost, easternmost].allSatisfy(bounds.contains)
    }

    /// Extends the bounds to the next place.
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

    /// Whether the path leads around the whole earth.
    private var isAround: Bool { easternmost - westernmost >= Self.circle }

    /// Returns the same longitude, from -180 to 180 degrees.
    private static func wrapped(_ longitude: Int64) -> Int64 {
        let rest = longitude % circle
        return rest > circle / 2 ? rest - circle : rest < -circle / 2 ? rest + circle : rest
    }
}
