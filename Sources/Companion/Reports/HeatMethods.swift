public import Callers
import GRDB
import Geodesy
import People
public import RPC
public import Service
import Sights
import Store

/// The RPC method about where devices have been: `history.heat`.
public struct HeatMethods: Sendable {
    private let store: LocationDatabase
    private let deviceDirectory: DeviceDirectory

    /// Creates the method for a service.
    public init(_ context: ServiceContext) {
        store = context.store
        deviceDirectory = DeviceDirectory(store: store, liveState: context.liveState)
    }

    /// The method about where devices have been.
    public var all: [Method<Principal>] {
        [
            .stored(
                "history.heat",
                "Returns the squares of a map's window that trips have passed, and how many did. Trips count once they "
                    + "have ended.",
                Self.window,
                Parameter<Int>.optional(
                    "zoom", .integer(in: 0...20), default: 0,
                    "The zoom of the map, with tiles of 512 pixels: a square measures about 8 pixels, or more if there "
                        + "are many. 0 by default."),
                .optional("device", .deviceName, "Only trips of this device."), .optionalYear,
                answers: Heat.shape, errors: [.notFound, .invalidValue], right: .read, handler: heat)
        ]
    }

    private static let window = Parameter<[Double]>.required(
        "bbox", .array(of: .number(in: -180...180), count: 4...4),
        "The window: west, south, east, north in degrees; west > east crosses the 180th meridian."
    ).map { edges throws(Refusal) in
        guard edges.count == 4,
            let window = MapWindow(west: edges[0], south: edges[1], east: edges[2], north: edges[3]),
            let southWest = Coordinate(latitudeE7: window.southE7, longitudeE7: window.westE7),
            let northEast = Coordinate(latitudeE7: window.northE7, longitudeE7: window.eastE7)
        else {
            throw Refusal.invalid(
                "bbox", "must be west, south, east, north in degrees, with -90 <= south <= north <= 90")
        }
        return HeatMap.Window(southWest, northEast)
    }

    @Sendable private func heat(
        _ call: Call<Principal>, in window: HeatMap.Window, zoom: Int, device: String?, year: Int64?
    ) async throws -> Heat {
        let access = try await deviceDirectory.access(of: call.viewer)
        var trips = HeatMap.Trips(among: access.scope, year: year)
        if let device { trips.device = try await deviceDirectory.device(device, among: access.devices).name }
        return try await store.read { [trips] db in
            Heat(
                map: try HeatMap(window, zoom: zoom, trips, in: db),
                years: try HeatMap.years(of: trips, in: db), pending: try TripHeat.pending(among: trips.scope, in: db))
        }
    }
}

/// The heat map of a window.
private struct Heat: Answerable, Sendable {
    var map: HeatMap
    var years: [Int64]
    var pending: Int

    static let shape = AnswerShape<Heat>.object {
        Member(
            "level", .integer,
            "The level of the squares: they are the tiles of this zoom of a web map, so 2 to the power of it are in a row."
        ) { $0.map.level }
        Member("most", .integer, "The largest number of trips of a square; 0 without any.") {
            $0.map.cells.map(\.trips).max() ?? 0
        }
        Member(
            "cells", .array(of: .array(of: .integer, count: 3...3), count: 0...HeatMap.mostCells),
            "The squares: for each its column from the 180th meridian eastwards, its row from the north, and its trips."
        ) { heat in heat.map.cells.map { [Int64(clamping: $0.square.x), Int64(clamping: $0.square.y), $0.trips] } }
        Member("years", .array(of: .integer), "The years in which trips are counted, the earliest first.") { $0.years }
        Member("pending", .integer, "The number of trips that are still to be counted after an upgrade.") { $0.pending }
    }
}

extension Parameter where Value == Int64? {
    /// The optional parameter `year`.
    static var optionalYear: Parameter {
        .optional("year", .integer(in: 1...9999), "Only trips that began in this year; all years by default.")
    }
}
