/// Text as XML 1.0 holds it, between tags and within an attribute's double quotes.
public enum XMLText {
    /// Writes text with its markup escaped.
    ///
    /// A character that XML cannot hold becomes U+FFFD (XML 1.0, section 2.2).
    public static func append(_ text: String, to bytes: inout [UInt8]) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": bytes.append(contentsOf: "&amp;".utf8)
            case "<": bytes.append(contentsOf: "&lt;".utf8)
            case ">": bytes.append(contentsOf: "&gt;".utf8)
            case "\"": bytes.append(contentsOf: "&quot;".utf8)
            // A reader would turn a bare one into a line feed.
            case "\r": bytes.append(contentsOf: "&#13;".utf8)
            case "\t", "\n": bytes.append(UInt8(truncatingIfNeeded: scalar.value))
            // Allowed, but not as they are: they would steer a terminal that shows the file.
            case "\u{7F}"..."\u{9F}": bytes.append(contentsOf: "&#\(scalar.value);".utf8)
            case "\0"..<" ", "\u{FFFE}", "\u{FFFF}": bytes.append(contentsOf: "\u{FFFD}".utf8)
            default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
    }
}
