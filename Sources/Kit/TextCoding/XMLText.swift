/// Encodes text for XML 1.0, between tags and within double-quoted attributes.
public enum XMLText {
    /// Appends text with its markup escaped.
    ///
    /// A character that XML does not allow becomes U+FFFD (XML 1.0, section 2.2).
    public static func append(_ text: String, to bytes: inout [UInt8]) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": bytes.append(contentsOf: "&amp;".utf8)
            case "<": bytes.append(contentsOf: "&lt;".utf8)
            case ">": bytes.append(contentsOf: "&gt;".utf8)
            case "\"": bytes.append(contentsOf: "&quot;".utf8)
            // A parser would convert a literal carriage return to a line feed.
            case "\r": bytes.append(contentsOf: "&#13;".utf8)
            case "\t", "\n": bytes.append(UInt8(truncatingIfNeeded: scalar.value))
            // Allowed by XML, but escaped because they could steer a terminal that displays the file.
            case "\u{7F}"..."\u{9F}": bytes.append(contentsOf: "&#\(scalar.value);".utf8)
            case "\0"..<" ", "\u{FFFE}", "\u{FFFF}": bytes.append(contentsOf: "\u{FFFD}".utf8)
            default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
    }
}
