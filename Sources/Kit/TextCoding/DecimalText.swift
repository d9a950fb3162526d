import Glibc

/// Converts between decimal numbers and text, independently of the locale.
public enum DecimalText {
    private static let powers: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

    /// Appends a number, rounded half away from zero to at most `decimals` decimals, without trailing zeros.
    ///
    /// `decimals` must be from 0 to 9, and the number must be finite. A result of zero has no minus sign: `-0.04`
    /// with one decimal is `0`.
    ///
    /// A number of 10¹⁵ or more units of the last decimal is written as Swift does, because further digits would be
    /// meaningless.
    public static func append(_ value: Double, decimals: Int, to bytes: inout [UInt8]) {
        let power = powers[decimals]
        let scaled = (value * power).rounded()
        guard abs(scaled) < 1e15 else { return bytes.append(contentsOf: "\(value)".utf8) }
        append(unscaled: Int64(scaled), decimals: decimals, to: &bytes)
    }

    /// Appends a number given in units of the last decimal, without trailing zeros: 523730560 with 7 decimals is
    /// `52.373056`.
    public static func append(unscaled value: Int64, decimals: Int, to bytes: inout [UInt8]) {
        var rest = value.magnitude
        var left = decimals
        while left > 0, rest % 10 == 0 {
            rest /= 10
            left -= 1
        }
        // Filled from the last digit to the first: at most 20 digits, a point and a sign.
        var text = InlineArray<22, UInt8>(repeating: 0)
        var start = text.count
        func put(_ byte: UInt8) {
            start -= 1
            text[start] = byte
        }
        var written = 0
        repeat {
            if written == left, left > 0 { put(UInt8(ascii: ".")) }
            put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
            written += 1
        } while rest > 0 || written <= left
        if value < 0 { put(UInt8(ascii: "-")) }
        // Constants, because the closure would check at each digit that nobody changes a variable meanwhile.
        let (digits, first) = (text, start)
        bytes.append(addingCapacity: digits.count - first) { room in
            for index in first..<digits.count { room.append(digits[index]) }
        }
    }

    /// Returns a number as text; see ``append(_:decimals:to:)``.
    public static func string(_ value: Double, decimals: Int) -> String {
        var bytes: [UInt8] = []
        append(value, decimals: decimals, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Parses a decimal number: an optional sign, digits with an optional point, and an optional exponent.
    ///
    /// White space around it is allowed. The result is `nil` for anything else, including `nan`, `inf` and
    /// hexadecimal numbers, and if the value is not finite.
    public static func parse(_ text: String) -> Double? {
        let trimmed = text.utf8.drop(while: isBlank)
        guard let last = trimmed.lastIndex(where: { !isBlank($0) }) else { return nil }
        let number = trimmed[...last]
        guard number.allSatisfy(isNumeric), let value = Double(Substring(number)), value.isFinite else {
            return nil
        }
        return value
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    private static func isNumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "e"),
            UInt8(ascii: "E"):
            true
        default: false
        }
    }
}
