import Foundation
public import GRDB
public import Geodesy

/// Where devices have been in a year, and where they had not been before.
public struct HeatYear: Sendable {
    /// A place in which trips began, rested or ended.
    public struct Place: Hashable, Sendable {
        /// The middle of its square, which measures 600 m at the equator.
        public var center: Coordinate
        /// The number of trips in the year that began, rested or ended in the square, or in one beside it that counts as
        /// the same place.
        public var trips: Int64
        /// Whether no trip of an earlier year did so in it or within about 5 km of it.
        public var isNew: Bool
    }

    /// The squares of level 13 that trips passed: 5 km at the equator.
    public private(set) var squares = 0
    /// Those of them that no trip of an earlier year passed.
    public private(set) var newSquares = 0
    /// The places, those of the most trips first.
    public private(set) var places: [Place] = []
    /// The south-western and the north-eastern corner of the area that has all of them; `nil` without any.
    public private(set) var bounds: (southWest: Coordinate, northEast: Coordinate)?

    /// The level of squares that are counted as new.
    private static let level = 13

    /// Reads a year of a device, or of all devices.
    ///
    /// - Parameter scope: The only trips that are counted at all; `nil` for no such limit.
    /// - Complexity: O(*n*) for *n* squares of 5 km and *n* places of all years, and for the squares of the trips that
    ///   the scope has beside its devices.
    public init(_ year: Int64, device: String?, among scope: TravelScope? = nil, in db: Database) throws {
        let devices = try HeatMap.numbers(ofDevice: device, among: scope?.devices, in: db)
        let single = try HeatMap.Trips(device: device, among: scope).single(in: db)
        let passed = try Self.numbers(ofLevel: Self.level, until: year, devices: devices, single, in: db)
        squares = passed.now.count
        var (south, west, north, east) = (90.0, 180.0, -90.0, -180.0)
        for square in passed.now.keys {
            if !passed.before.contains(square) { newSquares &+= 1 }
            let square = HeatSquare(number: square, level: Self.level)
            guard let first = square.place(across: 0, down: 1), let last = square.place(across: 1, down: 0) else {
                continue
            }
            (south, north) = (min(south, first.latitude), max(north, last.latitude))
            (west, east) = (min(west, first.longitude), max(east, last.longitude))
        }
        if let southWest = Coordinate(latitude: south, longitude: west),
            let northEast = Coordinate(latitude: north, longitude: east), !passed.now.isEmpty
        {
            bounds = (southWest, northEast)
        }
        let rested = try Self.numbers(ofLevel: 0, until: year, devices: devices, single, in: db)
        let up = UInt64(clamping: 2 * (HeatSquare.placeLevel - Self.level))
        let before = Set(rested.before.map { $0 &>> up })
        // The squares of a place are one, which is at that of the most trips.
        var kept: [UInt64: (square: UInt64, trips: Int64, most: Int64)] = [:]
        for (square, trips) in rested.now.sorted(by: { $0.key < $1.key }) {
            let large = square &>> up
            guard let one = kept[large] else {
                kept[large] = (square, trips, trips)
                continue
            }
            let sum = one.trips &+ trips
            kept[large] = trips > one.most ? (square, sum, trips) : (one.square, sum, one.most)
        }
        places = kept.compactMap { large, one in
            HeatSquare(number: one.square, level: HeatSquare.placeLevel).center.map { center in
                Place(center: center, trips: one.trips, isNew: !Self.isNear(large, before))
            }
        }.sorted {
            ($1.trips, $0.center.latitudeE7, $0.center.longitudeE7)
                < ($0.trips, $1.center.latitudeE7, $1.center.longitudeE7)
        }
    }

    /// Whether a set has a square or one of the eight around it.
    private static func isNear(_ number: UInt64, _ squares: Set<UInt64>) -> Bool {
        let square = HeatSquare(number: number, level: level)
        return (-1...1).contains { down in
            (-1...1).contains { across in
                squares.contains(HeatSquare(level: level, x: square.x &+ across, y: square.y &+ down).number)
            }
        }
    }

    /// Returns the squares of a year with their counts, and those of the years before.
    private static func numbers(
        ofLevel level: Int, until year: Int64, devices: Set<Int64>?, _ single: TravelScope.SingleTrips, in db: Database
    ) throws -> (now: [UInt64: Int64], before: Set<UInt64>) {
        let rows = try StoredRow.fetchCursor(
            db.cachedStatement(sql: "SELECT device, year, tile, cells FROM heat_tile WHERE level = ?"),
            arguments: [level])
        let driven = try HeatSingles(single, level: level, year: year, in: db)
        var (now, before) = (driven.counts, driven.before)
        while let row = try rows.next() {
            let found: Int64 = row[1]
            guard devices?.contains(row[0]) ?? true, found <= year else { continue }
            let tile: Int64 = row[2]
            let first = UInt64(clamping: tile) &<< UInt64(clamping: 2 * HeatSquare.tileBits)
            HeatTile.forEach(row[3]) { index, count in
                let number = first | UInt64(clamping: index)
                if found == year { now[number, default: 0] &+= count } else { before.insert(number) }
            }
        }
        return (now, before)
    }
}
