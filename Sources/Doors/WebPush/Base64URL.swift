import TextCoding

/// Base64 in the alphabet for URLs, without padding (RFC 4648, section 5).
enum Base64URL {
    /// Returns the text of some bytes.
    static func text(_ bytes: some Sequence<UInt8>) -> String { Base64.encodeForURL(bytes) }

    /// Returns the bytes of a text, which may have its padding; `nil` if it is no such text.
    static func bytes(_ text: String) -> [UInt8]? {
        text.utf8.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") })
            ? nil : Base64.decode(text.utf8)
    }
}
