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
