/// Turns the bytes of a text file into UTF-8, by its byte-order mark.
///
/// Without a mark the bytes pass as they are. UTF-8's mark is taken off; UTF-16 and UTF-32 of either order become
/// UTF-8, with U+FFFD for what is no character. The pieces may be cut anywhere; at most three bytes are held back
/// between them (The Unicode Standard 17, section 23.8).
public struct UnicodeTranscoder: Sendable {
    /// What a byte-order mark says.
    public enum Encoding: Sendable {
        /// UTF-8, or any bytes without a mark.
        case utf8
        /// Two bytes a unit, the low one first.
        case utf16LittleEndian
        /// Two bytes a unit, the high one first.
        case utf16BigEndian
        /// Four bytes a unit, the lowest one first.
        case utf32LittleEndian
        /// Four bytes a unit, the highest one first.
        case utf32BigEndian
    }

    /// The encoding; nil until enough bytes have come to know it.
    public private(set) var encoding: Encoding?
    private var held: [UInt8] = []
    private var highSurrogate: UInt32?

    /// Nothing read yet.
    public init() {}

    /// Reads on, and appends what is complete to `output`.
    public mutating func feed(_ bytes: Span<UInt8>, into output: inout [UInt8]) {
        output.reserveCapacity(output.count + bytes.count)
        var index = 0
        while index < bytes.count, encoding == nil {
            held.append(bytes[index])
            recognise(atEnd: false, into: &output)
            index += 1
        }
        if encoding == .utf8 {
            for index in index..<bytes.count { output.append(bytes[index]) }
        } else {
            for index in index..<bytes.count { decode(bytes[index], into: &output) }
        }
    }

    /// The text ends here: appends what was held back.
    public mutating func finish(into output: inout [UInt8]) {
        if encoding == nil { recognise(atEnd: true, into: &output) }
        if !held.isEmpty || highSurrogate != nil { append(0xFFFD, to: &output) }
        held = []
        highSurrogate = nil
    }

    private mutating func recognise(atEnd: Bool, into output: inout [UInt8]) {
        guard let (found, markLength) = Self.mark(of: held, atEnd: atEnd) else { return }
        encoding = found
        let rest = held.dropFirst(markLength)
        held = []
        for byte in rest { decode(byte, into: &output) }
    }

    /// The encoding and the length of the mark, or nil while more bytes may change the answer.
    private static func mark(of bytes: [UInt8], atEnd: Bool) -> (Encoding, Int)? {
        let marks: [(Encoding, [UInt8])] = [
            (.utf32LittleEndian, [0xFF, 0xFE, 0, 0]), (.utf32BigEndian, [0, 0, 0xFE, 0xFF]),
            (.utf8, [0xEF, 0xBB, 0xBF]), (.utf16LittleEndian, [0xFF, 0xFE]),
            (.utf16BigEndian, [0xFE, 0xFF]),
        ]
        for (encoding, mark) in marks {
            if bytes.starts(with: mark) { return (encoding, mark.count) }
            if !atEnd, mark.starts(with: bytes) { return nil }
        }
        return (.utf8, 0)
    }

    private mutating func decode(_ byte: UInt8, into output: inout [UInt8]) {
        switch encoding {
        case nil, .utf8:
            output.append(byte)
        case .utf16LittleEndian, .utf16BigEndian:
            held.append(byte)
            guard held.count == 2 else { return }
            let unit =
                encoding == .utf16LittleEndian
                ? UInt32(held[0]) | UInt32(held[1]) << 8 : UInt32(held[1]) | UInt32(held[0]) << 8
            held.removeAll(keepingCapacity: true)
            decode(unit: unit, into: &output)
        case .utf32LittleEndian, .utf32BigEndian:
            held.append(byte)
            guard held.count == 4 else { return }
            let ordered = encoding == .utf32BigEndian ? held : held.reversed()
            held.removeAll(keepingCapacity: true)
            append(ordered.reduce(0) { $0 << 8 | UInt32($1) }, to: &output)
        }
    }

    private mutating func decode(unit: UInt32, into output: inout [UInt8]) {
        if let high = highSurrogate {
            highSurrogate = nil
            if (0xDC00...0xDFFF).contains(unit) {
                append(0x10000 + (high - 0xD800) << 10 + (unit - 0xDC00), to: &output)
                return
            }
            append(0xFFFD, to: &output)
        }
        if (0xD800...0xDBFF).contains(unit) {
            highSurrogate = unit
        } else {
            append(unit, to: &output)
        }
    }

    private func append(_ scalar: UInt32, to output: inout [UInt8]) {
        let character = Unicode.Scalar(scalar) ?? "\u{FFFD}"
        output.append(contentsOf: UTF8.encode(character) ?? UTF8.encodedReplacementCharacter)
    }
}
