/// Finds the sentences in a stream of bytes that may be split anywhere.
///
/// A sentence runs from `$` or `!` to the end of its line (NMEA 0183, section 5.3; CR, LF or both). Text before it in
/// the line, such as a logger's timestamp or a TAG block, is skipped. So are lines that begin with `#`, the comments of
/// recordings. Sentences that are complete in the input are not copied. If the input ends within a sentence, its
/// beginning is stored.
struct SentenceFramer {
    /// The greatest length of a sentence, in bytes, from its `$` to before its line end.
    ///
    /// The standard allows 82 including both ends. High-precision receivers send about 110, and proprietary status
    /// sentences that list all satellites some 400.
    static let longestSentence = 512

    /// An item found in the stream.
    enum Frame {
        /// A sentence in this range of the input, from its `$` or `!` to before the line end.
        ///
        /// It is `isWhole` if a line end closed it instead of another sentence.
        case sentence(Range<Int>, isWhole: Bool)
        /// A sentence that began in an earlier input.
        ///
        /// It is in ``held``.
        case heldSentence(isWhole: Bool)
        /// An item to count as malformed.
        case malformed(MalformedReason)
    }

    /// A sentence that is complete and has a checksum.
    struct UsualSentence {
        /// The place of its `$` or `!`.
        let start: Int
        /// The place of its `*`, counted from there.
        let asterisk: Int
        /// Whether the checksum is right.
        let isRight: Bool
    }

    private enum State {
        case lineStart
        /// In a line that began with text.
        case text
        /// In a line, or before a sentence, that contains other bytes than text.
        case binary
        case comment
        case sentence
        /// In the rest of a line that has been counted as malformed already.
        case rest
    }

    /// The sentence of the last ``Frame/heldSentence(isWhole:)``, or the beginning of an incomplete one.
    private(set) var held: [UInt8] = []
    /// The checksum of the last sentence, as far as it has been read.
    private(set) var checksum = Checksum()
    private var state = State.lineStart
    private var heldIsGiven = false

    /// Returns the sentence at `index` and moves `index` behind its line if it is of the usual form: a `$` or
    /// `!` at the beginning of a line, a checksum, and a line end.
    ///
    /// Returns `nil` for all else, which ``next(in:from:)`` then reads. A usual sentence is found and summed in one pass,
    /// and leaves no state behind.
    @inline(__always)
    func usualSentence(in bytes: Span<UInt8>, from index: inout Int) -> UsualSentence? {
        guard state == .lineStart, index < bytes.count, bytes[index] == .dollar || bytes[index] == .exclamation else {
            return nil
        }
        let limit = index &+ Self.longestSentence
        var checksum = PlainChecksum()
        guard var asterisk = checksum.add(bytes, from: index &+ 1, to: limit) else { return nil }
        if asterisk < bytes.count, bytes[asterisk] != .asterisk {
            guard let place = checksum.addAny(bytes, from: asterisk, to: limit) else { return nil }
            asterisk = place
        }
        let word = bytes.word(at: asterisk)
        let isRight = checksum.isRight(word)
        // If the checksum is wrong, nothing is known yet about the bytes of the checksum.
        guard isRight || word.byte(0) == .asterisk && word.sentenceEnds.first == 3, asterisk <= limit &- 3,
            let lineEnd = Self.lineEnd(word)
        else { return nil }
        let start = index
        index = asterisk &+ 3 &+ lineEnd
        return UsualSentence(start: start, asterisk: asterisk &- start, isRight: isRight)
    }

    /// Returns the length of the line end after a checksum, given the bytes from its `*` on; `nil` if there is none.
    @inline(__always)
    private static func lineEnd(_ word: ByteWord) -> Int? {
        switch word.byte(3) {
        case .carriageReturn: word.byte(4) == .lineFeed ? 2 : 1
        case .lineFeed: 1
        default: nil
        }
    }

    /// Returns the next item found at or after `index`, and moves `index` behind it.
    ///
    /// Returns `nil` at the end of the input.
    ///
    /// - Complexity: O(*n*) for *n* bytes skipped.
    mutating func next(in bytes: Span<UInt8>, from index: inout Int) -> Frame? {
        if heldIsGiven {
            held.removeAll(keepingCapacity: true)
            heldIsGiven = false
        }
        while index < bytes.count {
            let frame =
                state == .sentence ? endSentence(in: bytes, from: &index) : findSentence(in: bytes, from: &index)
            if let frame { return frame }
        }
        return nil
    }

