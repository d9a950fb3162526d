public import Geodesy
import Service

/// One of the sixteen points of the compass, by its letters: `N`, `NNE`, `NE` and so on clockwise.
public enum CompassPoint: String, Hashable, Sendable, CaseIterable {
    /// 0°, 22.5°, 45°, 67.5°.
    case north = "N", northNortheast = "NNE", northeast = "NE", eastNortheast = "ENE"
    /// 90°, 112.5°, 135°, 157.5°.
    case east = "E", eastSoutheast = "ESE", southeast = "SE", southSoutheast = "SSE"
    /// 180°, 202.5°, 225°, 247.5°.
    case south = "S", southSouthwest = "SSW", southwest = "SW", westSouthwest = "WSW"
    /// 270°, 292.5°, 315°, 337.5°.
    case west = "W", westNorthwest = "WNW", northwest = "NW", northNorthwest = "NNW"

    /// The point nearest to a direction; halfway between two it is the one clockwise.
    public init(_ direction: Angle) {
        let points = Self.allCases
        self = points[Int((direction.normalized.degrees / 22.5).rounded()) % points.count]
    }
}
