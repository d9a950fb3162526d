/// What the escapes in a JSON string stand for (RFC 8259, section 7).
public enum JSONStringEscape {
    /// Returns the byte that a backslash and a letter stand for; `nil` for `u`, and for what is no escape.
    public static func byte(_ letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }

    /// Returns the value of a hexadecimal digit in either case; `nil` for another byte.
    public static func digit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x30...0x39: UInt32(byte) - 0x30
        case 0x41...0x46: UInt32(byte) - 0x41 + 10
        case 0x61...0x66: UInt32(byte) - 0x61 + 10
        default: nil
        }
    }

    /// Returns whether a code unit is the first half of a pair.
    public static func isHighSurrogate(_ unit: UInt32) -> Bool { (0xD800..<0xDC00).contains(unit) }

    /// Returns the code point of a pair whose first half is a high surrogate; `nil` if the other is no low one.
    public static func codePoint(_ high: UInt32, _ low: UInt32) -> UInt32? {
        (0xDC00..<0xE000).contains(low) ? 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00) : nil
    }
}
