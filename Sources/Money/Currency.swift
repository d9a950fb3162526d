/// A currency in use, by its code of ISO 4217.
package struct Currency: Hashable, Sendable, CustomStringConvertible {
    /// Three capital letters: `EUR`.
    package let code: String
    /// How many decimals an amount has: 0, 2 or 3.
    package let exponent: Int

    /// The currency of a code in capital letters.
    ///
    /// - Throws: ``MoneyFlaw/unknownCurrency(_:)``.
    package init(_ code: String) throws(MoneyFlaw) {
        guard let exponent = Self.exponents[code] else { throw .unknownCurrency(code) }
        self.code = code
        self.exponent = exponent
    }

    /// The code.
    package var description: String { code }

    /// How many minor units one of it is: 1, 100 or 1,000.
    package var minorUnits: Int64 { [1, 10, 100, 1000][exponent] }

    /// All codes, sorted.
    package static let codes = exponents.keys.sorted()

    /// Those of ISO 4217 that people pay with, without units of account, metals and codes for tests.
    ///
    /// Those that went after 2022 (ANG, BGN, HRK) are still there for the plans that have them.
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

/// What is wrong with money from outside.
package enum MoneyFlaw: Error, Hashable, Sendable {
    /// The code is that of no currency in use.
    case unknownCurrency(String)
    /// There is no digit.
    case empty
    /// `NaN`, `Infinity` or another word for what is no number.
    case notANumber
    /// A plus or minus before the digits.
    case sign
    /// A comma, which some read as a decimal point and others as nothing.
    case comma
    /// A power of ten such as `1e3`.
    case powerOfTen
    /// A point without digits on both of its sides, or a second one.
    case point
    /// Something else that is no digit.
    case noDigit(Character)
    /// More decimals than there may be.
    case tooManyDecimals(atMost: Int)
    /// More than may be.
    case tooLarge
    /// Nothing at all, where there must be something.
    case zero

    /// What is wrong, as a clause that follows the name of the field.
    package var reason: String {
        switch self {
        case .unknownCurrency(let code): "is no currency: \(code); use a code of ISO 4217 such as EUR"
        case .empty: "must not be empty"
        case .notANumber: "must be a number"
        case .sign: "must not have a sign"
        case .comma: "must not have a comma; write a point before the decimals and nothing between thousands"
        case .powerOfTen: "must be written out, without a power of ten"
        case .point: "must have digits on both sides of one point, such as 0.50"
        case .noDigit(let character): "must have digits and one point alone, and has \(String(reflecting: character))"
        case .tooManyDecimals(atMost: 0): "must not have decimals; the currency has none"
        case .tooManyDecimals(let most): "must not have more than \(most) decimals"
        case .tooLarge: "is too large"
        case .zero: "must be more than zero"
        }
    }
}
