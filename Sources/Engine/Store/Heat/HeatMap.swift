import Foundation
public import GRDB
public import Geodesy

/// The part of the heat map within a window: the squares that trips have passed, and how many did.
public struct HeatMap: Sendable {
    /// A window in degrees, whose east is west of its west if it is across the 180th meridian.
    public struct Window: Hashable, Sendable {
        /// The south-west corner.
        public var southWest: Coordinate
        /// The north-east corner.
        public var northEast: Coordinate

        /// Creates a window from two corners.
        public init(_ southWest: Coordinate, _ northEast: Coordinate) {
            (self.southWest, self.northEast) = (southWest, northEast)
        }
    }

    /// The trips to count.
    public struct Trips: Hashable, Sendable {
        /// The device; `nil` for all devices.
        public var device: String?
        /// The only trips that are counted at all; `nil` for no such limit.
        public var scope: TravelScope?
        /// The year; `nil` for all years.
        public var year: Int64?

        /// Creates a choice of trips; the default is all.
        public init(device: String? = nil, among scope: TravelScope? = nil, year: Int64? = nil) {
            self.device = device
            self.scope = scope
            self.year = year
        }
    }

    /// A square, and the number of trips that passed it.
    public struct Cell: Hashable, Sendable {
        /// The square.
        public var square: HeatSquare
        /// The number of trips.
        public var trips: Int64
    }

    /// The level of the squares.
    public private(set) var level: Int
    /// The squares, in the order of their numbers within each tile.
    public private(set) var cells: [Cell] = []

    /// The most tiles that are read.
    private static let mostTiles = 64
    /// The most squares in an answer: a window of 1,000 by 1,000 pixels full of squares of 8.
    public static let mostCells = 16_384

    /// Reads the squares in a window, as fine as suits a zoom.
    ///
    /// A square measures about eight pixels of a map with tiles of 512. It is larger if the window is too large for the
    /// zoom, or has more than ``mostCells`` squares.
    ///
    /// - Complexity: O(*t* *d* *y*) for at most 64 tiles, *d* devices and *y* years, and O(*n*) for the squares of the
    ///   trips that the scope has beside its devices.
    public init(_ window: Window, zoom: Int, _ trips: Trips, in db: Database) throws {
        let wanted = min(max(zoom, 0), 20) + HeatSquare.tileBits
        var levels = HeatSquare.levels.filter { $0 <= wanted }
        if let finer = HeatSquare.levels.last(where: { $0 >= wanted }) { levels.insert(finer, at: 0) }
        level = HeatSquare.levels.last ?? 0
        let devices = try Self.numbers(ofDevice: trips.device, among: trips.scope?.devices, in: db)
        let single = try trips.single(in: db)
        for level in levels {
            let area = HeatArea(window, level: level)
            guard area.tiles.count <= Self.mostTiles || level == levels.last else { continue }
            self.level = level
            cells = []
            let passed = try HeatSingles(single, level: level, year: trips.year, in: db) { number in
                area.holds(HeatSquare(number: number, level: level))
            }
            let driven = Dictionary(grouping: passed.counts) { $0.key &>> UInt64(clamping: 2 * HeatSquare.tileBits) }
            for tile in area.tiles {
                var sums = try HeatSums(level: level, tile: tile, devices: devices, year: trips.year, in: db)
                sums.add(driven[tile] ?? [])
                sums.forEach { number, count in
                    let square = HeatSquare(number: number, level: level)
                    if area.holds(square) { cells.append(Cell(square: square, trips: count)) }
                }
                if cells.count > Self.mostCells { break }
            }
            if cells.count <= Self.mostCells { return }
        }
        cells = Array(cells.prefix(Self.mostCells))
    }
}

/// The squares and the tiles of a window.
private struct HeatArea {
    private let level: Int
    private let columns: [ClosedRange<Int>]
    private let rows: ClosedRange<Int>

