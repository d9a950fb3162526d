/// Base64 without Foundation (RFC 4648, section 4).
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Encodes bytes, with padding.
    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits: UInt32 = 0
            for byte in group { bits = bits << 8 | UInt32(byte) }
            bits <<= UInt32(8 * (3 - group.count))
            for digit in 0..<4 {
                let value = Int(bits >> UInt32(18 - 6 * digit) & 63)
                text.append(digit <= group.count ? alphabet[value] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes bytes; `nil` if a character is not of the alphabet.
    ///
    /// The padding may be missing, and the alphabet may be that of section 5, since apps differ in both.
    static func decode(_ text: some BidirectionalCollection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        var end = text.endIndex
        while end > text.startIndex, text[text.index(before: end)] == UInt8(ascii: "=") {
            end = text.index(before: end)
        }
        for byte in text[..<end] {
            guard let value = value(of: byte) else { return nil }
            bits = bits << 6 | value
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        // A single character of a group has no whole byte.
        return count == 6 ? nil : bytes
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character) + 4
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}

/// Hexadecimal digits.
enum Hexadecimal {
    /// Returns the value of a digit in either case; `nil` if it is none.
    static func value(of byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 0x30
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 0x57
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - 0x37
        default: nil
        }
    }

    /// Returns the lower-case digit of a value, of which only the lowest four bits count.
    static func digit(_ value: UInt8) -> UInt8 {
        let value = value & 15
        return value + (value < 10 ? 0x30 : 0x57)
    }
}
