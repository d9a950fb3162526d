import TextCoding

/// The reason why a text was rejected by the JSON parser.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The offset of the error in bytes.
    public let offset: Int
    /// The reason, without the position.
    public let reason: String

    /// The reason and the position; the first byte is byte 1.
    public var description: String { "\(reason), at byte \(offset + 1)" }
}

extension JSONValue {
    /// The maximum nesting depth of arrays and objects.
    ///
    /// The parser recurses once per level, so this limits its use of the stack. The interface specifies 32.
    public static let maximumDepth = 32

    /// Parses exactly one JSON text, strictly by RFC 8259.
    ///
    /// The parser also rejects nesting beyond ``maximumDepth``, invalid UTF-8, lone surrogates, numbers beyond the
    /// range of `Double`, duplicate names in an object (RFC 7493, section 2.3), and U+0000, which C and SQLite treat
    /// as the end of a text.
    ///
    /// - Complexity: O(*n*) for *n* bytes.
    public init(parsing text: Span<UInt8>) throws(JSONError) {
        var parser = JSONParser()
        self = try parser.document(text)
    }
}

/// A recursive-descent parser of the grammar of RFC 8259.
///
/// Each rule takes the text as a parameter, because a span cannot be stored.
private struct JSONParser {
    private var index = 0

    mutating func document(_ text: Span<UInt8>) throws(JSONError) -> JSONValue {
        let value = try value(text, depth: 0)
        skipBlanks(text)
        guard index == text.count else { throw error("there is more text after the value") }
        return value
    }

