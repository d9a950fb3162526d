internal import Positioning

/// What a ``JSONScanner`` hands on.
///
/// Names and values are ranges of the bytes that are being scanned.
protocol JSONSink {
    /// A member of an object begins; returns whether its value is wanted.
    mutating func name(_ range: Range<Int>, of bytes: Span<UInt8>) -> Bool
    /// An object or array begins; returns whether its content is wanted.
    ///
    /// If not, neither its content nor its end is handed on.
    mutating func begin(isArray: Bool) throws(RecordingError) -> Bool
    /// The innermost wanted object or array ends.
    mutating func end() throws(RecordingError)
    /// A value that is no object or array.
    mutating func scalar(_ scalar: JSONScalar, of bytes: Span<UInt8>) throws(RecordingError)
}

/// A value that is no object or array.
enum JSONScalar {
    /// A text without its quotes; it is plain if it has no escapes.
    case text(Range<Int>, isPlain: Bool)
    case number(Range<Int>)
    case literal(JSONLiteral)
}

/// A value with a name of its own.
enum JSONLiteral: UInt8 {
    case null, `true`, `false`
}

/// Checks the grammar of a JSON text (RFC 8259) in pieces, and hands its parts to a sink.
///
/// A name, text, number or literal is handed on in one piece; if the bytes end within it, the caller must scan it again
/// with more bytes. Everything else is resumed. A byte-order mark of UTF-8 may come first. Bytes above 127 in texts are
/// not checked: a file in another encoding still has sound numbers. A name with escapes is handed on as if it were
/// unknown, because no history needs one.
///
/// The time is linear in the number of bytes, and the memory constant.
struct JSONScanner {
    /// The deepest nesting, which is the number of bits that hold it; histories have at most 12 levels.
    static let maximumDepth = 64
    /// The most bytes in a text; no history has longer ones than a few pages of a diary.
    static let maximumTextLength = 1 << 20
    /// The most bytes in a number: more than the longest exact `Double`, 767 digits with its sign and exponent.
    static let maximumNumberLength = 1024

    private enum Expected {
        case value, valueOrEnd, name, nameOrEnd, colon, commaOrEnd, nothing
    }

    private var expected = Expected.value
    /// A bit for each open container, the innermost lowest: whether it is an array.
    private var arrays: UInt64 = 0
    private var depth = 0
    /// The depth of the outermost container whose content is not wanted; 0 if there is none.
    private var unwantedDepth = 0
    private var wantsMember = false
    private var line = 1
    /// The number of bytes before the current line.
    private var lineStart = 0

    private var isInArray: Bool { arrays & 1 == 1 }
    private var isWanted: Bool { unwantedDepth == 0 && (depth == 0 || isInArray || wantsMember) }

    /// Scans bytes from an index on.
    ///
    /// - Parameters:
    ///   - offset: the number of bytes of the text before the first of `bytes`.
    /// - Returns: the index of the first byte that must be scanned again with more bytes behind it.
    /// - Throws: `RecordingError` with line and column if the text is not JSON, or if the sink throws.
    mutating func scan<Sink: JSONSink>(
        _ bytes: Span<UInt8>, from start: Int, offset: Int, into sink: inout Sink
    ) throws(RecordingError) -> Int {
        var at = start
        do throws(RecordingError) {
            while at < bytes.count {
                let byte = bytes[at]
                if byte <= 0x20 {
                    try skipBlank(byte, at: offset + at)
                    // Indented files are a third blanks, so that their runs are worth a loop of their own.
                    var next = at + 1
                    while next < bytes.count, bytes[next] == 0x20 { next &+= 1 }
                    at = next
                } else if expected == .colon {
                    guard byte == UInt8(ascii: ":") else { throw unexpected(byte, "a colon") }
                    expected = .value
                    at += 1
                } else if try !step(byte, bytes, &at, offset, &sink) {
                    return at
                }
            }
        } catch {
            guard error.line == nil else { throw error }
            throw RecordingError(error.reason, line: line, column: offset + at - lineStart + 1)
        }
        return at
    }

    /// Ends the text.
    ///
    /// - Throws: `RecordingError` if it is not complete.
    func finish(length: Int) throws(RecordingError) {
        guard expected != .nothing else { return }
        let reason =
            depth == 0
            ? "the file has no JSON value"
            : "the file ends here, but \(depth) objects and arrays are still open; it is cut off"
        throw RecordingError(reason, line: line, column: length - lineStart + 1)
    }

