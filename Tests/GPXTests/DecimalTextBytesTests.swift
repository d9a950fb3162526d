import TestSupport
import Testing
import TextCoding

@testable import GPX

@Suite struct DecimalTextBytesTests {
    private func parse(_ text: String) -> Double? {
        let bytes = Array(text.utf8)
        return DecimalText.parse(bytes.span)
    }

    @Test(arguments: [
        "0", "-0", "1", "-1.5", "+1.5", ".5", "5.", " 1.5\n", "123456789012345", "1234567890123456",
        "0.000000000000001",
        "0.0000000000000001", "52.373056", "1e3", "1.5E-3", "12345678901234567890.12345678901234567890", "1e308",
        "", " ", ".", "-", "+", "-.", "1..2", "1.2.3", "1,5", "1 5", "nan", "inf", "0x10", "1e400", "--1", "1-", "e5",
        "١",
    ])
    func bytesAreParsedLikeStrings(text: String) {
        #expect(parse(text)?.bitPattern == DecimalText.parse(text)?.bitPattern)
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func randomNumbersAreReadCorrectlyRounded(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            let digits = (0..<Int.random(in: 1...18, using: &generator)).map { _ in
                Character(String(Int.random(in: 0...9, using: &generator)))
            }
            let whole = Int.random(in: 0...digits.count, using: &generator)
            let text = String(digits[..<whole]) + "." + String(digits[whole...])
            #expect(parse(text) == Double(text), "\(text)")
        }
    }

    private static let degrees: [(String, Int64?)] = [
        ("-0.", 0), ("1.5", 15_000_000), ("-1.5", -15_000_000), ("-180.0000000", -1_800_000_000),
        ("52.373056", 523_730_560), ("52.3730561", 523_730_561), ("999.9999999", 9_999_999_999),
        // These are left to the slower parser.
        ("52.37305612", nil), ("1000.0", nil), ("0", nil), ("+1.5", nil), (".5", nil), (" 1.5", nil), ("1.5e1", nil),
        // These are not numbers.
        ("", nil), ("-", nil), (".", nil), ("-.", nil), ("1..2", nil), ("1.2.3", nil), ("1. ", nil), ("1.a", nil),
        ("--1.5", nil), ("١.5", nil),
    ]

    @Test(arguments: degrees)
    func degreesAreReadInUnitsOfTheSeventhDecimal(text: String, units: Int64?) {
        let bytes = Array(text.utf8)
        #expect(DecimalText.parseE7(bytes.span) == units)
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func writtenDegreesAreReadBack(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            let units = Int64.random(in: -1_800_000_000...1_800_000_000, using: &generator)
            var bytes: [UInt8] = []
            DecimalText.append(unscaled: units, decimals: 7, to: &bytes)
            let hasPoint = bytes.contains(UInt8(ascii: "."))
            #expect(DecimalText.parseE7(bytes.span) == (hasPoint ? units : nil))
        }
    }
}