    private mutating func value(_ text: Span<UInt8>, depth: Int) throws(JSONError) -> JSONValue {
        skipBlanks(text)
        guard let byte = peek(text) else { throw error("the text ends where a value is expected") }
        switch byte {
        case UInt8(ascii: "{"):
            try checkDepth(depth)
            return .object(try object(text, depth: depth + 1))
        case UInt8(ascii: "["):
            try checkDepth(depth)
            return .array(try array(text, depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try string(text))
        case UInt8(ascii: "t"): return try literal("true", .bool(true), text)
        case UInt8(ascii: "f"): return try literal("false", .bool(false), text)
        case UInt8(ascii: "n"): return try literal("null", .null, text)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number(text)
        default: throw error("invalid value")
        }
    }

    private func checkDepth(_ depth: Int) throws(JSONError) {
        guard depth < JSONValue.maximumDepth else {
            throw error("nested deeper than \(JSONValue.maximumDepth) levels")
        }
    }

    private mutating func object(_ text: Span<UInt8>, depth: Int) throws(JSONError) -> JSONObject {
        var object = JSONObject()
        index += 1
        skipBlanks(text)
        if consume(UInt8(ascii: "}"), text) { return object }
        while true {
            skipBlanks(text)
            let start = index
            guard peek(text) == UInt8(ascii: "\"") else { throw error("the name of a member must be in quotes") }
            let name = try string(text)
            guard object[name] == nil else {
                throw JSONError(offset: start, reason: "duplicate name of a member")
            }
            skipBlanks(text)
            guard consume(UInt8(ascii: ":"), text) else { throw error("a colon must follow the name") }
            object[name] = try value(text, depth: depth)
            skipBlanks(text)
            if consume(UInt8(ascii: "}"), text) { return object }
            guard consume(UInt8(ascii: ","), text) else { throw error("a comma or } must follow a member") }
        }
    }

    private mutating func array(_ text: Span<UInt8>, depth: Int) throws(JSONError) -> [JSONValue] {
        var elements: [JSONValue] = []
        index += 1
        skipBlanks(text)
        if consume(UInt8(ascii: "]"), text) { return elements }
        while true {
            elements.append(try value(text, depth: depth))
            skipBlanks(text)
            if consume(UInt8(ascii: "]"), text) { return elements }
            guard consume(UInt8(ascii: ","), text) else { throw error("a comma or ] must follow an element") }
        }
    }

    private mutating func literal(
        _ word: StaticString, _ value: JSONValue, _ text: Span<UInt8>
    ) throws(JSONError) -> JSONValue {
        let start = index
        for byte in word.description.utf8 {
            guard consume(byte, text) else { throw JSONError(offset: start, reason: "invalid value") }
        }
        return value
    }

    private mutating func number(_ text: Span<UInt8>) throws(JSONError) -> JSONValue {
        let start = index
        var isWhole = true
        _ = consume(UInt8(ascii: "-"), text)
        if !consume(UInt8(ascii: "0"), text) { try digits(text) }
        if consume(UInt8(ascii: "."), text) {
            isWhole = false
            try digits(text)
        }
        if consume(UInt8(ascii: "e"), text) || consume(UInt8(ascii: "E"), text) {
            isWhole = false
            if !consume(UInt8(ascii: "+"), text) { _ = consume(UInt8(ascii: "-"), text) }
            try digits(text)
        }
        guard let digits = Self.string(text.extracting(start..<index)) else { throw error("invalid number") }
        if isWhole, let value = Int64(digits) { return .integer(value) }
        guard let value = DecimalText.parse(digits) else {
            throw JSONError(offset: start, reason: "the number is too large")
        }
        return .number(value)
    }

    private mutating func digits(_ text: Span<UInt8>) throws(JSONError) {
        let start = index
        while let byte = peek(text), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
        guard index > start else { throw error("a digit is missing in a number") }
    }

    private mutating func string(_ text: Span<UInt8>) throws(JSONError) -> String {
        let opening = index
        index += 1
        var unescaped: [UInt8] = []
        var start = index
        while let byte = peek(text) {
            switch byte {
            case UInt8(ascii: "\""):
                let rest = text.extracting(start..<index)
                let string: String?
                if unescaped.isEmpty {
                    string = Self.string(rest)
                } else {
                    unescaped.append(copying: rest)
                    string = Self.string(unescaped.span)
                }
                guard let string else { throw JSONError(offset: opening, reason: "the string is not UTF-8") }
                index += 1
                return string
            case UInt8(ascii: "\\"):
                unescaped.append(copying: text.extracting(start..<index))
                index += 1
                try escape(text, into: &unescaped)
                start = index
            case 0: throw error(Self.zero)
            case 1..<0x20: throw error("a control character in a string must be escaped")
            default: index += 1
            }
        }
        throw JSONError(offset: opening, reason: "the string has no closing quote")
    }

    /// Parses an escape sequence after its backslash.
    private mutating func escape(_ text: Span<UInt8>, into bytes: inout [UInt8]) throws(JSONError) {
        guard let byte = peek(text) else { throw error("the text ends within a string") }
        index += 1
        if byte == UInt8(ascii: "u") {
            bytes.append(contentsOf: String(Character(try scalar(text))).utf8)
        } else if let plain = JSONStringEscape.byte(byte) {
            bytes.append(plain)
        } else {
            index -= 1
            throw error("unknown escape sequence in a string")
        }
    }

    /// Parses the four digits of a `\u` escape, whose `\u` is already consumed, and the low surrogate after a high
    /// one.
    private mutating func scalar(_ text: Span<UInt8>) throws(JSONError) -> Unicode.Scalar {
        let start = index
        var code = try hexadecimal(text)
        if JSONStringEscape.isHighSurrogate(code), consume(UInt8(ascii: "\\"), text), consume(UInt8(ascii: "u"), text) {
            let low = try hexadecimal(text)
            guard let pair = JSONStringEscape.codePoint(code, low) else {
                throw JSONError(offset: start, reason: "lone surrogate in a string")
            }
            code = pair
        }
        guard code != 0 else { throw JSONError(offset: start, reason: Self.zero) }
        guard let scalar = Unicode.Scalar(code) else {
            throw JSONError(offset: start, reason: "lone surrogate in a string")
        }
        return scalar
    }

    private mutating func hexadecimal(_ text: Span<UInt8>) throws(JSONError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek(text), let digit = JSONStringEscape.digit(byte) else {
                throw error("\\u needs four hexadecimal digits")
            }
            code = code << 4 | digit
            index += 1
        }
        return code
    }

    private mutating func skipBlanks(_ text: Span<UInt8>) {
        while let byte = peek(text), byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { index += 1 }
    }

    private func peek(_ text: Span<UInt8>) -> UInt8? {
        index < text.count ? text[index] : nil
    }

    /// Consumes the next byte if it equals `byte`, and returns whether it did.
    private mutating func consume(_ byte: UInt8, _ text: Span<UInt8>) -> Bool {
        guard peek(text) == byte else { return false }
        index += 1
        return true
    }

    /// Decodes UTF-8; `nil` if the bytes are invalid.
    private static func string(_ bytes: Span<UInt8>) -> String? {
        guard let valid = try? UTF8Span(validating: bytes) else { return nil }
        return String(copying: valid)
    }

    private static let zero = "a string must not contain U+0000"

    private func error(_ reason: String) -> JSONError { JSONError(offset: index, reason: reason) }
}

extension [UInt8] {
    fileprivate mutating func append(copying bytes: Span<UInt8>) {
        for index in bytes.indices { append(bytes[index]) }
    }
}
