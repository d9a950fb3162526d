/// Text as XML 1.0 holds it, between tags and within an attribute's double quotes.
enum XMLText {
    /// Writes text with its markup escaped; a character that XML cannot hold becomes U+FFFD (XML 1.0, section 2.2).
    static func append(_ text: String, to bytes: inout [UInt8]) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": bytes.append("&amp;")
            case "<": bytes.append("&lt;")
            case ">": bytes.append("&gt;")
            case "\"": bytes.append("&quot;")
            // A reader would turn a bare one into a line feed.
            case "\r": bytes.append("&#13;")
            case "\t", "\n": bytes.append(UInt8(ascii: scalar))
            case "\0"..<" ", "\u{FFFE}", "\u{FFFF}": bytes.append("\u{FFFD}")
            default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
    }
}
