/// A grid of square cells in degrees over a map's window.
///
/// The cells come from halving the whole globe a number of times. They therefore stay in place while the map is moved,
/// and sights that are grouped in one window are grouped in the next.
struct MapGrid: Hashable, Sendable {
    /// The number of times the globe is halved.
    ///
    /// The globe has 2 to the power of `depth` columns.
    private let depth: Int64
    private let firstColumn: Int64
    private let firstRow: Int64
    private let columns: Int64
    private let rows: Int64

    /// The greatest depth.
    ///
    /// Its cells are about two metres wide.
    private static let deepest: Int64 = 24
    private static let globe: Int64 = 3_600_000_000

    /// Creates the finest grid that has at most `limit` cells in a window, but at least one cell.
    init(_ window: MapWindow, atMost limit: Int) {
        for depth in (1...Self.deepest).reversed() {
            let grid = MapGrid(window, depth)
            guard grid.count > limit else {
                self = grid
                return
            }
        }
        self.init(window, 0)
    }

    private init(_ window: MapWindow, _ depth: Int64) {
        self.depth = depth
        let all: Int64 = 1 << depth
        let (west, east) = (Self.column(window.westE7, depth), Self.column(window.eastE7, depth))
        // If both edges lie in the same column, the sum would count that column twice.
        columns = window.crossesAntimeridian ? min(all, all - west + east + 1) : east - west + 1
        firstColumn = west
        firstRow = Self.row(window.southE7, depth)
        rows = Self.row(window.northE7, depth) - firstRow + 1
    }

    /// The number of cells that overlap the window.
    var count: Int { Int(columns * rows) }

    /// Returns the index of the cell of a place within the window.
    ///
    /// Cells count from 0 by rows from the south, each from the west.
    func cell(latitudeE7: Int32, longitudeE7: Int32) -> Int {
        let all: Int64 = 1 << depth
        let column = (Self.column(longitudeE7, depth) - firstColumn + all) & (all - 1)
        return Int((Self.row(latitudeE7, depth) - firstRow) * columns + column)
    }

    /// Returns the column of a longitude.
    ///
    /// 180° is the eastern edge of the last column.
    private static func column(_ longitudeE7: Int32, _ depth: Int64) -> Int64 {
        min(((Int64(longitudeE7) + globe / 2) << depth) / globe, (1 << depth) - 1)
    }

    private static func row(_ latitudeE7: Int32, _ depth: Int64) -> Int64 {
        ((Int64(latitudeE7) + globe / 4) << depth) / globe
    }
}
