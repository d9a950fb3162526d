/// The sum of a sentence's bytes, and the `*` before the two digits that tell what it should be.
///
/// It is summed up while the sentence's end is looked for.
struct Checksum {
    /// Where the `*` is in the sentence; nil where there is none so far.
    private(set) var asterisk: Int?
    /// How much of the sentence was added, the `$` among it.
    private var length = 1
    /// The bytes before the `*`, eight sums side by side.
    private var sums: UInt64 = 0

    /// The checksum of a sentence of which only its `$` or `!` is known.
    init() {}

    /// Adds the sentence's next bytes, and gives the place of the one that is no more to be added: the `*`, one where
    /// the sentence cannot go on, or the end of the bytes.
    @inline(__always)
    mutating func add(_ bytes: Span<UInt8>, from start: Int) -> Int {
        guard asterisk == nil else { return start }
        var sums = sums
        var index = start
        while index < bytes.count {
            let word = bytes.word(at: index)
            if word.isPlain {
                sums ^= word.bits
                index += ByteWord.count
                continue
            }
            if let place = (word.sentenceEnds | word.places(of: .asterisk)).first {
                sums ^= word.prefix(place)
                index += place
                if index < bytes.count, bytes[index] == .asterisk { asterisk = length + index - start }
                break
            }
            sums ^= word.bits
            index += ByteWord.count
        }
        self.sums = sums
        length += index - start
        return index
    }

    /// The exclusive or of all bytes between the `$` and the `*` (NMEA 0183, section 5.3.3).
    var sum: UInt8 {
        var folded = sums ^ sums >> 32
        folded ^= folded >> 16
        folded ^= folded >> 8
        return UInt8(truncatingIfNeeded: folded)
    }

    /// Whether two hexadecimal digits of the sum follow the `*`; what comes after them is a logger's.
    func isRight(_ text: Span<UInt8>) -> Bool {
        guard let asterisk, asterisk + 2 < text.count, let high = text[asterisk + 1].hexadecimalDigit,
            let low = text[asterisk + 2].hexadecimalDigit
        else { return false }
        if asterisk + 3 < text.count {
            let next = text[asterisk + 3]
            guard next.decimalDigit == nil, !next.isLetter else { return false }
        }
        return high << 4 | low == sum
    }
}
