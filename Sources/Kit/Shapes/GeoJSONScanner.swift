internal import TextCoding

/// Why a text is not JSON, and where.
public struct ShapeTextError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line of the text, counted from 1.
    public var line: Int
    /// The byte of the line, counted from 1.
    public var column: Int
    /// What is wrong and what to do, as a clause without a full stop.
    public var reason: String

    /// The place and the reason: `line 3, column 17: …`.
    public var description: String { "line \(line), column \(column): \(reason)" }
}

/// Reads JSON from the front, token by token (RFC 8259).
///
/// It builds no tree, so that the coordinates of a million positions take no more memory than their numbers. Every
/// function leaves the scanner behind what it read.
struct GeoJSONScanner {
    private let bytes: [UInt8]
    private(set) var at = 0

    /// The deepest nesting that is skipped; GeoJSON itself needs nine levels, and foreign members seldom more.
    static let greatestDepth = 128

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next byte that is not white space; `nil` at the end.
    ///
    /// The record separator between texts of a sequence counts as white space (RFC 8142).
    mutating func peek() -> UInt8? {
        while at < bytes.count {
            switch bytes[at] {
            case 0x20, 0x09, 0x0A, 0x0D, 0x1E: at += 1
            case let byte: return byte
            }
        }
        return nil
    }

    /// Goes back to a place that was read before.
    mutating func goBack(to place: Int) { at = place }

    func error(_ reason: String) -> ShapeTextError { error(reason, at: at) }

    func error(_ reason: String, at place: Int) -> ShapeTextError {
        let before = bytes[..<min(place, bytes.count)]
        let line = before.reduce(1) { $0 + ($1 == 0x0A ? 1 : 0) }
        let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return ShapeTextError(line: line, column: before.count - start + 1, reason: reason)
    }

    /// Reads one byte if it comes next.
    mutating func consume(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        at += 1
        return true
    }

    mutating func expect(_ byte: UInt8) throws(ShapeTextError) {
        guard consume(byte) else { throw unexpected("\"\(Unicode.Scalar(byte))\"") }
    }

    private mutating func unexpected(_ wanted: String) -> ShapeTextError {
        guard let byte = peek() else {
            return error("the text ends where \(wanted) must follow; it is empty or cut off")
        }
        let found = byte >= 0x20 && byte < 0x7F ? "\"\(Unicode.Scalar(byte))\"" : "byte \(byte)"
        return error("\(found) is not JSON here, where \(wanted) must follow")
    }

    /// Calls `body` with each key of an object; `body` must read the value.
    mutating func object(
        _ body: (inout GeoJSONScanner, String) throws(ShapeTextError) -> Void
    ) throws(ShapeTextError) {
        try expect(UInt8(ascii: "{"))
        guard !consume(UInt8(ascii: "}")) else { return }
        repeat {
            let key = try string()
            try expect(UInt8(ascii: ":"))
            try body(&self, key)
        } while consume(UInt8(ascii: ","))
        try expect(UInt8(ascii: "}"))
    }

    /// Calls `body` before each element of an array; `body` must read it.
    mutating func array(_ body: (inout GeoJSONScanner) throws(ShapeTextError) -> Void) throws(ShapeTextError) {
        try expect(UInt8(ascii: "["))
        guard !consume(UInt8(ascii: "]")) else { return }
        repeat { try body(&self) } while consume(UInt8(ascii: ","))
        try expect(UInt8(ascii: "]"))
    }

