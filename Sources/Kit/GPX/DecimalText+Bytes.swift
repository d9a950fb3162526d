import TextCoding

extension DecimalText {
    /// Parses a decimal number from UTF-8, like ``parse(_:)``, but without creating a string for common numbers.
    ///
    /// The digits of a number with at most 15 digits and no exponent are exact in a `Double`, and so is the power of
    /// ten that divides them. The quotient is therefore correctly rounded (Clinger, *How to read floating point numbers
    /// accurately*, PLDI 1990). Any other number is parsed by ``parse(_:)``.
    static func parse(_ text: Span<UInt8>) -> Double? {
        var index = 0
        var end = text.count
        while index < end, isBlank(text[index]) { index += 1 }
        while index < end, isBlank(text[end - 1]) { end -= 1 }
        let number = text.extracting(index..<end)
        index = 0
        let isNegative = !number.isEmpty && number[0] == UInt8(ascii: "-")
        if isNegative || !number.isEmpty && number[0] == UInt8(ascii: "+") { index = 1 }
        let start = index
        // Too many digits may overflow, but then the value is not used.
        var value: Int64 = 0
        while index < number.count, let digit = digit(number[index]) {
            value = value &* 10 &+ digit
            index += 1
        }
        var digits = index - start
        var decimals = 0
        if index < number.count, number[index] == UInt8(ascii: ".") {
            index += 1
            let start = index
            while index < number.count, let digit = digit(number[index]) {
                value = value &* 10 &+ digit
                index += 1
            }
            decimals = index - start
            digits += decimals
        }
        guard index == number.count, digits <= exactDigits else { return parseLong(number) }
        guard digits > 0 else { return nil }
        let magnitude = Double(value) / exactPowers[decimals]
        return isNegative ? -magnitude : magnitude
    }

    /// Parses a number with at most 3 digits before the point and 7 after it, exactly, in units of 1e-7.
    ///
    /// Returns `nil` for anything else, whether it is a number or not.
    static func parseE7(_ text: Span<UInt8>) -> Int64? {
        let isNegative = !text.isEmpty && text[0] == UInt8(ascii: "-")
        let number = text.extracting(droppingFirst: isNegative ? 1 : 0)
        var index = 0
        var value: Int64 = 0
        while index < number.count, index < 4, let digit = digit(number[index]) {
            value = value * 10 + digit
            index += 1
        }
        guard 1...3 ~= index, index < number.count, number[index] == UInt8(ascii: ".") else { return nil }
        let fraction = number.extracting(droppingFirst: index + 1)
        guard fraction.count <= 7 else { return nil }
        for index in fraction.indices {
            guard let digit = digit(fraction[index]) else { return nil }
            value = value * 10 + digit
        }
        value *= integerPowers[7 - fraction.count]
        return isNegative ? -value : value
    }

    private static let exactDigits = 15
    private static let exactPowers: InlineArray<16, Double> = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]

    private static let integerPowers: InlineArray<8, Int64> = [
        1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000,
    ]

    @inline(__always)
    private static func digit(_ byte: UInt8) -> Int64? {
        let value = byte &- 0x30
        return value <= 9 ? Int64(value) : nil
    }

    private static func parseLong(_ text: Span<UInt8>) -> Double? {
        var characters: [UInt8] = []
        for index in text.indices { characters.append(text[index]) }
        return parse(String(decoding: characters, as: UTF8.self))
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