    /// Returns the item that the end of the recording leaves unfinished, or `nil` if there is none.
    mutating func finish() -> Frame? {
        defer { state = .lineStart }
        switch state {
        case .sentence:
            heldIsGiven = true
            return .heldSentence(isWhole: false)
        case .text, .binary: return .malformed(.notNMEA)
        case .lineStart, .comment, .rest: return nil
        }
    }

    /// Moves to the next `$` or `!`.
    private mutating func findSentence(in bytes: Span<UInt8>, from index: inout Int) -> Frame? {
        // Nearly all lines begin like this.
        if state == .lineStart, bytes[index] == .dollar {
            state = .sentence
            return nil
        }
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case .carriageReturn, .lineFeed:
                let hadOther = state == .text || state == .binary
                state = .lineStart
                index += 1
                if hadOther { return .malformed(.notNMEA) }
            case .dollar where state != .comment, .exclamation where state != .comment:
                let hadBinary = state == .binary
                state = .sentence
                if hadBinary { return .malformed(.notNMEA) }
                return nil
            case .hash where state == .lineStart:
                state = .comment
                index += 1
            default:
                if state == .lineStart || state == .text {
                    state = byte.isPrintable || byte == .tab ? .text : .binary
                }
                index += 1
            }
        }
        return nil
    }

    /// Moves to the end of the sentence that begins at `index` or in ``held``.
    private mutating func endSentence(in bytes: Span<UInt8>, from index: inout Int) -> Frame? {
        let start = index
        let isContinued = !held.isEmpty
        let limit = min(bytes.count, start + Self.longestSentence - held.count)
        // Only `$` begins a sentence within another one, because `!` occurs in real text messages. Nothing is lost by
        // this, since sentences that begin with `!` are skipped.
        if !isContinued {
            checksum = Checksum()
            index += 1
        }
        index = endOfText(in: bytes.extracting(..<limit), from: index)
        guard index < bytes.count else {
            hold(bytes, start..<index)
            return nil
        }
        let end = index
        switch bytes[end] {
        case .dollar: break
        case .carriageReturn, .lineFeed:
            state = .lineStart
            index += 1
            // The line feed of this line end would be an empty line, and keep the next sentence from being a usual one.
            if index < bytes.count, bytes[end] == .carriageReturn, bytes[index] == .lineFeed { index += 1 }
        default:
            index += 1
            held.removeAll(keepingCapacity: true)
            state = .rest
            return .malformed(bytes[end].isPrintable ? .tooLong : .garbled)
        }
        guard isContinued else { return .sentence(start..<end, isWhole: state == .lineStart) }
        hold(bytes, start..<end)
        heldIsGiven = true
        return .heldSentence(isWhole: state == .lineStart)
    }

    /// Returns the first position at or after `index` that ends a sentence, or the end of the bytes.
    ///
    /// It adds the bytes before to ``checksum``.
    private mutating func endOfText(in bytes: Span<UInt8>, from index: Int) -> Int {
        var index = checksum.add(bytes, from: index)
        while index < bytes.count {
            let word = bytes.word(at: index)
            if let place = word.sentenceEnds.first { return index + place }
            index += ByteWord.count
        }
        return index
    }

    private mutating func hold(_ bytes: Span<UInt8>, _ place: Range<Int>) {
        for index in place { held.append(bytes[index]) }
    }
}

extension UInt8 {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let exclamation = UInt8(ascii: "!")
    static let hash = UInt8(ascii: "#")
    static let dollar = UInt8(ascii: "$")
    static let asterisk = UInt8(ascii: "*")
    static let comma = UInt8(ascii: ",")
    static let point = UInt8(ascii: ".")

    /// Whether the byte is a character that a sentence may contain.
    @inline(__always)
    var isPrintable: Bool { self >= 0x20 && self <= 0x7E }
    /// The value of a decimal digit; `nil` if the byte is none.
    @inline(__always)
    var decimalDigit: Int? { self >= 0x30 && self <= 0x39 ? Int(self) - 0x30 : nil }
    /// Whether the byte is one of A to Z.
    @inline(__always)
    var isCapital: Bool { self >= 0x41 && self <= 0x5A }
    /// Whether the byte is a letter of either case.
    @inline(__always)
    var isLetter: Bool { isCapital || (self >= 0x61 && self <= 0x7A) }
}
