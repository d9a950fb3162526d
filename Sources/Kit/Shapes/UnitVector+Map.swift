import Geodesy
import Glibc

extension UnitVector {
    /// The sine of an angle in radians.
    static func sine(_ angle: Double) -> Double { sin(angle) }

    /// Returns the point of the sphere at a latitude and longitude in degrees.
    static func at(latitude: Double, longitude: Double) -> UnitVector {
        let (latitude, longitude) = (latitude * .pi / 180, longitude * .pi / 180)
        let across = cos(latitude)
        return UnitVector(towardsX: across * cos(longitude), y: across * sin(longitude), z: sin(latitude))
            ?? UnitVector(.origin)
    }

    /// Creates the point of the sphere at a point of the map.
    init(_ point: MapPoint) { self.init(point.coordinate) }
}
