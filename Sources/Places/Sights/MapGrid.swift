/// A grid over a map's window, of square cells in degrees.
///
/// The cells are those of the whole globe, halved as often as fits: so they stay where they are while a map is moved, and
/// what is drawn together in one window is so in the next.
struct MapGrid: Hashable, Sendable {
    /// How often the globe is halved: it has two to the power of this columns.
    private let depth: Int64
    private let firstColumn: Int64
    private let firstRow: Int64
    private let columns: Int64
    private let rows: Int64

    /// No grid is finer: its cells have two metres.
    private static let deepest: Int64 = 24
    private static let globe: Int64 = 3_600_000_000

    /// The finest grid of which a window has at most so many cells, at least one.
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
        // Where both edges lie in one column, the window leaves out a part of it.
        columns = window.crossesAntimeridian ? min(all, all - west + east + 1) : east - west + 1
        firstColumn = west
        firstRow = Self.row(window.southE7, depth)
        rows = Self.row(window.northE7, depth) - firstRow + 1
    }

    /// How many cells the window has a part of.
    var count: Int { Int(columns * rows) }

    /// The number of the cell of a place within the window, from 0: by rows from the south, each from the west.
    func cell(latitudeE7: Int32, longitudeE7: Int32) -> Int {
        let all: Int64 = 1 << depth
        let column = (Self.column(longitudeE7, depth) - firstColumn + all) & (all - 1)
        return Int((Self.row(latitudeE7, depth) - firstRow) * columns + column)
    }

    /// 180° is the eastern edge of the last column.
    private static func column(_ longitudeE7: Int32, _ depth: Int64) -> Int64 {
        min(((Int64(longitudeE7) + globe / 2) << depth) / globe, (1 << depth) - 1)
    }

    private static func row(_ latitudeE7: Int32, _ depth: Int64) -> Int64 {
        ((Int64(latitudeE7) + globe / 4) << depth) / globe
    }
}
