import Geodesy
import TextCoding

/// Positions as GPX writes them.
enum GPXPosition {
    /// Returns the place of a latitude and longitude in degrees, or `nil` if there is no such place.
    @inline(__always)
    static func read(_ latitude: Span<UInt8>, _ longitude: Span<UInt8>) -> Coordinate? {
        // Nearly all positions are written so that they need no rounding.
        if let latitudeE7 = DecimalText.parseE7(latitude), let longitudeE7 = DecimalText.parseE7(longitude) {
            guard let latitudeE7 = Int32(exactly: latitudeE7), let longitudeE7 = Int32(exactly: longitudeE7) else {
                return nil
            }
            return Coordinate(latitudeE7: latitudeE7, longitudeE7: longitudeE7)
        }
        guard let latitude = DecimalText.parse(latitude), let longitude = DecimalText.parse(longitude) else {
            return nil
        }
        return Coordinate(latitude: latitude, longitude: longitude)
    }
}
