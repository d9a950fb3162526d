/// An amount of money: a whole number of the currency's minor units.
package struct Amount: Hashable, Sendable, CustomStringConvertible {
    /// Cents of a euro, fils of a dinar, whole yen.
    package let minor: Int64
    /// The currency.
    package let currency: Currency

    /// The most that one expense or repayment has, in minor units: ten billion euros.
    ///
    /// ``mostEntries`` of it add up without overflow.
    package static let greatest: Int64 = 1_000_000_000_000_000
    /// As many expenses and repayments a plan has at most; their sum stays below 2^63.
    package static let mostEntries = 4000

    /// So many minor units.
    package init(minor: Int64, _ currency: Currency) {
        self.minor = minor
        self.currency = currency
    }

    /// Reads an amount of one entry: `12.30`, `12`, `0.05`.
    ///
    /// - Throws: what is wrong with the text, by name.
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

    /// With all its decimals, and a minus where it is negative: `12.30`.
    package var text: String {
        let (whole, rest) = minor.magnitude.quotientAndRemainder(dividingBy: currency.minorUnits.magnitude)
        guard currency.exponent > 0 else { return "\(minor)" }
        let digits = String(rest)
        let zeros = String(repeating: "0", count: max(0, currency.exponent - digits.utf8.count))
        return "\(minor < 0 ? "-" : "")\(whole).\(zeros)\(digits)"
    }

    /// The number and the currency: `12.30 EUR`.
    package var description: String { "\(text) \(currency)" }
}

/// A decimal number of 0 or more, as people agree on it: its digits without the point, and how many stand behind it.
package struct DecimalNumber: Hashable, Sendable {
    /// All digits as one whole number.
    package let digits: Int64
    /// How many of them stand behind the point.
    package let decimals: Int

    /// Reads digits with at most one point among them.
    ///
    /// - Parameters:
    ///   - decimals: how many digits may stand behind the point.
    ///   - greatest: the largest value of all digits, read without the point.
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

    /// A number of those digits.
    package init(digits: Int64, decimals: Int) {
        self.digits = digits
        self.decimals = decimals
    }
}
