import Money

/// The value of one unit of an expense's currency in the plan's currency, as the members agreed on it.
struct ExchangeRate: Hashable, Sendable {
    /// The rate as it was written, such as `0.0061`.
    let text: String
    private let number: DecimalNumber

    /// The most decimals of a rate; the smallest rates between two currencies need seven.
    static let maximumDecimals = 12
    /// The largest number that the digits of a rate may form: one million with twelve decimals.
    private static let greatest: Int64 = 1_000_000_000_000_000_000

    /// Parses a rate, which must be greater than zero.
    init(_ text: String) throws(MoneyFlaw) {
        number = try DecimalNumber(text, decimals: Self.maximumDecimals, atMost: Self.greatest)
        guard number.digits > 0 else { throw .zero }
        self.text = text
    }

    /// Converts an amount to another currency, rounded to the nearest minor unit; a half is rounded up.
    ///
    /// - Throws: ``MoneyFlaw/tooLarge`` if the result exceeds ``Amount/greatest``.
    func convert(_ amount: Amount, to currency: Currency) throws(MoneyFlaw) -> Amount {
        // At most 10^15 times 10^18 times 10^3, which is below 2^127.
        let dividend = Int128(amount.minor) * Int128(number.digits) * Int128(currency.minorUnits)
        // At most 10^3 times 10^12.
        var divisor = Int128(amount.currency.minorUnits)
        for _ in 0..<max(0, number.decimals) { divisor *= 10 }
        let rounded = (2 * dividend + divisor) / (2 * divisor)
        guard rounded <= Int128(Amount.greatest) else { throw .tooLarge }
        return Amount(minor: Int64(clamping: rounded), currency)
    }
}
