public import Geodesy
import Service

/// One of the sixteen points of the compass.
///
/// Its raw value is its letters: `N`, `NNE`, `NE` and so on clockwise.
public enum CompassPoint: String, Hashable, Sendable, CaseIterable {
    /// The points at 0°, 22.5°, 45° and 67.5°.
    case north = "N", northNortheast = "NNE", northeast = "NE", eastNortheast = "ENE"
    /// The points at 90°, 112.5°, 135° and 157.5°.
    case east = "E", eastSoutheast = "ESE", southeast = "SE", southSoutheast = "SSE"
    /// The points at 180°, 202.5°, 225° and 247.5°.
    case south = "S", southSouthwest = "SSW", southwest = "SW", westSouthwest = "WSW"
    /// The points at 270°, 292.5°, 315° and 337.5°.
    case west = "W", westNorthwest = "WNW", northwest = "NW", northNorthwest = "NNW"

    /// Creates the point nearest to a direction.
    ///
    /// A direction halfway between two points yields the clockwise one.
    public init(_ direction: Angle) {
        let points = Self.allCases
        self = points[Int((direction.normalized.degrees / 22.5).rounded()) % points.count]
    }
}
