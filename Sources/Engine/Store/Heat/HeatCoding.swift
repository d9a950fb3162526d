import Foundation

/// The bytes of sets of squares, and of counts of squares: numbers of seven bits a byte, the lowest first.
///
/// Bytes that were damaged give fewer squares, and never trap.
enum HeatCoding {
    /// Returns the bytes of ascending numbers: of each, its difference from the one before.
    static func bytes(of numbers: [UInt64]) -> Data {
        // Appending single bytes to Data takes ten times as long.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 &* numbers.count)
        var before: UInt64 = 0
        for number in numbers {
            append(number &- before, to: &bytes)
            before = number
        }
        return Data(bytes)
    }

    /// Returns the numbers in some bytes that are below a bound, ascending.
    static func numbers(_ data: Data, below bound: UInt64) -> [UInt64] {
        var reader = Reader(data)
        var numbers: [UInt64] = []
        var before: UInt64 = 0
        while let difference = reader.next() {
            let (number, isBeyond) = before.addingReportingOverflow(difference)
            guard !isBeyond, number < bound, difference > 0 || numbers.isEmpty else { break }
            numbers.append(number)
            before = number
        }
        return numbers
    }

    static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var left = number
        while left >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: left) | 0x80)
            left = left &>> 7
        }
        bytes.append(UInt8(truncatingIfNeeded: left))
    }

    /// Reads one number after the other.
    struct Reader {
        private var bytes: [UInt8]
        private var position = 0

        init(_ data: Data) { bytes = Array(data) }

        /// Returns the next number; `nil` at the end, and where the bytes are damaged.
        mutating func next() -> UInt64? {
            var number: UInt64 = 0
            var shift: UInt64 = 0
            while position < bytes.count, shift < 63 {
                let byte = bytes[position]
                position &+= 1
                number |= UInt64(truncatingIfNeeded: byte & 0x7F) &<< shift
                if byte < 0x80 { return number }
                shift &+= 7
            }
            position = bytes.count
            return nil
        }
    }
}

/// The counts of the squares of a tile.
struct HeatTile {
    /// The squares that have a count, by their index in the tile, ascending.
    private(set) var cells: [(index: Int, count: Int64)] = []

    /// The number of squares in a tile.
    static let size = 1 << (2 * HeatSquare.tileBits)
    /// The greatest count: more trips than a device makes in a life.
    private static let most: Int64 = 1 << 40

    init(_ data: Data) {
        var reader = HeatCoding.Reader(data)
        var before = -1
        while let step = reader.next(), let count = reader.next() {
            guard step < Self.size, count > 0 else { break }
            let index = before &+ 1 &+ Int(truncatingIfNeeded: step)
            guard index < Self.size else { break }
            cells.append((index, min(Self.most, Int64(clamping: count))))
            before = index
        }
    }

    /// Calls `body` with each square's index and count, without keeping them.
    static func forEach(_ data: Data, _ body: (_ index: Int, _ count: Int64) -> Void) {
        var reader = HeatCoding.Reader(data)
        var before = -1
        while let step = reader.next(), let count = reader.next() {
            guard step < size, count > 0 else { return }
            let index = before &+ 1 &+ Int(truncatingIfNeeded: step)
            guard index < size else { return }
            body(index, min(most, Int64(clamping: count)))
            before = index
        }
    }

    /// The bytes of the tile.
    var data: Data {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 &* cells.count)
        var before = -1
        for cell in cells {
            HeatCoding.append(UInt64(clamping: cell.index &- before &- 1), to: &bytes)
            HeatCoding.append(UInt64(clamping: cell.count), to: &bytes)
            before = cell.index
        }
        return Data(bytes)
    }

    /// Adds a number to the counts of some squares, which are in ascending order; a count of 0 goes.
    mutating func add(_ number: Int64, to indices: [Int]) {
        var sums: [(index: Int, count: Int64)] = []
        sums.reserveCapacity(cells.count + indices.count)
        var others = indices[...]
        for cell in cells {
            while let index = others.first, index < cell.index {
                if number > 0 { sums.append((index, number)) }
                others = others.dropFirst()
            }
            guard others.first == cell.index else {
                sums.append(cell)
                continue
            }
            others = others.dropFirst()
            let count = min(Self.most, cell.count &+ number)
            if count > 0 { sums.append((cell.index, count)) }
        }
        if number > 0 { sums += others.map { ($0, number) } }
        cells = sums
    }
}