    /// Reads a sign or a value; returns whether the bytes held all of it.
    @inline(__always)
    private mutating func step<Sink: JSONSink>(
        _ byte: UInt8, _ bytes: Span<UInt8>, _ at: inout Int, _ offset: Int, _ sink: inout Sink
    ) throws(RecordingError) -> Bool {
        switch expected {
        case .commaOrEnd:
            if byte == UInt8(ascii: ",") {
                expected = isInArray ? .value : .name
            } else if byte == (isInArray ? UInt8(ascii: "]") : UInt8(ascii: "}")) {
                try close(&sink)
            } else {
                throw unexpected(byte, isInArray ? "a comma or \"]\"" : "a comma or \"}\"")
            }
            at += 1
        case .name, .nameOrEnd:
            if byte == UInt8(ascii: "}"), expected == .nameOrEnd {
                try close(&sink)
                at += 1
                return true
            }
            guard byte == UInt8(ascii: "\"") else { throw unexpected(byte, "a name in quotes") }
            guard let text = try text(bytes, &at) else { return false }
            wantsMember = unwantedDepth == 0 && text.isPlain && sink.name(text.range, of: bytes)
            expected = .colon
        case .value, .valueOrEnd:
            if byte == UInt8(ascii: "]"), expected == .valueOrEnd {
                try close(&sink)
                at += 1
                return true
            }
            return try value(byte, bytes, &at, offset, &sink)
        case .colon, .nothing:
            throw RecordingError("more text follows the end of the JSON value")
        }
        return true
    }

    private mutating func value<Sink: JSONSink>(
        _ byte: UInt8, _ bytes: Span<UInt8>, _ at: inout Int, _ offset: Int, _ sink: inout Sink
    ) throws(RecordingError) -> Bool {
        switch byte {
        case UInt8(ascii: "\""):
            guard let text = try text(bytes, &at) else { return false }
            if isWanted { try sink.scalar(.text(text.range, isPlain: text.isPlain), of: bytes) }
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            try open(isArray: byte == UInt8(ascii: "["), &sink)
            at += 1
            return true
        case UInt8(ascii: "-"), 0x30...0x39:
            let start = at
            guard let end = try JSONNumber.end(in: bytes, from: start) else { return false }
            if isWanted { try sink.scalar(.number(start..<end), of: bytes) }
            at = end
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
            let literal: JSONLiteral =
                byte == UInt8(ascii: "t") ? .true : byte == UInt8(ascii: "f") ? .false : .null
            guard let end = try literal.end(in: bytes, from: at) else { return false }
            if isWanted { try sink.scalar(.literal(literal), of: bytes) }
            at = end
        case 0xEF where offset + at == 0:
            guard bytes.count >= 3 else { return false }
            guard bytes[1] == 0xBB, bytes[2] == 0xBF else { throw unexpected(byte, "a value") }
            at = 3
            return true
        default:
            throw unexpected(byte, "a value")
        }
        expected = depth == 0 ? .nothing : .commaOrEnd
        return true
    }

    private mutating func open<Sink: JSONSink>(isArray: Bool, _ sink: inout Sink) throws(RecordingError) {
        guard depth < Self.maximumDepth else {
            throw RecordingError("objects and arrays are nested more than \(Self.maximumDepth) deep")
        }
        let hasSilence = unwantedDepth > 0
        let isContentWanted = try isWanted ? sink.begin(isArray: isArray) : false
        depth += 1
        arrays = arrays << 1 | (isArray ? 1 : 0)
        if !isContentWanted, !hasSilence { unwantedDepth = depth }
        expected = isArray ? .valueOrEnd : .nameOrEnd
    }

    private mutating func close<Sink: JSONSink>(_ sink: inout Sink) throws(RecordingError) {
        if unwantedDepth == 0 {
            try sink.end()
        } else if unwantedDepth == depth {
            unwantedDepth = 0
        }
        depth -= 1
        arrays >>= 1
        expected = depth == 0 ? .nothing : .commaOrEnd
    }

    /// Reads a text that begins at an index, and moves the index behind it; `nil` if the bytes end within it.
    private func text(
        _ bytes: Span<UInt8>, _ at: inout Int
    ) throws(RecordingError) -> (
        range: Range<Int>, isPlain: Bool
    )? {
        let start = at + 1
        var end = start
        var isPlain = true
        while end < bytes.count {
            let byte = bytes[end]
            if byte == UInt8(ascii: "\"") { break }
            if byte < 0x20 {
                at = end
                throw RecordingError("a text contains a control character; its closing quote may be missing")
            }
            if byte == UInt8(ascii: "\\") {
                isPlain = false
                guard let next = JSONEscape.end(in: bytes, from: end) else {
                    end = bytes.count
                    break
                }
                guard next > end else {
                    at = end
                    throw RecordingError("a text contains an invalid escape")
                }
                end = next
            } else {
                end += 1
            }
        }
        guard end - start <= Self.maximumTextLength else {
            throw RecordingError("a text is longer than \(Self.maximumTextLength) bytes")
        }
        guard end < bytes.count else { return nil }
        at = end + 1
        return (start..<end, isPlain)
    }

    private mutating func skipBlank(_ byte: UInt8, at place: Int) throws(RecordingError) {
        switch byte {
        case 0x20, 0x09, 0x0D: break
        case 0x0A:
            line += 1
            lineStart = place + 1
        default: throw unexpected(byte, "JSON")
        }
    }

    private func unexpected(_ byte: UInt8, _ wanted: String) -> RecordingError {
        let found =
            (0x21...0x7E).contains(byte)
            ? "\"\(Unicode.Scalar(byte))\"" : "the byte 0x\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
        return RecordingError("\(found) stands where \(wanted) is expected")
    }
}
