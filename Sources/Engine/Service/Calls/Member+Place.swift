package import Geodesy
package import RPC

extension Member {
    /// Returns the members `lat` and `lon` of a place, to 1e-7 degrees.
    package static func place(
        _ north: String, _ east: String, _ place: @escaping @Sendable (Owner) -> Coordinate
    ) -> [Member] {
        [
            Member("lat", .number(.latitude, decimals: 7), north) { place($0).latitude },
            Member("lon", .number(.longitude, decimals: 7), east) { place($0).longitude },
        ]
    }
}
