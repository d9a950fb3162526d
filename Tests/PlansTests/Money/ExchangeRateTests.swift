import Money
import Testing

@testable import Plans

@Suite struct ExchangeRateTests {
    @Test(arguments: [
        ("1.0834", 1000, "EUR", "USD", 1083), ("0.0061", 10_000, "JPY", "EUR", 6100), ("163.5", 1, "EUR", "JPY", 2),
        ("0.5", 1, "EUR", "USD", 1), ("0.49", 1, "EUR", "USD", 0), ("3.25", 1_000, "KWD", "USD", 325),
        ("1", 1_000_000_000_000_000, "EUR", "USD", 1_000_000_000_000_000),
        ("0.000000000001", 1_000_000_000_000_000, "EUR", "USD", 1000),
    ])
    func aRateConvertsToTheNearestMinorUnit(
        _ rate: String, _ minor: Int64, _ from: String, _ to: String, _ expected: Int64
    ) throws {
        let amount = Amount(minor: minor, try Currency(from))
        #expect(try ExchangeRate(rate).convert(amount, to: Currency(to)).minor == expected)
    }

    @Test func ratesMustBePositiveAndResultsAreLimited() throws {
        #expect(throws: MoneyFlaw.zero) { try ExchangeRate("0.000") }
        #expect(throws: MoneyFlaw.sign) { try ExchangeRate("-1") }
        #expect(throws: MoneyFlaw.tooManyDecimals(atMost: 12)) { try ExchangeRate("0.0000000000001") }
        #expect(throws: MoneyFlaw.tooLarge) { try ExchangeRate("1000000000000000001") }
        let most = Amount(minor: Amount.greatest, try Currency("EUR"))
        #expect(throws: MoneyFlaw.tooLarge) {
            try ExchangeRate("1000000000000000000").convert(most, to: Currency("KWD"))
        }
    }
}
