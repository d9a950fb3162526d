/// Eight bytes of text that are looked at together, the first of them in the lowest bits.
///
/// Whatever a byte is, its neighbours cannot disturb what is said of it: no sum here carries from one into the next.
struct ByteWord {
    /// How many bytes it has.
    static let count = 8

    /// The bytes.
    let bits: UInt64

    /// Which bytes are equal to one.
    @inline(__always)
    func places(of byte: UInt8) -> BytePlaces {
        let difference = bits ^ Self.all(byte)
        // The top bit of each byte becomes 1 where any of the lower seven is.
        return BytePlaces(bits: ~((difference & Self.all(0x7F)) &+ Self.all(0x7F) | difference) & Self.all(0x80))
    }

    /// Whether all bytes are of those that make up most sentences: printable ASCII from `+` on, so that none of them
    /// is `$` or `*`.
    @inline(__always)
    var isPlain: Bool {
        let low = bits & Self.all(0x7F)
        let isFromPlus = low &+ Self.all(0x80 - UInt8(ascii: "+"))
        let isDelete = low &+ Self.all(0x80 - 0x7F)
        return isFromPlus & ~isDelete & ~bits & Self.all(0x80) == Self.all(0x80)
    }

    /// Which bytes a sentence cannot have, and those where another one begins: no printable ASCII, or `$`; the zeros
    /// beyond a text's end are among them.
    @inline(__always)
    var sentenceEnds: BytePlaces {
        let low = bits & Self.all(0x7F)
        let isNotControl = low &+ Self.all(0x80 - 0x20)
        let isDelete = low &+ Self.all(0x80 - 0x7F)
        let isNotDollar = (low ^ Self.all(.dollar)) &+ Self.all(0x7F)
        return BytePlaces(bits: (bits | isDelete | ~(isNotControl & isNotDollar)) & Self.all(0x80))
    }

    /// The first bytes, so many of them but fewer than all, and zeros in place of the others.
    @inline(__always)
    func prefix(_ length: Int) -> UInt64 { bits & (1 &<< UInt64(8 * length) &- 1) }

    /// The same byte eight times.
    @inline(__always)
    private static func all(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }
}

/// Some bytes of a ``ByteWord``, in their order.
struct BytePlaces {
    /// The top bit of each of the bytes.
    fileprivate(set) var bits: UInt64

    /// The place of the first, from 0 to 7; nil where there is none.
    @inline(__always)
    var first: Int? { bits == 0 ? nil : bits.trailingZeroBitCount >> 3 }

    /// Takes the first away and gives its place; nil where there is none.
    @inline(__always)
    mutating func popFirst() -> Int? {
        guard let first else { return nil }
        bits &= bits &- 1
        return first
    }

    /// The places of either.
    @inline(__always)
    static func | (one: Self, other: Self) -> Self { Self(bits: one.bits | other.bits) }
}

extension Span<UInt8> {
    /// The bytes from an index on, with zeros beyond the end.
    @inline(__always)
    func word(at index: Int) -> ByteWord {
        let rest = extracting(droppingFirst: index)
        return rest.count >= ByteWord.count ? rest.firstWord : lastWord(at: index)
    }

    /// The same, where it reaches beyond the end.
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

    /// The first eight bytes; there must be as many.
    @inline(__always)
    private var firstWord: ByteWord {
        // The compiler makes one load of it.
        let low = UInt64(self[0]) | UInt64(self[1]) << 8 | UInt64(self[2]) << 16 | UInt64(self[3]) << 24
        let high = UInt64(self[4]) | UInt64(self[5]) << 8 | UInt64(self[6]) << 16 | UInt64(self[7]) << 24
        return ByteWord(bits: low | high << 32)
    }
}
