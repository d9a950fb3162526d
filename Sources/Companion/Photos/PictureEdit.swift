import Foundation

/// How one file becomes another by putting other bytes in place of some: what is shown to others is so made from what
/// was uploaded, and takes no room of its own.
struct PictureEdit: Hashable, Sendable {
    /// What comes instead of a range of bytes.
    struct Change: Hashable, Sendable {
        /// The bytes that are not shown.
        var range: Range<Int>
        /// What is shown instead.
        var bytes: [UInt8]
        /// Whether zeros fill up what is left of the range, so that nothing after it moves.
        var isFilled = false

        /// How many bytes are shown.
        var count: Int { isFilled ? range.count : bytes.count }
    }

    /// The changes in the order of their ranges, none of which overlap.
    private(set) var changes: [Change] = []

    /// So many a picture may have: a file of nothing but remarks has no place here.
    static let mostChanges = 1000

    /// Nothing is changed.
    init() {}

    /// Changes in any order; of overlapping ones the first in the file comes whole, the others as far as they are left.
    init(_ changes: [Change]) {
        for change in changes.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) { add(change) }
    }

    /// Whether nothing is changed.
    var isEmpty: Bool { changes.isEmpty }

    /// Adds a change; it must not begin before the last one does.
    mutating func add(_ change: Change) {
        guard let last = changes.last, change.range.lowerBound <= last.range.upperBound else {
            return changes.append(change)
        }
        if !last.isFilled, !change.isFilled, change.range.lowerBound == last.range.upperBound {
            let whole = last.range.lowerBound..<change.range.upperBound
            changes[changes.count - 1] = Change(range: whole, bytes: last.bytes + change.bytes)
        } else if change.range.lowerBound == last.range.upperBound {
            changes.append(change)
        } else if change.range.upperBound > last.range.upperBound {
            changes.append(Change(range: last.range.upperBound..<change.range.upperBound, bytes: [], isFilled: true))
        }
    }

    /// Leaves out a range, or shows other bytes instead; ranges come in their order.
    mutating func replace(_ range: Range<Int>, with bytes: [UInt8] = []) {
        add(Change(range: range, bytes: bytes))
    }

    /// How many bytes are shown of a file of so many.
    func size(of size: Int) -> Int { changes.reduce(size) { $0 - $1.range.count + $1.count } }

    /// The bytes that are shown from an offset on, as many as there are.
    ///
    /// - Parameters:
    ///   - size: how many bytes the file has.
    ///   - source: gives bytes of the file.
    func read<Failure: Error>(
        from offset: Int, count: Int, of size: Int, _ source: (Range<Int>) throws(Failure) -> [UInt8]
    ) throws(Failure) -> [UInt8] {
        var result: [UInt8] = []
        // Where the present piece begins in what is shown.
        var place = 0
        func take(_ length: Int, _ bytes: (Range<Int>) throws(Failure) -> [UInt8]) throws(Failure) {
            let low = max(offset, place)
            let high = min(offset + count, place + length)
            if low < high { result += try bytes(low - place..<high - place) }
            place += length
        }
        var origin = 0
        func takeSource(to end: Int) throws(Failure) {
            try take(end - origin) { part throws(Failure) in
                try source(origin + part.lowerBound..<origin + part.upperBound)
            }
        }
        for change in changes {
            try takeSource(to: change.range.lowerBound)
            try take(change.count) { part in part.map { $0 < change.bytes.count ? change.bytes[$0] : 0 } }
            origin = change.range.upperBound
        }
        try takeSource(to: size)
        return result
    }
}

extension PictureEdit {
    /// The changes as they are stored: for each its bounds, whether it is filled, the number of bytes, and these.
    var encoded: [UInt8] {
        var result: [UInt8] = []
        func add(_ value: Int) {
            for shift in [0, 8, 16, 24] { result.append(UInt8(truncatingIfNeeded: value >> shift)) }
        }
        for change in changes {
            add(change.range.lowerBound)
            add(change.range.upperBound)
            add(change.isFilled ? 1 : 0)
            add(change.bytes.count)
            result += change.bytes
        }
        return result
    }

    /// Reads what ``encoded`` gave; nil where it is damaged.
    init?(encoded: Data) {
        let bytes = PictureBytes(encoded)
        var offset = 0
        while offset < bytes.count {
            let numbers = (0..<4).compactMap { bytes.number(at: offset + $0 * 4, width: 4, isLittleEndian: true) }
            guard numbers.count == 4, numbers[0] <= numbers[1], numbers[0] >= changes.last?.range.upperBound ?? 0,
                let own = bytes.bytes(offset + 16..<offset + 16 + numbers[3])
            else { return nil }
            changes.append(Change(range: numbers[0]..<numbers[1], bytes: own, isFilled: numbers[2] == 1))
            offset += 16 + numbers[3]
        }
    }
}
