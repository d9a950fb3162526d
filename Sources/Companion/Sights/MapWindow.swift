import Geodesy
import RPC
import Service

/// A map's window: the area between two latitudes and two longitudes, including the edges.
///
/// If west is greater than east, the window crosses the 180th meridian. −180° and 180° are the same longitude.
public struct MapWindow: Hashable, Sendable {
    /// The western edge in 1e-7 degrees.
    public let westE7: Int32
    /// The southern edge in 1e-7 degrees.
    public let southE7: Int32
    /// The eastern edge in 1e-7 degrees.
    public let eastE7: Int32
    /// The northern edge in 1e-7 degrees.
    public let northE7: Int32
    /// Whether the window crosses the 180th meridian, which is so if west is greater than east.
    public let crossesAntimeridian: Bool

    /// Creates a window from its edges in degrees.
    ///
    /// Returns `nil` if south is greater than north, or an edge is outside the globe.
    public init?(west: Double, south: Double, east: Double, north: Double) {
        guard south <= north, let southwest = Coordinate(latitude: south, longitude: west),
            let northeast = Coordinate(latitude: north, longitude: east)
        else { return nil }
        // Compared before rounding: a window of all the globe but a sliver must not turn into the sliver.
        crossesAntimeridian = west > east
        westE7 = southwest.longitudeE7
        southE7 = southwest.latitudeE7
        eastE7 = northeast.longitudeE7
        northE7 = northeast.latitudeE7
    }
}

extension MapWindow {
    /// Returns the longitude of a place within the window; `nil` if the place is outside.
    ///
    /// A longitude of ±180° gets the sign with which it lies between the window's edges.
    func longitude(of longitudeE7: Int32, at latitudeE7: Int32) -> Int32? {
        guard (southE7...northE7).contains(latitudeE7) else { return nil }
        if holds(longitudeE7) { return longitudeE7 }
        return abs(longitudeE7) == 1_800_000_000 && holds(-longitudeE7) ? -longitudeE7 : nil
    }

    private func holds(_ longitudeE7: Int32) -> Bool {
        crossesAntimeridian
            ? longitudeE7 >= westE7 || longitudeE7 <= eastE7 : longitudeE7 >= westE7 && longitudeE7 <= eastE7
    }

    fileprivate static let schema = Schema.array(of: .number(in: -180...180), count: 4...4)
    fileprivate static let edges = "west, south, east, north in degrees; west > east crosses the 180th meridian."

    /// Creates a window from the four numbers of `bbox`.
    ///
    /// - Throws: `Refusal.invalid` naming `bbox` if the edges do not form a window.
    fileprivate init(edges: [Double]) throws(Refusal) {
        guard edges.count == 4,
            let window = MapWindow(west: edges[0], south: edges[1], east: edges[2], north: edges[3])
        else {
            throw Refusal.invalid(
                "bbox", "must be west, south, east, north in degrees, with -90 <= south <= north <= 90")
        }
        self = window
    }
}

extension Parameter where Value == MapWindow? {
    /// The optional parameter `bbox`.
    static var window: Parameter {
        Parameter<[Double]?>.optional("bbox", MapWindow.schema, "Only sights in this window: \(MapWindow.edges)").map {
            edges throws(Refusal) in
            guard let edges else { return nil }
            return try MapWindow(edges: edges)
        }
    }
}

extension Parameter where Value == MapWindow {
    /// The required parameter `bbox`.
    static var window: Parameter {
        Parameter<[Double]>.required("bbox", MapWindow.schema, "The window: \(MapWindow.edges)").map {
            edges throws(Refusal) in try MapWindow(edges: edges)
        }
    }
}
