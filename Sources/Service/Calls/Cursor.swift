import Foundation
package import RPC
import TextCoding

/// Where a page of a list ended, as a text that the caller gives back unread.
///
/// The text is base64url (RFC 4648, section 5) of a checksum and of a JSON array: the list's name, then what says where.
/// A text that was cut, altered or is another list's is refused as a whole. The checksum finds accidents; it does not
/// keep anybody from making a cursor, so that each value has its range where it is read.
package struct Cursor: Equatable {
    /// The longest text: one with the longest id of a trip, each character of it four bytes.
    package static let longest = 4096

    /// The list's name.
    package let list: String
    /// What says where.
    package let values: [JSONValue]

    package init(_ list: String, _ values: [JSONValue]) {
        self.list = list
        self.values = values
    }

    /// The cursor that a text is; nil where it is none of that list with so many values.
    package init?(_ text: String, of list: String, count: Int) {
        self.init(text, of: list)
        guard values.count == count else { return nil }
    }

    /// The cursor that a text is; nil where it is none of that list.
    package init?(_ text: String, of list: String) {
        guard text.utf8.count <= Self.longest, let bytes = Self.bytes(text), bytes.count > Self.checkLength else {
            return nil
        }
        let content = Array(bytes[Self.checkLength...])
        guard Array(bytes[..<Self.checkLength]) == Self.check(content),
            case .array(let elements)? = try? JSONValue(parsing: content.span), elements.first == .string(list)
        else { return nil }
        self.init(list, Array(elements[1...]))
    }

    /// The text.
    package var text: String {
        let content = JSONText.array { json in
            json.string(list)
            for value in values { json.value(value) }
        }.bytes
        let text = Data(Self.check(content) + content).base64EncodedString()
        return text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static let checkLength = 4

    /// FNV-1a of 32 bits (RFC 9923), the highest byte first.
    private static func check(_ bytes: [UInt8]) -> [UInt8] {
        let hash = bytes.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: hash >> $0) }
    }

    private static func bytes(_ text: String) -> [UInt8]? {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let plain = text.replacing("-", with: "+").replacing("_", with: "/") + padding
        return Data(base64Encoded: plain).map { [UInt8]($0) }
    }
}

extension Cursor {
    /// What is said of an `after` that is none.
    package static var fault: Refusal { Refusal.invalid("after", "must be the next of a page before") }

    /// A whole number among the values; nil where it is none within the range.
    package func integer<Value: FixedWidthInteger>(_ index: Int, in range: ClosedRange<Value>) -> Value? {
        guard let value = Int64(json: values[index]).flatMap(Value.init(exactly:)), range.contains(value) else {
            return nil
        }
        return value
    }

    /// A text among the values.
    package func string(_ index: Int) -> String? { String(json: values[index]) }
}
