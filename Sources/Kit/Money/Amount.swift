/// An amount of money as an integer number of the currency's minor units.
package struct Amount: Hashable, Sendable, CustomStringConvertible {
    /// The number of minor units: cents of a euro, fils of a dinar, whole yen.
    package let minor: Int64
    package let currency: Currency

    /// The maximum of one expense or repayment in minor units: 10¹³ euros.
    ///
    /// The sum of ``maximumEntries`` such amounts does not overflow.
    package static let greatest: Int64 = 1_000_000_000_000_000
    /// The maximum number of expenses and repayments of a plan, whose sum stays below 2^63.
    package static let maximumEntries = 5000

    /// Creates an amount of minor units.
    package init(minor: Int64, _ currency: Currency) {
        self.minor = minor
        self.currency = currency
    }

    /// Parses the amount of one entry: `12.30`, `12`, `0.05`.
    ///
    /// - Throws: The flaw of the text.
    package init(_ text: String, _ currency: Currency) throws(MoneyFlaw) {
        let number = try DecimalNumber(text, decimals: currency.exponent, atMost: Self.greatest)
        var (minor, decimals) = (number.digits, number.decimals)
        while decimals < currency.exponent {
            guard minor <= Self.greatest / 10 else { throw .tooLarge }
            minor *= 10
            decimals += 1
        }
        self.init(minor: minor, currency)
    }

    /// The amount with all decimals, and with a minus sign if it is negative: `12.30`.
    package var text: String {
        let (whole, rest) = minor.magnitude.quotientAndRemainder(dividingBy: currency.minorUnits.magnitude)
        guard currency.exponent > 0 else { return "\(minor)" }
        let digits = String(rest)
        let zeros = String(repeating: "0", count: max(0, currency.exponent - digits.utf8.count))
        return "\(minor < 0 ? "-" : "")\(whole).\(zeros)\(digits)"
    }

    /// The amount and the currency: `12.30 EUR`.
    package var description: String { "\(text) \(currency)" }
}

/// A decimal number of 0 or more, represented exactly by its digits and its number of decimals.
package struct DecimalNumber: Hashable, Sendable {
    /// All digits as one integer, without the point.
    package let digits: Int64
    /// The number of digits after the point.
    package let decimals: Int

    /// Parses digits with at most one point among them.
    ///
    /// - Parameters:
    ///   - most: The maximum number of digits after the point.
    ///   - greatest: The maximum of all digits, read without the point.
    /// - Throws: The flaw of the text.
    package init(_ text: String, decimals most: Int, atMost greatest: Int64) throws(MoneyFlaw) {
        guard !text.isEmpty else { throw .empty }
        guard !["nan", "inf", "infinity"].contains(text.lowercased()) else { throw .notANumber }
        guard let first = text.first, !"+-\u{2212}".contains(first) else { throw .sign }
        var digits: Int64 = 0
        var (decimals, hasPoint, count) = (0, false, 0)
        for character in text {
            switch character {
            case "0"..."9":
                guard let digit = character.wholeNumberValue, character.isASCII else { throw .noDigit(character) }
                if hasPoint { decimals += 1 }
                guard decimals <= most else { throw .tooManyDecimals(atMost: most) }
                let (product, overflows) = digits.multipliedReportingOverflow(by: 10)
                guard !overflows, product <= greatest else { throw .tooLarge }
                digits = product + Int64(digit)
                count += 1
            case ".":
                guard !hasPoint, count > 0 else { throw .point }
                hasPoint = true
            case ",": throw .comma
            case "+", "-", "\u{2212}": throw .sign
            case "e" where count > 0, "E" where count > 0: throw .powerOfTen
            default: throw .noDigit(character)
            }
        }
        guard !hasPoint || decimals > 0 else { throw .point }
        guard digits <= greatest else { throw .tooLarge }
        self.digits = digits
        self.decimals = decimals
    }

    package init(digits: Int64, decimals: Int) {
        self.digits = digits
        self.decimals = decimals
    }
}
