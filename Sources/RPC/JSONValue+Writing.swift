public import TextCoding

extension JSONWriter {
    /// Writes any value as it stands; see ``JSONText`` for what numbers look like.
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

    /// Writes the fewest digits that are read back as the same number, without exponent from 1e-9 on.
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

/// A value written as JSON: what a method answers.
///
/// What a `JSONWriter` wrote, parsed to a ``JSONValue`` and written again, is the same bytes. A number without a
/// fraction is written without a point.
public struct JSONText: Sendable, Equatable {
    /// The text, UTF-8, on one line.
    public let bytes: [UInt8]

    /// The value that `body` writes; it must write exactly one.
    public init(_ body: (inout JSONWriter) throws -> Void) rethrows {
        var writer = JSONWriter()
        try body(&writer)
        bytes = writer.bytes
    }

    /// The object whose members `body` writes.
    public static func object(_ body: (inout JSONWriter) -> Void) -> JSONText {
        JSONText { $0.object(body) }
    }

    /// The array whose elements `body` writes.
    public static func array(_ body: (inout JSONWriter) -> Void) -> JSONText {
        JSONText { $0.array(body) }
    }

    /// The value as text.
    public init(_ value: JSONValue) { self.init { $0.value(value) } }
}
