/// Eight bytes of text that are processed together, the first of them in the lowest bits.
///
/// No sum here carries from one byte into the next, so the result for a byte never depends on its neighbours.
struct ByteWord {
    /// The number of bytes.
    static let count = 8

    let bits: UInt64

    /// Returns the places of the bytes that equal a given one.
    @inline(__always)
    func places(of byte: UInt8) -> BytePlaces {
        let difference = bits ^ Self.all(byte)
        // The top bit of each byte becomes 1 if any of the lower seven is.
        return BytePlaces(bits: ~((difference & Self.all(0x7F)) &+ Self.all(0x7F) | difference) & Self.all(0x80))
    }

    /// Whether all bytes are among those that make up most of a sentence: printable ASCII from `+` on, without `$` and
    /// `*`.
    @inline(__always)
    var isPlain: Bool {
        let low = bits & Self.all(0x7F)
        let isFromPlus = low &+ Self.all(0x80 - UInt8(ascii: "+"))
        let isDelete = low &+ Self.all(0x80 - 0x7F)
        return isFromPlus & ~isDelete & ~bits & Self.all(0x80) == Self.all(0x80)
    }

    /// The places of bytes that end a sentence: those that are not printable ASCII, and `$`, which begins another one.
    ///
    /// The zeros beyond the end of a text are among them.
    @inline(__always)
    var sentenceEnds: BytePlaces {
        let low = bits & Self.all(0x7F)
        let isNotControl = low &+ Self.all(0x80 - 0x20)
        let isDelete = low &+ Self.all(0x80 - 0x7F)
        let isNotDollar = (low ^ Self.all(.dollar)) &+ Self.all(0x7F)
        return BytePlaces(bits: (bits | isDelete | ~(isNotControl & isNotDollar)) & Self.all(0x80))
    }

    /// Returns the first `length` bytes, with zeros in place of the others.
    ///
    /// `length` must be less than eight.
    @inline(__always)
    func prefix(_ length: Int) -> UInt64 { bits & (1 &<< UInt64(8 * length) &- 1) }

    /// Returns eight copies of a byte.
    @inline(__always)
    private static func all(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }
}

/// The places of some bytes in a ``ByteWord``, in order.
struct BytePlaces {
    /// The top bits of these bytes.
    fileprivate(set) var bits: UInt64

    /// The first place, from 0 to 7; `nil` if there is none.
    @inline(__always)
    var first: Int? { bits == 0 ? nil : bits.trailingZeroBitCount >> 3 }

    /// Removes the first place and returns it, or returns `nil` if there is none.
    @inline(__always)
    mutating func popFirst() -> Int? {
        guard let first else { return nil }
        bits &= bits &- 1
        return first
    }

    /// Returns the union of the places.
    @inline(__always)
    static func | (one: Self, other: Self) -> Self { Self(bits: one.bits | other.bits) }
}

extension Span<UInt8> {
    /// Returns the eight bytes from an index on, with zeros beyond the end.
    @inline(__always)
    func word(at index: Int) -> ByteWord {
        let rest = extracting(droppingFirst: index)
        return rest.count >= ByteWord.count ? rest.firstWord : lastWord(at: index)
    }

    /// Returns the same as ``word(at:)`` if that reaches beyond the end.
    @inline(never)
    private func lastWord(at index: Int) -> ByteWord {
        if count >= ByteWord.count {
            let missing = index - (count - ByteWord.count)
            return ByteWord(bits: extracting(last: ByteWord.count).firstWord.bits >> UInt64(8 * missing))
        }
        var bits: UInt64 = 0
        for place in index..<count { bits |= UInt64(self[place]) << UInt64(8 * (place - index)) }
        return ByteWord(bits: bits)
    }

    /// The first eight bytes.
    ///
    /// The span must contain at least eight.
    @inline(__always)
    private var firstWord: ByteWord {
        // The compiler combines these into a single load.
        let low = UInt64(self[0]) | UInt64(self[1]) << 8 | UInt64(self[2]) << 16 | UInt64(self[3]) << 24
        let high = UInt64(self[4]) | UInt64(self[5]) << 8 | UInt64(self[6]) << 16 | UInt64(self[7]) << 24
        return ByteWord(bits: low | high << 32)
    }
}
