import Foundation
package import Geodesy

/// A cell of a map grid, a tenth of a degree in each direction, for finding places near a position.
package struct Cell: Hashable {
    /// The row, counted from the south; the column is counted from the west.
    var row: Int64
    var column: Int64

    static let unitsE7: Int64 = 1_000_000
    static let columns: Int64 = 3601
    private static let lastRow: Int64 = 1800

    /// Creates the cell that contains a place.
    package init(_ place: Coordinate) {
        row = (Int64(place.latitudeE7) + 900_000_000) / Self.unitsE7
        column = (Int64(place.longitudeE7) + 1_800_000_000) / Self.unitsE7
    }

    private init(row: Int64, column: Int64) { (self.row, self.column) = (row, column) }

    /// The number of the cell; the numbers of a row are consecutive.
    package var number: Int64 { row * Self.columns + column }

    /// Returns ranges of the numbers of all cells that may contain a place within a distance.
    ///
    /// The ranges include cells across the 180th meridian.
    package static func near(_ place: Coordinate, within distance: Distance) -> [ClosedRange<Int64>] {
        let degrees = distance.meters / metersPerDegree
        let (south, north) = (max(-90, place.latitude - degrees), min(90, place.latitude + degrees))
        // Near a pole, every meridian may be within the distance.
        let widest = max(abs(south), abs(north))
        let east = widest > 89 ? 180 : min(180, degrees / cos(widest * .pi / 180))
        let rows = rowOf(south)...max(rowOf(south), rowOf(north))
        let (from, to) = (place.longitude - east, place.longitude + east)
        var spans = [(max(-180, from), min(180, to))]
        if from < -180 { spans.append((from + 360, 180)) }
        if to > 180 { spans.append((-180, to - 360)) }
        return rows.flatMap { row in
            spans.map { span in
                let first = Cell(row: row, column: columnOf(span.0)).number
                return first...max(first, Cell(row: row, column: columnOf(span.1)).number)
            }
        }
    }

    /// A lower bound for the length of a degree in metres, so that no cell is missed.
    private static let metersPerDegree = 110_000.0

    private static func rowOf(_ latitude: Double) -> Int64 {
        min(lastRow, max(0, Int64(((latitude + 90) * 10).rounded(.down))))
    }

    private static func columnOf(_ longitude: Double) -> Int64 {
        min(columns - 1, max(0, Int64(((longitude + 180) * 10).rounded(.down))))
    }
}
