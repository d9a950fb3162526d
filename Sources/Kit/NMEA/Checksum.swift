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
            if word.unplain & ByteWord.topBits == 0 {
                sums ^= word.bits
                index &+= ByteWord.count
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

    /// Whether two hexadecimal digits that equal the sum follow the `*`.
    ///
    /// A logger may have added text after them.
    func isRight(_ text: Span<UInt8>) -> Bool {
        guard let asterisk else { return false }
        // Beyond the end of the text there are zeros, which are no digits.
        let word = text.word(at: asterisk)
        let next = word.byte(3)
        return Self.isRight(word, sums) && next.decimalDigit == nil && !next.isLetter
    }

    /// Whether a `*` and the two hexadecimal digits of a sum begin a word.
    ///
    /// - Parameter sums: the sum as eight partial ones.
    @inline(__always)
    static func isRight(_ word: ByteWord, _ sums: UInt64) -> Bool {
        var sum = sums ^ sums >> 32
        sum ^= sum >> 16
        sum ^= sum >> 8
        let digits = digit(sum >> 4 & 15) << 8 | digit(sum & 15) << 16
        // Of the letters, which have bit 6, bit 5 is set, which makes them small.
        return (word.bits | word.bits >> 1 & 0x20_2000) & 0xFF_FFFF == digits | UInt64(UInt8.asterisk)
    }

    /// Returns the hexadecimal digit of a number below 16, in lower case.
    ///
    /// Sums are random, so a branch would be guessed wrongly every other time.
    @inline(__always)
    private static func digit(_ number: UInt64) -> UInt64 { number &+ 0x30 &+ (number > 9 ? 0x61 &- 0x30 &- 10 : 0) }
}

/// The checksum of a sentence that is complete in the input.
///
/// Two words of text are added at once, while searching for the `*`; see ``ByteWord/unplain``.
struct PlainChecksum {
    private var sums: UInt64 = 0

    /// Adds the bytes before the first one that is not plain.
    ///
    /// - Returns: the position of that byte, which is nearly always the `*`, or of the end of the bytes; `nil` if there is
    ///   none before `limit`.
    @inline(__always)
    mutating func add(_ bytes: Span<UInt8>, from start: Int, to limit: Int) -> Int? {
        var index = start
        while index < limit, let (one, other) = bytes.wordPair(at: index) {
            let (first, second) = (one.unplain, other.unplain)
            guard (first | second) & ByteWord.topBits == 0 else { return end(one, other, index) }
            sums ^= one.bits ^ other.bits
            index &+= 2 &* ByteWord.count
        }
        guard index < limit else { return nil }
        // The zeros beyond the end are not plain.
        return end(bytes.word(at: index), bytes.word(at: index &+ ByteWord.count), index)
    }

    /// Adds the further bytes before the `*` if some of them are not plain, such as the blanks of a text.
    ///
    /// - Returns: the position of the `*`, or of a byte that ends a sentence; `nil` if there is none before `limit`.
    @inline(never)
    mutating func addAny(_ bytes: Span<UInt8>, from start: Int, to limit: Int) -> Int? {
        var index = start
        while index < limit {
            let word = bytes.word(at: index)
            if let place = (word.sentenceEnds | word.places(of: .asterisk)).first {
                sums ^= word.prefix(place)
                return index &+ place
            }
            sums ^= word.bits
            index &+= ByteWord.count
        }
        return nil
    }

    /// Adds the bytes of two words before the first one that is not plain, and returns its place.
    @inline(__always)
    private mutating func end(_ one: ByteWord, _ other: ByteWord, _ index: Int) -> Int {
        // Without a branch for the word in which it lies, which would be guessed wrongly every other time.
        let (first, second) = (one.unplain & ByteWord.topBits, other.unplain & ByteWord.topBits)
        let isLater = first == 0
        sums ^= one.bits & ByteWord.before(first)
        sums ^= isLater ? other.bits & ByteWord.before(second) : 0
        return index &+ (isLater ? 64 &+ second.trailingZeroBitCount : first.trailingZeroBitCount) &>> 3
    }

    /// Whether a `*` and the two digits of the right sum begin a word.
    @inline(__always)
    func isRight(_ word: ByteWord) -> Bool { Checksum.isRight(word, sums) }
}
