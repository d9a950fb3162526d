import TextCoding

extension DecimalText {
    /// Reads a decimal number from UTF-8; the same numbers as ``parse(_:)``, without a string for the usual ones.
    ///
    /// A number of at most 15 digits without exponent is its digits, exact in a `Double`, divided by a power of ten
    /// that is exact too, and so correctly rounded (Clinger, *How to read floating point numbers accurately*, PLDI
    /// 1990). Any other goes the long way.
    static func parse(_ text: Span<UInt8>) -> Double? {
        var at = 0
        var end = text.count
        while at < end, isBlank(text[at]) { at += 1 }
        while at < end, isBlank(text[end - 1]) { end -= 1 }
        let first = at
        var isNegative = false
        if at < end, text[at] == UInt8(ascii: "-") || text[at] == UInt8(ascii: "+") {
            isNegative = text[at] == UInt8(ascii: "-")
            at += 1
        }
        var digits: Int64 = 0
        var count = 0
        var decimals: Int?
        while at < end {
            let byte = text[at]
            if byte == UInt8(ascii: "."), decimals == nil {
                decimals = 0
            } else if byte >= 0x30, byte <= 0x39, count < 15 {
                digits = digits * 10 + Int64(byte - 0x30)
                count += 1
                if let before = decimals { decimals = before + 1 }
            } else {
                return parseLong(text.extracting(first..<end))
            }
            at += 1
        }
        guard count > 0 else { return nil }
        let magnitude = Double(digits) / exactPowers[decimals ?? 0]
        return isNegative ? -magnitude : magnitude
    }

    private static let exactPowers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]

    private static func parseLong(_ text: Span<UInt8>) -> Double? {
        var characters: [UInt8] = []
        for index in text.indices { characters.append(text[index]) }
        return parse(String(decoding: characters, as: UTF8.self))
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
