/// Base64 without Foundation (RFC 4648).
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlAlphabet = Array(alphabet.dropLast(2)) + Array("-_".utf8)

    /// Encodes bytes in the alphabet of section 4, with padding.
    package static func encode(_ bytes: [UInt8]) -> String { encode(bytes, alphabet, isPadded: true) }

    /// Encodes bytes in the alphabet for URLs and file names of section 5, without padding.
    package static func encodeForURL(_ bytes: some Sequence<UInt8>) -> String {
        encode(Array(bytes), urlAlphabet, isPadded: false)
    }

    private static func encode(_ bytes: [UInt8], _ alphabet: [UInt8], isPadded: Bool) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits: UInt32 = 0
            for byte in group { bits = bits << 8 | UInt32(byte) }
            bits <<= UInt32(8 * (3 - group.count))
            for digit in 0...group.count { text.append(alphabet[Int(bits >> UInt32(18 - 6 * digit) & 63)]) }
            if isPadded { for _ in group.count..<3 { text.append(UInt8(ascii: "=")) } }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes bytes; `nil` if a character is not of the alphabet.
    ///
    /// The padding may be missing, and the alphabet may be either, since programs differ in both.
    package static func decode(_ text: some BidirectionalCollection<UInt8>) -> [UInt8]? {
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
