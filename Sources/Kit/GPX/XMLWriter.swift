import TextCoding

/// Writes XML elements as UTF-8, without white space between them.
///
/// The caller must match begins and ends.
struct XMLWriter: Sendable {
    /// The bytes written so far.
    private(set) var bytes: [UInt8] = []

    /// Removes the written bytes and keeps their memory.
    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Writes the XML declaration.
    mutating func declaration() { append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n") }

    /// Writes the start tag of an element with its attributes.
    mutating func begin(_ name: StaticString, _ attributes: [(StaticString, String)] = []) {
        append("<")
        append(name)
        for (key, value) in attributes {
            append(" ")
            append(key)
            append("=\"")
            XMLText.append(value, to: &bytes)
            append("\"")
        }
        append(">")
    }

    /// Writes the end tag of an element.
    mutating func end(_ name: StaticString) {
        append("</")
        append(name)
        append(">")
    }

    /// Writes a line feed, where white space has no meaning.
    mutating func newLine() { append("\n") }

    /// Writes an element with a text, or nothing if there is no text.
    mutating func element(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        begin(name)
        XMLText.append(text, to: &bytes)
        end(name)
    }

    /// Writes an element with a number of at most `decimals` decimals, or nothing if there is no finite number.
    mutating func element(_ name: StaticString, _ number: Double?, decimals: Int) {
        guard let number, number.isFinite else { return }
        begin(name)
        DecimalText.append(number, decimals: decimals, to: &bytes)
        end(name)
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    }
}
