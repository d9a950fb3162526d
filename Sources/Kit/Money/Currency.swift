/// A currency in use, identified by its code of ISO 4217.
package struct Currency: Hashable, Sendable, CustomStringConvertible {
    /// The code, three capital letters: `EUR`.
    package let code: String
    /// The number of decimals of an amount: 0, 2 or 3.
    package let exponent: Int

    /// Finds the currency with a code in capital letters.
    ///
    /// - Throws: ``MoneyFlaw/unknownCurrency(_:)`` if there is none.
    package init(_ code: String) throws(MoneyFlaw) {
        guard let exponent = Self.exponents[code] else { throw .unknownCurrency(code) }
        self.code = code
        self.exponent = exponent
    }

    /// The code.
    package var description: String { code }

    /// The number of minor units in one unit of the currency: 1, 100 or 1,000.
    package var minorUnits: Int64 { [1, 10, 100, 1000][exponent] }

    /// The codes of all currencies, sorted.
    package static let codes = exponents.keys.sorted()

    /// The decimals of the currencies of ISO 4217 that people pay with.
    ///
    /// Units of account, metals and test codes are excluded.
    ///
    /// Currencies withdrawn after 2022 (ANG, BGN, HRK) remain for the plans that use them.
    private static let exponents: [String: Int] = {
        let lists = [
            0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF",
            2: """
            AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY \
            COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HRK HTG HUF IDR \
            ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN \
            MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS \
            SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG
            """,
            3: "BHD IQD JOD KWD LYD OMR TND",
        ]
        var exponents: [String: Int] = [:]
        for (exponent, list) in lists {
            for code in list.split(separator: " ") { exponents[String(code)] = exponent }
        }
        return exponents
    }()
}

/// A flaw in a given amount or currency.
package enum MoneyFlaw: Error, Hashable, Sendable {
    /// No currency in use has the code.
    case unknownCurrency(String)
    /// The text is empty.
    case empty
    /// The text is `NaN`, `Infinity` or another word for a value that is not a number.
    case notANumber
    /// The number has a plus or minus sign.
    case sign
    /// The number has a comma, which may be read as a decimal point or as a separator.
    case comma
    /// The number has a power of ten, such as `1e3`.
    case powerOfTen
    /// The point does not have digits on both sides, or there is a second point.
    case point
    /// The text has another character that is not a digit.
    case noDigit(Character)
    /// The number has more decimals than allowed.
    case tooManyDecimals(atMost: Int)
    /// The number is larger than allowed.
    case tooLarge
    /// The amount is zero where it must not be.
    case zero

    /// The flaw as a clause that follows the name of the field.
    package var reason: String {
        switch self {
        case .unknownCurrency(let code): "must be a currency code of ISO 4217 such as EUR, not \(code)"
        case .empty: "must not be empty"
        case .notANumber: "must be a number"
        case .sign: "must not have a sign"
        case .comma: "must not have a comma; write a point before the decimals and nothing between thousands"
        case .powerOfTen: "must be written out, without a power of ten"
        case .point: "must have digits on both sides of one point, such as 0.50"
        case .noDigit(let character): "must have only digits and one point, but has \(String(reflecting: character))"
        case .tooManyDecimals(atMost: 0): "must be a whole number, without decimals"
        case .tooManyDecimals(let most): "must not have more than \(most) decimals"
        case .tooLarge: "is too large"
        case .zero: "must be more than zero"
        }
    }
}
