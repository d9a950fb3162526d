/// A reader of decimal numbers in bytes.
enum DecimalReader {
    /// The powers of ten that a `Double` holds exactly.
    private static let powers: InlineArray<23, Double> = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20,
        1e21, 1e22,
    ]
    /// The greatest integer up to which a `Double` holds all integers.
    private static let greatestExact: UInt64 = 1 << 53

    /// Returns the number that is the whole text, without the blanks around it; `nil` if it is none.
    static func value(_ text: Span<UInt8>) -> Double? {
        var at = 0
        while at < text.count, isBlank(text[at]) { at += 1 }
        guard let value = prefix(of: text, from: &at) else { return nil }
        while at < text.count, isBlank(text[at]) { at += 1 }
        return at == text.count ? value : nil
    }

    /// Reads a number with an optional sign, point and exponent, and moves `start` behind it.
    ///
    /// The result is the nearest `Double`, infinite if the number is too great. It is `nil` if there is no digit.
    static func prefix(of text: Span<UInt8>, from start: inout Int) -> Double? {
        var at = start
        var isNegative = false
        if at < text.count, text[at] == UInt8(ascii: "-") || text[at] == UInt8(ascii: "+") {
            isNegative = text[at] == UInt8(ascii: "-")
            at += 1
        }
        var mantissa: UInt64 = 0
        var digits = 0
        var scale = 0
        var isExact = true
        var hasPoint = false
        while at < text.count {
            let digit = text[at] &- 0x30
            if digit <= 9 {
                digits += 1
                if mantissa < 1_000_000_000_000_000_000 {
                    mantissa = mantissa &* 10 &+ UInt64(digit)
                    if hasPoint { scale -= 1 }
                } else {
                    isExact = false
                }
            } else if text[at] == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
            } else {
                break
            }
            at += 1
        }
        guard digits > 0 else { return nil }
        if let exponent = exponent(of: text, from: &at) { scale += exponent }
        defer { start = at }
        guard isExact, mantissa <= greatestExact, abs(scale) < powers.count else {
            return slowly(text, start..<at)
        }
        let value = scale < 0 ? Double(mantissa) / powers[-scale] : Double(mantissa) * powers[scale]
        return isNegative ? -value : value
    }

    /// Reads an exponent, if there is one; its magnitude is limited, so that sums with it do not overflow.
    private static func exponent(of text: Span<UInt8>, from start: inout Int) -> Int? {
        guard start < text.count, text[start] | 0x20 == UInt8(ascii: "e") else { return nil }
        var at = start + 1
        var isNegative = false
        if at < text.count, text[at] == UInt8(ascii: "-") || text[at] == UInt8(ascii: "+") {
            isNegative = text[at] == UInt8(ascii: "-")
            at += 1
        }
        let first = at
        var value = 0
        while at < text.count, text[at] &- 0x30 <= 9 {
            value = min(value * 10 + Int(text[at] &- 0x30), 1_000_000)
            at += 1
        }
        guard at > first else { return nil }
        start = at
        return isNegative ? -value : value
    }

    private static func slowly(_ text: Span<UInt8>, _ range: Range<Int>) -> Double? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        for index in range { bytes.append(text[index]) }
        return Double(String(decoding: bytes, as: UTF8.self))
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