    /// Reads a string.
    mutating func string() throws(ShapeTextError) -> String {
        guard peek() == UInt8(ascii: "\"") else { throw unexpected("a string") }
        let start = at
        at += 1
        var text: [UInt8] = []
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw error("the string is not UTF-8; save the file as UTF-8", at: start)
                }
                return string
            case UInt8(ascii: "\\"): try escape(into: &text)
            case 0..<0x20: throw error("a string must not contain the control character \(byte)", at: at - 1)
            default: text.append(byte)
            }
        }
        throw error("the string is not closed; the text is cut off", at: start)
    }

    private mutating func escape(into text: inout [UInt8]) throws(ShapeTextError) {
        guard at < bytes.count else { return }
        let byte = bytes[at]
        at += 1
        switch byte {
        case UInt8(ascii: "u"):
            var scalar = try hexadecimal()
            if JSONStringEscape.isHighSurrogate(scalar), at + 1 < bytes.count, bytes[at] == UInt8(ascii: "\\"),
                bytes[at + 1] == UInt8(ascii: "u")
            {
                at += 2
                let low = try hexadecimal()
                scalar = JSONStringEscape.codePoint(scalar, low) ?? 0xFFFD
            }
            let character = Unicode.Scalar(scalar) ?? "\u{FFFD}"
            text.append(contentsOf: UTF8.encode(character) ?? UTF8.encodedReplacementCharacter)
        default:
            guard let plain = JSONStringEscape.byte(byte) else {
                throw error("a backslash must not come before this character", at: at - 1)
            }
            text.append(plain)
        }
    }

    private mutating func hexadecimal() throws(ShapeTextError) -> UInt32 {
        guard at + 4 <= bytes.count,
            let value = UInt32(String(decoding: bytes[at..<at + 4], as: UTF8.self), radix: 16), bytes[at] != 0x2B
        else { throw error("four hexadecimal digits must follow \\u") }
        at += 4
        return value
    }

    /// The powers of ten that a `Double` holds exactly.
    private static let powers: [Double] = (0...22).map { exponent in
        (0..<exponent).reduce(1.0) { power, _ in power * 10 }
    }

    /// Reads a number, correctly rounded.
    mutating func number() throws(ShapeTextError) -> Double {
        guard let first = peek(), first == 0x2D || (0x30...0x39).contains(first) else { throw unexpected("a number") }
        let start = at
        if first == 0x2D { at += 1 }
        var (digits, count, scale) = (UInt64(0), 0, 0)
        func digit(_ index: Int) -> UInt64? {
            index < bytes.count && (0x30...0x39).contains(bytes[index]) ? UInt64(bytes[index] - 0x30) : nil
        }
        let leading = at
        while let digit = digit(at) {
            (digits, count) = (digits &* 10 &+ digit, digits == 0 && digit == 0 ? count : count + 1)
            at += 1
        }
        guard at > leading, at == leading + 1 || bytes[leading] != 0x30 else {
            throw error("a number must not begin like this", at: start)
        }
        if at < bytes.count, bytes[at] == 0x2E {
            at += 1
            let fraction = at
            while let digit = digit(at) {
                (digits, count) = (digits &* 10 &+ digit, digits == 0 && digit == 0 ? count : count + 1)
                scale += 1
                at += 1
            }
            guard at > fraction else { throw error("a digit must follow the decimal point", at: start) }
        }
        var hasExponent = false
        if at < bytes.count, bytes[at] | 0x20 == 0x65 {
            hasExponent = true
            at += 1
            if at < bytes.count, bytes[at] == 0x2B || bytes[at] == 0x2D { at += 1 }
            let exponent = at
            while digit(at) != nil { at += 1 }
            guard at > exponent else { throw error("a digit must follow the exponent's e", at: start) }
        }
        // Below 2⁵³ both the digits and the power are exact, so that their quotient is rounded once (Clinger 1990).
        if !hasExponent, count <= 15, scale < Self.powers.count {
            let magnitude = Double(digits) / Self.powers[scale]
            return first == 0x2D ? -magnitude : magnitude
        }
        guard let value = Double(String(decoding: bytes[start..<at], as: UTF8.self)), value.isFinite else {
            throw error("the number is too large", at: start)
        }
        return value
    }

    /// A value without parts; arrays and objects are skipped.
    enum Scalar {
        case text(String)
        case number(Double)
        case truth(Bool)
        case other
    }

    /// Reads any value.
    mutating func scalar() throws(ShapeTextError) -> Scalar {
        switch peek() {
        case UInt8(ascii: "\""): return .text(try string())
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): return try literal()
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            try skip()
            return .other
        default: return .number(try number())
        }
    }

    private mutating func literal() throws(ShapeTextError) -> Scalar {
        for (name, value) in [("true", Scalar.truth(true)), ("false", .truth(false)), ("null", .other)]
        where bytes[at...].starts(with: name.utf8) {
            at += name.utf8.count
            return value
        }
        throw unexpected("a value")
    }

    /// Skips any value.
    mutating func skip() throws(ShapeTextError) {
        // The brackets that are open, so that no recursion is needed.
        var open: [UInt8] = []
        repeat {
            switch peek() {
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                let bracket = bytes[at]
                at += 1
                guard open.count < Self.greatestDepth else {
                    throw error("the text is nested deeper than \(Self.greatestDepth) levels", at: at - 1)
                }
                let close = bracket + 2
                if !consume(close) {
                    open.append(close)
                    if close == UInt8(ascii: "}") { try key() }
                    continue
                }
            default: _ = try scalar()
            }
            while let close = open.last {
                if consume(UInt8(ascii: ",")) {
                    if close == UInt8(ascii: "}") { try key() }
                    break
                }
                try expect(close)
                open.removeLast()
            }
        } while !open.isEmpty
    }

    private mutating func key() throws(ShapeTextError) {
        _ = try string()
        try expect(UInt8(ascii: ":"))
    }
}
