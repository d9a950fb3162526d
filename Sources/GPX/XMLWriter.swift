import TextCoding

/// Writes XML elements as UTF-8, without blanks between them.
///
/// That begin and end match is the caller's affair.
struct XMLWriter: Sendable {
    /// What was written so far.
    private(set) var bytes: [UInt8] = []

    /// Forgets what was written, and keeps the memory.
    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// The XML declaration.
    mutating func declaration() { append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n") }

    /// Begins an element, with its attributes.
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

    /// Ends an element.
    mutating func end(_ name: StaticString) {
        append("</")
        append(name)
        append(">")
    }

    /// Breaks the line, where that means nothing.
    mutating func newLine() { append("\n") }

    /// An element that holds a text; nothing where there is none.
    mutating func element(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        begin(name)
        XMLText.append(text, to: &bytes)
        end(name)
    }

    /// An element that holds a number with at most so many decimals; nothing where there is none, or none that is
    /// finite.
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
