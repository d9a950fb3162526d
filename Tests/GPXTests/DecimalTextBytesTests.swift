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
    func itReadsWhatTheLongWayReads(text: String) {
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
}
