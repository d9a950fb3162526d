import Testing

@testable import Money

@Suite struct AmountTests {
    @Test(arguments: [
        ("12.30", "EUR", 1230), ("12.3", "EUR", 1230), ("12", "EUR", 1200), ("0.05", "EUR", 5), ("0", "EUR", 0),
        ("007", "JPY", 7), ("1.234", "KWD", 1234), ("10000000000000.00", "EUR", 1_000_000_000_000_000),
        ("1000000000000000", "JPY", 1_000_000_000_000_000),
    ])
    func aDecimalStringIsParsedToTheMinorUnit(_ text: String, _ code: String, _ minor: Int64) throws {
        #expect(try Amount(text, Currency(code)).minor == minor)
    }

    @Test(arguments: [
        ("", "EUR", MoneyFlaw.empty), ("NaN", "EUR", .notANumber), ("Infinity", "EUR", .notANumber),
        ("-1", "EUR", .sign), ("+1", "EUR", .sign), ("\u{2212}1", "EUR", .sign), ("1-", "EUR", .sign),
        ("1,50", "EUR", .comma), ("1,000.00", "EUR", .comma), ("1e3", "EUR", .powerOfTen), ("1.", "EUR", .point),
        (".5", "EUR", .point), ("1.2.3", "EUR", .point), (" 1", "EUR", .noDigit(" ")), ("1 ", "EUR", .noDigit(" ")),
        ("€1", "EUR", .noDigit("€")), ("١", "EUR", .noDigit("١")), ("0x10", "EUR", .noDigit("x")),
        ("1.234", "EUR", .tooManyDecimals(atMost: 2)), ("1.0", "JPY", .tooManyDecimals(atMost: 0)),
        ("1.0000", "KWD", .tooManyDecimals(atMost: 3)), ("10000000000000.01", "EUR", .tooLarge),
        ("10000000000001", "EUR", .tooLarge), ("1000000000000000", "KWD", .tooLarge),
        ("99999999999999999999999999", "EUR", .tooLarge), ("9223372036854775808", "JPY", .tooLarge),
    ])
    func invalidAmountsAreRefusedWithTheirFlaw(_ text: String, _ code: String, _ flaw: MoneyFlaw) throws {
        let currency = try Currency(code)
        #expect(throws: flaw) { try Amount(text, currency) }
        #expect(!flaw.reason.isEmpty)
    }

    @Test(arguments: [
        (1230, "EUR", "12.30"), (5, "EUR", "0.05"), (-5, "EUR", "-0.05"), (0, "KWD", "0.000"), (1_001, "KWD", "1.001"),
        (-7, "JPY", "-7"), (Int64.min, "EUR", "-92233720368547758.08"), (Int64.max, "JPY", "9223372036854775807"),
    ])
    func anAmountIsWrittenWithAllItsDecimals(_ minor: Int64, _ code: String, _ text: String) throws {
        #expect(try Amount(minor: minor, Currency(code)).text == text)
    }

    @Test func currenciesHaveTheirExponents() throws {
        #expect(Currency.codes.count > 150)
        for (code, exponent) in [("EUR", 2), ("USD", 2), ("JPY", 0), ("KRW", 0), ("KWD", 3), ("TND", 3), ("VND", 0)] {
            #expect(try Currency(code).exponent == exponent)
        }
        for code in ["eur", "XXX", "XAU", "EURO", ""] {
            #expect(throws: MoneyFlaw.unknownCurrency(code)) { try Currency(code) }
        }
    }
}
