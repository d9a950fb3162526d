import Foundation
import Geodesy
import Positioning

/// The squares that a trip passes, in pieces of bounded size.
struct HeatPath {
    /// A piece of what a trip adds to the heat map.
    struct Piece: Hashable {
        /// The numbers of the squares of the finest level, as ``HeatCoding`` writes them.
        var cells: Data
        /// The numbers of the places, likewise.
        var places = Data()

        static var bound: UInt64 { 1 &<< UInt64(clamping: 2 * HeatSquare.finest) }
        static var placeBound: UInt64 { 1 &<< UInt64(clamping: 2 * HeatSquare.placeLevel) }
    }

    private(set) var pieces: [Piece] = []
    private var cells: Set<UInt64> = []
    private var places: Set<UInt64> = []
    private var last: HeatSquare?
    private var lastPlace: Coordinate?

    /// The longest leg that is drawn, in squares, 3 km in Amsterdam: the way between points farther apart is not known
    /// to be straight.
    static let longestLeg = 64
    /// The most squares of a piece.
    ///
    /// They take about a megabyte of memory, and are 3,000 km of road.
    static let largestPiece = 65_536

    /// Adds the next point, and the straight way to it.
    mutating func add(_ fix: Fix) {
        let square = HeatSquare(fix.coordinate, level: HeatSquare.finest)
        if lastPlace == nil { add(place: fix.coordinate) }
        lastPlace = fix.coordinate
        guard square != last else { return }
        let before = fix.beginsSegment ? nil : last
        last = square
        for passed in Self.way(from: before, to: square) {
            cells.insert(passed.number)
            if cells.count >= Self.largestPiece { endPiece() }
        }
    }

    /// Adds a place where the trip rested.
    mutating func add(place: Coordinate) {
        places.insert(HeatSquare(place, level: HeatSquare.placeLevel).number)
    }

    /// Returns all pieces; none if there was no point.
    consuming func finished() -> [Piece] {
        guard let lastPlace else { return [] }
        add(place: lastPlace)
        if !cells.isEmpty || pieces.isEmpty { endPiece() }
        for index in pieces.indices.prefix(1) { pieces[index].places = HeatCoding.bytes(of: places.sorted()) }
        return pieces
    }

    private mutating func endPiece() {
        pieces.append(Piece(cells: HeatCoding.bytes(of: cells.sorted())))
        cells.removeAll(keepingCapacity: true)
    }

    /// Returns the squares on a straight way, without its first; only its last if the way is not known.
    static func way(from start: HeatSquare?, to end: HeatSquare) -> [HeatSquare] {
        guard let start else { return [end] }
        let around = 1 &<< end.level
        var across = end.x &- start.x
        // The shorter way around the earth.
        if across > around / 2 { across = across &- around } else if across < -around / 2 { across = across &+ around }
        let down = end.y &- start.y
        let steps = max(abs(across), abs(down))
        guard steps > 1, steps <= longestLeg else { return [end] }
        return stride(from: 1, through: steps, by: 1).map { step in
            let part = Double(step) / Double(steps)
            return HeatSquare(
                level: end.level, x: start.x &+ (Int(exactly: (Double(across) * part).rounded()) ?? 0),
                y: start.y &+ (Int(exactly: (Double(down) * part).rounded()) ?? 0))
        }
    }
}
