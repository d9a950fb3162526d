/// Converts the bytes of a text file to UTF-8 according to its byte-order mark.
///
/// Bytes without a mark pass unchanged. The mark of UTF-8 is removed. UTF-16 and UTF-32 in either byte order are
/// converted to UTF-8, with U+FFFD in place of invalid characters. The input may be split into pieces at any byte,
/// and at most three bytes are held back between pieces (The Unicode Standard 17, section 23.8).
public struct UnicodeTranscoder: Sendable {
    /// The encoding that a byte-order mark indicates.
    public enum Encoding: Sendable {
        /// UTF-8, or any bytes without a mark.
        case utf8
        /// UTF-16, least significant byte first.
        case utf16LittleEndian
        /// UTF-16, most significant byte first.
        case utf16BigEndian
        /// UTF-32, least significant byte first.
        case utf32LittleEndian
        /// UTF-32, most significant byte first.
        case utf32BigEndian
    }

    /// The encoding; `nil` until enough bytes were read to detect it.
    public private(set) var encoding: Encoding?
    private var held: [UInt8] = []
    private var highSurrogate: UInt32?

    /// Creates a transcoder at the beginning of a text.
    public init() {}

    /// Reads bytes, and appends the complete characters to `output`.
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

    /// Ends the text, and appends what was held back.
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

    /// Returns the encoding and the length of the mark; `nil` while further bytes could change the result.
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
