/// The checksum of a sentence's bytes, and the place of the `*` before the two digits of the expected sum.
///
/// It is computed while searching for the end of the sentence.
struct Checksum {
    /// The position of the `*` in the sentence; `nil` if none has been found.
    private(set) var asterisk: Int?
    /// The number of bytes processed, including the `$`.
    private var length = 1
    /// The checksum of the bytes before the `*`, as eight partial sums side by side.
    private var sums: UInt64 = 0

    /// Creates the checksum of a sentence of which only the `$` or `!` has been read.
    init() {}

    /// Adds the next bytes of the sentence.
    ///
    /// - Returns: the position of the first byte that was not added: the `*`, a byte that ends the sentence, or the end
    ///   of the bytes.
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

    /// Whether two hexadecimal digits that equal the sum follow the `*`.
    ///
    /// A logger may have added text after them.
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