    init(_ window: HeatMap.Window, level: Int) {
        self.level = level
        let (first, last) = (
            HeatSquare(window.southWest, level: level), HeatSquare(window.northEast, level: level)
        )
        rows = min(first.y, last.y)...max(first.y, last.y)
        let isAcross = window.southWest.longitudeE7 > window.northEast.longitudeE7
        let end = (1 &<< level) &- 1
        // The 180th meridian itself is the first column, and also the end of the last.
        let east = window.northEast.longitudeE7 == 1_800_000_000 ? end : last.x
        columns = isAcross ? [first.x...end, 0...east] : [first.x...max(first.x, east)]
    }

    /// The numbers of the tiles.
    var tiles: [UInt64] {
        let bits = HeatSquare.tileBits
        var columns: [Int] = []
        for range in self.columns {
            for column in (range.lowerBound &>> bits)...(range.upperBound &>> bits) where !columns.contains(column) {
                columns.append(column)
                // Whatever the window, no more are looked at.
                if columns.count > 128 { break }
            }
        }
        return ((rows.lowerBound &>> bits)...(rows.upperBound &>> bits)).prefix(128).flatMap { row in
            columns.map { HeatSquare(level: level &- bits, x: $0, y: row).number }
        }
    }

    func holds(_ square: HeatSquare) -> Bool {
        rows.contains(square.y) && columns.contains { $0.contains(square.x) }
    }
}

/// The counts of a tile, added up over devices and years.
struct HeatSums {
    private let tile: UInt64
    private var counts: [Int64] = []

    init(
        level: Int, tile: UInt64, devices: Set<Int64>?, year: Int64?, in db: Database
    ) throws {
        self.tile = tile
        let rows = try StoredRow.fetchCursor(
            db.cachedStatement(sql: "SELECT device, year, cells FROM heat_tile WHERE level = ? AND tile = ?"),
            arguments: [level, Int64(clamping: tile)])
        while let row = try rows.next() {
            guard devices?.contains(row[0]) ?? true, year == nil || row[1] == year else { continue }
            if counts.isEmpty { counts = Array(repeating: 0, count: HeatTile.size) }
            HeatTile.forEach(row[2]) { index, count in counts[index] = counts[index] &+ count }
        }
    }

    /// Adds the counts of squares of the tile, by their numbers.
    mutating func add(_ squares: [(key: UInt64, value: Int64)]) {
        if counts.isEmpty, !squares.isEmpty { counts = Array(repeating: 0, count: HeatTile.size) }
        for (number, count) in squares {
            let index = Int(truncatingIfNeeded: number & (1 &<< UInt64(clamping: 2 * HeatSquare.tileBits) &- 1))
            counts[index] = counts[index] &+ count
        }
    }

    /// Calls `body` with the number of each square that has a count, and the count.
    func forEach(_ body: (_ number: UInt64, _ count: Int64) -> Void) {
        let first = tile &<< UInt64(clamping: 2 * HeatSquare.tileBits)
        for (index, count) in counts.enumerated() where count > 0 { body(first | UInt64(clamping: index), count) }
    }
}

extension HeatMap {
    /// Returns the numbers of the devices that are counted: those with a name, if one is given, among those with certain
    /// names, if such are given; `nil` for all devices.
    static func numbers(
        ofDevice name: String?, among names: Set<String>?, in db: Database
    ) throws -> Set<Int64>? {
        guard name != nil || names != nil else { return nil }
        let counted = try Devices.names(in: db).filter { _, device in
            (name == nil || device == name) && (names?.contains(device) ?? true)
        }
        return Set(counted.keys)
    }

    /// Returns the years in which trips are counted, the earliest first.
    public static func years(of trips: Trips, in db: Database) throws -> [Int64] {
        let devices = try numbers(ofDevice: trips.device, among: trips.scope?.devices, in: db)
        var years = Set(try HeatSingles.years(of: trips.single(in: db), in: db))
        for row in try StoredRow.fetchAll(
            db.cachedStatement(sql: "SELECT DISTINCT device, year FROM heat_tile WHERE level = ?"),
            arguments: [HeatSquare.levels.last ?? 0])
        where devices?.contains(row[0]) ?? true { years.insert(row[1]) }
        return years.sorted()
    }
}
