import Money

/// What one of an expense's currency was in the plan's, as people agreed on it.
struct ExchangeRate: Hashable, Sendable {
    /// As it was written: `0.0061`.
    let text: String
    private let number: DecimalNumber

    /// As many decimals a rate has at most; the smallest rates between two currencies need seven.
    static let mostDecimals = 12
    /// The largest value of all its digits: a million, to twelve decimals.
    private static let greatest: Int64 = 1_000_000_000_000_000_000

    /// Reads a rate above zero.
    init(_ text: String) throws(MoneyFlaw) {
        number = try DecimalNumber(text, decimals: Self.mostDecimals, atMost: Self.greatest)
        guard number.digits > 0 else { throw .zero }
        self.text = text
    }

    /// An amount in another currency, to the nearest minor unit; a half goes up.
    ///
    /// - Throws: ``MoneyFlaw/tooLarge`` above ``Amount/greatest``.
    func convert(_ amount: Amount, to currency: Currency) throws(MoneyFlaw) -> Amount {
        // At most 10^15 times 10^18 times 10^3, below 2^127.
        let dividend = Int128(amount.minor) * Int128(number.digits) * Int128(currency.minorUnits)
        // At most 10^3 times 10^12.
        var divisor = Int128(amount.currency.minorUnits)
        for _ in 0..<max(0, number.decimals) { divisor *= 10 }
        let rounded = (2 * dividend + divisor) / (2 * divisor)
        guard rounded <= Int128(Amount.greatest) else { throw .tooLarge }
        return Amount(minor: Int64(clamping: rounded), currency)
    }
}
