/// The bounding box of some places in latitude and longitude, as files state it.
///
/// Longitudes are compared as numbers. A track across the antimeridian spans nearly the whole circle, as it does in a
/// GPX file's own `bounds`.
public struct GeographicBounds: Hashable, Sendable {
    /// The southernmost latitude times 10⁷.
    public private(set) var minLatitudeE7: Int32
    /// The westernmost longitude times 10⁷.
    public private(set) var minLongitudeE7: Int32
    /// The northernmost latitude times 10⁷.
    public private(set) var maxLatitudeE7: Int32
    /// The easternmost longitude times 10⁷.
    public private(set) var maxLongitudeE7: Int32

    /// Creates the bounds of one place.
    public init(_ place: Coordinate) {
        minLatitudeE7 = place.latitudeE7
        maxLatitudeE7 = place.latitudeE7
        minLongitudeE7 = place.longitudeE7
        maxLongitudeE7 = place.longitudeE7
    }

    /// Extends the bounds to a place.
    public mutating func include(_ place: Coordinate) {
        minLatitudeE7 = min(minLatitudeE7, place.latitudeE7)
        maxLatitudeE7 = max(maxLatitudeE7, place.latitudeE7)
        minLongitudeE7 = min(minLongitudeE7, place.longitudeE7)
        maxLongitudeE7 = max(maxLongitudeE7, place.longitudeE7)
    }
}
