/// Eight bytes of text that are processed together, the first of them in the lowest bits.
///
/// Unless it is said otherwise, no sum here carries from one byte into the next, so the result for a byte never depends on
/// its neighbours.
struct ByteWord {
    /// The number of bytes.
    static let count = 8

    /// The top bits of all bytes.
    static let topBits: UInt64 = 0x8080_8080_8080_8080

    let bits: UInt64

    /// Returns the places of the bytes that equal a given one.
    @inline(__always)
    func places(of byte: UInt8) -> BytePlaces {
        let difference = bits ^ Self.all(byte)
        // The top bit of each byte becomes 1 if any of the lower seven is.
        return BytePlaces(bits: ~((difference & Self.all(0x7F)) &+ Self.all(0x7F) | difference) & Self.topBits)
    }

    /// A word whose top bits are set at the bytes that are not plain, and perhaps at some bytes after these.
    ///
    /// Plain bytes make up most of a sentence: printable ASCII from `+` on, without `$` and `*`. Only a byte that is not
    /// ASCII can carry into the next one, so the first bit is always right.
    @inline(__always)
    var unplain: UInt64 {
        let isFromPlus = bits &+ Self.all(0x80 - UInt8(ascii: "+"))
        let isDelete = bits &+ Self.all(0x80 - 0x7F)
        return bits | isDelete | ~isFromPlus
    }

    /// Returns a mask of the bytes before the first of some top bits; all bytes if there is none.
    @inline(__always)
    static func before(_ topBits: UInt64) -> UInt64 { (topBits & (0 &- topBits)) &>> 7 &- 1 }

    /// The places of bytes that end a sentence: those that are not printable ASCII, and `$`, which begins another one.
    ///
    /// The zeros beyond the end of a text are among them.
    @inline(__always)
    var sentenceEnds: BytePlaces {
        let low = bits & Self.all(0x7F)
        let isNotControl = low &+ Self.all(0x80 - 0x20)
        let isDelete = low &+ Self.all(0x80 - 0x7F)
        let isNotDollar = (low ^ Self.all(.dollar)) &+ Self.all(0x7F)
        return BytePlaces(bits: (bits | isDelete | ~(isNotControl & isNotDollar)) & Self.topBits)
    }

    /// The places of the commas, one bit each, if all bytes are ASCII.
    @inline(__always)
    var commas: UInt64 {
        // The top bit remains only where the difference is 0.
        let found = (Self.topBits &- (bits ^ Self.all(.comma))) & Self.topBits
        // Each of the products moves one of these bits to its place among the topmost eight.
        return (found &* 0x0002_0408_1020_4081) &>> 56
    }

    /// Returns the first `length` bytes, with zeros in place of the others.
    ///
    /// `length` must be less than eight.
    @inline(__always)
    func prefix(_ length: Int) -> UInt64 { bits & (1 &<< UInt64(truncatingIfNeeded: 8 &* length) &- 1) }

    /// Returns the word without one of its bytes; the bytes after it move down by one.
    ///
    /// `place` must be less than eight.
    @inline(__always)
    func removing(_ place: Int) -> Self {
        let before: UInt64 = 1 &<< UInt64(truncatingIfNeeded: 8 &* place) &- 1
        return Self(bits: bits & before | bits &>> 8 & ~before)
    }

    /// Returns one of the bytes.
    ///
    /// `place` must be less than eight.
    @inline(__always)
    func byte(_ place: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: bits &>> UInt64(truncatingIfNeeded: 8 &* place))
    }

    /// Returns eight copies of a byte.
    @inline(__always)
    static func all(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }
}

/// The places of some bytes in a ``ByteWord``.
struct BytePlaces {
    /// The top bits of these bytes.
    let bits: UInt64

    /// The first place, from 0 to 7; `nil` if there is none.
    @inline(__always)
    var first: Int? { bits == 0 ? nil : bits.trailingZeroBitCount >> 3 }

    /// Returns the union of the places.
    @inline(__always)
    static func | (one: Self, other: Self) -> Self { Self(bits: one.bits | other.bits) }
}
