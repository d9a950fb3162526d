import Foundation

/// Base64 in the alphabet for URLs, without padding (RFC 4648, section 5).
enum Base64URL {
    /// Returns the text of some bytes.
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Returns the bytes of a text, which may have its padding; `nil` if it is no such text.
    static func bytes(_ text: String) -> [UInt8]? {
        let isOfAlphabet = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == 0x2D || byte == 0x5F || byte == 0x3D
        }
        guard isOfAlphabet else { return nil }
        var plain = text.replacing("-", with: "+").replacing("_", with: "/").replacing("=", with: "")
        plain += String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
        return Data(base64Encoded: plain).map { Array($0) }
    }
}
