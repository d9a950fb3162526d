import Foundation
public import Geodesy

/// A square of a level of the heat map's grid, which divides the Web Mercator projection.
///
/// A level has 2 to the power of its number columns and as many rows. So the squares of level *n* are the tiles of
/// zoom *n* of a web map, and each has four of the next level in it. Places beyond 85.05 degrees north or south are in
/// the outermost rows.
public struct HeatSquare: Hashable, Sendable {
    /// The level, from 0 to ``finest``.
    public var level: Int
    /// The column, counted from the 180th meridian eastwards.
    public var x: Int
    /// The row, counted from the north.
    public var y: Int

    /// The finest level that is kept: a square measures 76 m at the equator, and 47 m in Amsterdam.
    public static let finest = 19
    /// The levels that are kept, from the finest: each square has sixteen of the level before.
    static let levels = [19, 17, 15, 13, 11, 9, 7]
    /// The level of places: 600 m at the equator.
    static let placeLevel = 16
    /// A tile has 2 to the power of this number columns and as many rows of squares.
    static let tileBits = 6

    /// Creates a square by its level, column and row; the column continues around the earth.
    init(level: Int, x: Int, y: Int) {
        let last = (1 &<< level) &- 1
        self.level = level
        self.x = x & last
        self.y = min(last, max(0, y))
    }

    /// Creates the square of a level that holds a place.
    public init(_ place: Coordinate, level: Int) {
        let size = Double(1 &<< level)
        let across = (place.longitude + 180) / 360
        let down = (1 - asinh(tan(place.latitude * .pi / 180)) / .pi) / 2
        self.init(
            level: level, x: Int(exactly: (across * size).rounded(.down)) ?? 0,
            y: Int(exactly: (min(max(down, 0), 1) * size).rounded(.down)) ?? 0)
    }

    /// Creates the square with a number.
    init(number: UInt64, level: Int) {
        self.init(level: level, x: Self.gathered(number), y: Self.gathered(number &>> 1))
    }

    /// The number of the square among those of its level.
    ///
    /// Its bits are those of the column and the row in turn. So the numbers of the squares in a larger one follow each
    /// other, and a square's number divided by four is that of the larger one.
    var number: UInt64 { Self.spread(x) | Self.spread(y) &<< 1 }

    /// The middle of the square.
    public var center: Coordinate? { place(across: 0.5, down: 0.5) }

    /// Returns the place at a share of the way from the western to the eastern edge, and from the northern to the
    /// southern one.
    func place(across: Double, down: Double) -> Coordinate? {
        let size = Double(1 &<< level)
        let north = .pi * (1 - 2 * (Double(y) + down) / size)
        return Coordinate(
            latitude: atan(sinh(north)) * 180 / .pi, longitude: (Double(x) + across) / size * 360 - 180)
    }

    /// Spreads 32 bits to every second one.
    private static func spread(_ value: Int) -> UInt64 {
        var bits = UInt64(truncatingIfNeeded: value) & 0xFFFF_FFFF
        bits = (bits | bits &<< 16) & 0x0000_FFFF_0000_FFFF
        bits = (bits | bits &<< 8) & 0x00FF_00FF_00FF_00FF
        bits = (bits | bits &<< 4) & 0x0F0F_0F0F_0F0F_0F0F
        bits = (bits | bits &<< 2) & 0x3333_3333_3333_3333
        return (bits | bits &<< 1) & 0x5555_5555_5555_5555
    }

    /// Gathers every second bit.
    private static func gathered(_ number: UInt64) -> Int {
        var bits = number & 0x5555_5555_5555_5555
        bits = (bits | bits &>> 1) & 0x3333_3333_3333_3333
        bits = (bits | bits &>> 2) & 0x0F0F_0F0F_0F0F_0F0F
        bits = (bits | bits &>> 4) & 0x00FF_00FF_00FF_00FF
        bits = (bits | bits &>> 8) & 0x0000_FFFF_0000_FFFF
        bits = (bits | bits &>> 16) & 0x0000_0000_FFFF_FFFF
        return Int(truncatingIfNeeded: bits)
    }
}
