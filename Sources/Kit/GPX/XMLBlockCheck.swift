/// What a block of UTF-8 contains, as far as a reader of XML must know it before it looks at the markup.
struct XMLBlockCheck {
    /// Whether there is a control character that XML forbids; U+0000 is one.
    private(set) var hasForbidden = false
    /// Whether there is a byte of a character beyond ASCII.
    private(set) var isWide = false
    /// Whether there is an `&`, a `]` or a carriage return, with which a text may not be what is written.
    private(set) var needsCare = false

    /// The number of line feeds.
    private(set) var lineFeeds = 0

    /// Looks through the bytes from an index on.
    ///
    /// - Complexity: O(*n*), 32 bytes at a time.
    init(_ bytes: Span<UInt8>, from start: Int) {
        var at = start
        while at + 32 <= bytes.count {
            if !bytes.arePlain(at: at) {
                for word in 0..<4 { look(bytes, at: at + 8 * word) }
            }
            at += 32
        }
        while at < bytes.count {
            look(at: bytes[at])
            at += 1
        }
    }

    /// Looks at eight bytes, of which often one is a line feed and the others are plain.
    @inline(__always)
    private mutating func look(_ bytes: Span<UInt8>, at start: Int) {
        let word = bytes.word(at: start)
        let feeds = XMLMarks.places(of: 0x0A, in: word)
        if XMLMarks.plain(word) | feeds == XMLMarks.all(0x80) {
            lineFeeds += feeds.nonzeroBitCount
        } else {
            for index in start..<start + 8 { look(at: bytes[index]) }
        }
    }

    private mutating func look(at byte: UInt8) {
        switch byte {
        case 0x0A: lineFeeds += 1
        case 0x09: break
        case 0x0D, UInt8(ascii: "&"), UInt8(ascii: "]"): needsCare = true
        case ..<0x20: hasForbidden = true
        case 0x80...: isWide = true
        default: break
        }
    }

    /// Returns the index up to which the bytes from another index on are whole characters that XML allows, apart from
    /// control characters; `nil` if some are not.
    ///
    /// The result is less than the count only if the last character is not complete.
    static func wholeCharacters(_ bytes: Span<UInt8>, from start: Int) -> Int? {
        var at = start
        while at < bytes.count {
            if at + 8 <= bytes.count, bytes.word(at: at) & 0x8080_8080_8080_8080 == 0 {
                at += 8
                continue
            }
            let lead = bytes[at]
            if lead < 0x80 {
                at += 1
                continue
            }
            // The Unicode Standard 17, table 3-7.
            let (length, second): (Int, ClosedRange<UInt8>)
            switch lead {
            case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
            case 0xE0: (length, second) = (3, 0xA0...0xBF)
            case 0xED: (length, second) = (3, 0x80...0x9F)
            case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
            case 0xF0: (length, second) = (4, 0x90...0xBF)
            case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
            case 0xF4: (length, second) = (4, 0x80...0x8F)
            default: return nil
            }
            for offset in 1..<length {
                guard at + offset < bytes.count else { return at }
                let byte = bytes[at + offset]
                guard offset == 1 ? second.contains(byte) : byte & 0xC0 == 0x80 else { return nil }
            }
            // U+FFFE and U+FFFF are no characters of XML.
            if lead == 0xEF, bytes[at + 1] == 0xBF, bytes[at + 2] >= 0xBE { return nil }
            at += length
        }
        return at
    }
}

extension Span<UInt8> {
    /// Returns the number of line feeds in a range.
    ///
    /// - Complexity: O(*n*), eight bytes at a time.
    func lineFeeds(in range: Range<Int>) -> Int {
        var count = 0
        var at = range.lowerBound
        while at + 8 <= range.upperBound {
            var places = XMLMarks.places(of: 0x0A, in: word(at: at))
            while places != 0 {
                places &= places &- 1
                count += 1
            }
            at += 8
        }
        while at < range.upperBound {
            if self[at] == 0x0A { count += 1 }
            at += 1
        }
        return count
    }

    /// Returns the number of characters that begin in a range of UTF-8.
    func characters(in range: Range<Int>) -> Int {
        var count = 0
        for index in range where self[index] & 0xC0 != 0x80 { count += 1 }
        return count
    }

    /// Whether 32 bytes, all of which must be there, are printable ASCII without `&` and `]`.
    @inline(__always)
    func arePlain(at index: Int) -> Bool {
        // The load is checked against the count, and any bytes are valid numbers.
        let words = unsafe bytes.unsafeLoadUnaligned(
            fromByteOffset: index, as: (UInt64, UInt64, UInt64, UInt64).self)
        let plain =
            XMLMarks.plain(words.0) & XMLMarks.plain(words.1) & XMLMarks.plain(words.2) & XMLMarks.plain(words.3)
        return plain == XMLMarks.all(0x80)
    }

    /// Returns eight bytes, all of which must be there, the first of them in the lowest bits.
    @inline(__always)
    func word(at index: Int) -> UInt64 {
        // The load is checked against the count, and any bytes are a valid number.
        unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
    }
}

/// The places of some bytes among eight, as the top bits of these bytes.
enum XMLMarks {
    /// Returns the top bits of the bytes of a word, which are all 1 if it consists of printable ASCII without `&` and `]`.
    ///
    /// A sum may carry into the next byte only out of one that is not ASCII, whose own bit is 0.
    @inline(__always)
    static func plain(_ word: UInt64) -> UInt64 {
        let isPrintable = word &+ all(0x80 - 0x20)
        let isNoAmpersand = (word ^ all(UInt8(ascii: "&"))) &+ all(0x7F)
        let isNoBracket = (word ^ all(UInt8(ascii: "]"))) &+ all(0x7F)
        return ~word & isPrintable & isNoAmpersand & isNoBracket & all(0x80)
    }

    /// Returns the places of a byte in a word.
    ///
    /// No sum here carries from one byte into the next, so the result is exact for each byte.
    @inline(__always)
    static func places(of byte: UInt8, in word: UInt64) -> UInt64 {
        let difference = word ^ all(byte)
        return ~((difference & all(0x7F)) &+ all(0x7F) | difference) & all(0x80)
    }

    /// Returns the places of bytes that end a name, among which are `-`, `.` and all beyond ASCII.
    ///
    /// They are all below `0`, those from `:` to `?`, and those with the top bit.
    @inline(__always)
    static func nameEnds(in word: UInt64) -> UInt64 {
        let low = word & all(0x7F)
        let fromZero = low &+ all(0x80 - 0x30)
        let fromColon = low &+ all(0x80 - 0x3A)
        let fromAt = low &+ all(0x80 - 0x40)
        return (~fromZero | fromColon & ~fromAt | word) & all(0x80)
    }

    /// Returns the first `length` bytes of a word, at most eight, with zeros in place of the others.
    @inline(__always)
    static func prefix(_ word: UInt64, _ length: Int) -> UInt64 {
        length >= 8 ? word : word & (1 &<< UInt64(truncatingIfNeeded: 8 * length) &- 1)
    }

    /// Returns eight copies of a byte.
    @inline(__always)
    static func all(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }
}
