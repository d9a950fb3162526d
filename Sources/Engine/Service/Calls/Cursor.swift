package import RPC
import TextCoding

/// The position in a list where a page ended, as an opaque text that the caller sends back.
///
/// The text is base64url (RFC 4648, section 5) of a checksum and of a JSON array: the list's name, then the values
/// that give the position. A text that is truncated, altered or from another list is rejected as a whole. The
/// checksum detects accidents only. A caller can forge a cursor, so the code that reads a value checks its range.
package struct Cursor: Equatable {
    /// The maximum length of the text in bytes: enough for the longest id of a trip at four bytes per character.
    package static let longest = 4096

    /// The name of the list.
    package let list: String
    /// The values that give the position.
    package let values: [JSONValue]

    package init(_ list: String, _ values: [JSONValue]) {
        self.list = list
        self.values = values
    }

    /// Parses a cursor of `list` with exactly `count` values; `nil` if the text is not one.
    package init?(_ text: String, of list: String, count: Int) {
        self.init(text, of: list)
        guard values.count == count else { return nil }
    }

    /// Parses a cursor of `list`; `nil` if the text is not one.
    package init?(_ text: String, of list: String) {
        guard text.utf8.count <= Self.longest, let bytes = Base64.decode(text.utf8), bytes.count > Self.checkLength
        else {
            return nil
        }
        let content = Array(bytes[Self.checkLength...])
        guard Array(bytes[..<Self.checkLength]) == Self.check(content),
            case .array(let elements)? = try? JSONValue(parsing: content.span), elements.first == .string(list)
        else { return nil }
        self.init(list, Array(elements[1...]))
    }

    /// The encoded text.
    package var text: String {
        let content = JSONText.array { json in
            json.string(list)
            for value in values { json.value(value) }
        }.bytes
        return Base64.encodeForURL(Self.check(content) + content)
    }

    private static let checkLength = 4

    /// Returns the FNV-1a hash of 32 bits (RFC 9923), most significant byte first.
    private static func check(_ bytes: [UInt8]) -> [UInt8] {
        let hash = bytes.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: hash >> $0) }
    }
}

extension Cursor {
    /// The error for an `after` that is not a valid cursor.
    package static var fault: Refusal { Refusal.invalid("after", "must be the value of next in a previous answer") }

    /// Returns the integer at `index`; `nil` if the value is not an integer within `range`.
    package func integer<Value: FixedWidthInteger>(_ index: Int, in range: ClosedRange<Value>) -> Value? {
        guard let value = Int64(json: values[index]).flatMap(Value.init(exactly:)), range.contains(value) else {
            return nil
        }
        return value
    }

    /// Returns the string at `index`; `nil` if the value is not a string.
    package func string(_ index: Int) -> String? { String(json: values[index]) }
}
