public import TextCoding

extension JSONWriter {
    /// Writes a value unchanged; see ``JSONText`` for the format of numbers.
    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): boolean(value)
        case .integer(let value): integer(value)
        case .number(let value): shortest(value)
        case .string(let value): string(value)
        case .array(let elements):
            array { json in
                for element in elements { json.value(element) }
            }
        case .object(let members):
            object { json in
                for name in members.names {
                    guard let value = members[name] else { continue }
                    json.key(name)
                    json.value(value)
                }
            }
        }
    }

    /// Writes the shortest digits that parse as the same number.
    ///
    /// Magnitudes from 1e-9 to 1 have no exponent. A number that is not finite is written as null.
    private mutating func shortest(_ value: Double) {
        guard value.isFinite else { return null() }
        var text = "\(value)"
        if text.hasSuffix(".0") { text.removeLast(2) }
        let parts = text.split(separator: "e")
        if parts.count == 2, let exponent = Int(parts[1]), (-9..<0).contains(exponent) {
            let digits = parts[0].filter { $0 != "-" && $0 != "." }
            text = (value < 0 ? "-" : "") + "0." + String(repeating: "0", count: -exponent - 1) + digits
        }
        raw(text.utf8)
    }
}

/// An encoded JSON value, such as the answer of a method.
///
/// Parsing the output of a `JSONWriter` to a ``JSONValue`` and writing it again gives the same bytes. A number
/// without a fraction has no decimal point.
public struct JSONText: Sendable, Equatable {
    /// The text in UTF-8, on one line.
    public let bytes: [UInt8]

    /// Creates the text of the value that `body` writes.
    ///
    /// It must write exactly one value.
    public init(_ body: (inout JSONWriter) throws -> Void) rethrows {
        var writer = JSONWriter()
        try body(&writer)
        bytes = writer.bytes
    }

    /// Returns an object whose members `body` writes.
    public static func object(_ body: (inout JSONWriter) -> Void) -> JSONText {
        JSONText { $0.object(body) }
    }

    /// Returns an array whose elements `body` writes.
    public static func array(_ body: (inout JSONWriter) -> Void) -> JSONText {
        JSONText { $0.array(body) }
    }

    /// Encodes a value.
    public init(_ value: JSONValue) { self.init { $0.value(value) } }
}
