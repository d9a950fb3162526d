import Money

/// The terms of an expense on which the members agreed: the amount, the payers and the split.
struct ExpenseTerms: Hashable, Sendable {
    /// The expense's number in its plan, which decides who pays odd minor units; see ``Apportionment``.
    var turn: Int64
    /// The amount in the currency in which it was paid.
    var amount: Amount
    /// The exchange rate to the plan's currency; `nil` if the amount is in the plan's currency.
    var rate: ExchangeRate?
    /// The members who paid, each with an amount in minor units.
    var payers: [Split.Part]
    /// How the expense is shared.
    var split: Split

    /// One member's payment or share.
    struct Line: Hashable, Sendable {
        /// The member's number.
        var member: Int64
        /// The amount in minor units of the expense's currency.
        var amount: Int64
        /// The amount in minor units of the plan's currency.
        var converted: Int64
        /// The weight from which a share was computed; `nil` for a payment.
        var weight: Int64?
    }

    /// The payments and shares of an expense, in its own currency and in the plan's.
    ///
    /// In each currency, the payments add up to the amount of the expense, and so do the shares.
    struct Distribution: Hashable, Sendable {
        /// The amount of the expense in the plan's currency.
        var converted: Amount
        /// The payments, in the given order.
        var payments: [Line]
        /// The shares, in the given order.
        var shares: [Line]
    }

    /// The reasons why terms are invalid.
    enum Flaw: Error, Hashable, Sendable {
        /// The amount or its conversion is invalid.
        case amount(MoneyFlaw)
        /// A rate is missing, or there is one although the amount is in the plan's currency.
        case rate(isMissing: Bool)
        /// There is no payer, a payer is named twice, or a payment is zero, negative or too large.
        case payer(Split.Flaw)
        /// The payments do not add up to the amount.
        case payments(sum: Int64)
        /// The shares are invalid.
        case shares(Split.Flaw)
    }

    /// Computes who paid and who owes how much, in both currencies.
    ///
    /// - Throws: ``Flaw`` if the terms are invalid.
    func distribute(in currency: Currency) throws(Flaw) -> Distribution {
        guard amount.minor > 0 else { throw .amount(.zero) }
        guard amount.minor <= Amount.greatest else { throw .amount(.tooLarge) }
        guard (rate == nil) == (amount.currency == currency) else { throw .rate(isMissing: rate == nil) }
        let shares: [Split.Part]
        do { shares = try split.shares(of: amount, turn: turn) } catch { throw .shares(error) }
        try checkPayers()
        var converted = amount
        if let rate {
            do { converted = try rate.convert(amount, to: currency) } catch { throw .amount(error) }
        }
        let convert = { (parts: [Split.Part]) in
            rate == nil
                ? parts.map(\.weight)
                : Apportionment.divide(converted.minor, by: parts.map(\.weight), turn: turn)
        }
        return Distribution(
            converted: converted,
            payments: zip(payers, convert(payers)).map {
                Line(member: $0.member, amount: $0.weight, converted: $1, weight: nil)
            },
            shares: zip(zip(shares, split.weights), convert(shares)).map {
                Line(member: $0.0.member, amount: $0.0.weight, converted: $1, weight: $0.1.weight)
            })
    }

    private func checkPayers() throws(Flaw) {
        guard !payers.isEmpty else { throw .payer(.nobody) }
        var seen: Set<Int64> = []
        for payer in payers {
            guard seen.insert(payer.member).inserted else { throw .payer(.twice(payer.member)) }
            guard payer.weight > 0, payer.weight <= Amount.greatest else { throw .payer(.weight) }
        }
        let sum = payers.reduce(Int128(0)) { $0 + Int128($1.weight) }
        guard sum == Int128(amount.minor) else { throw .payments(sum: Int64(clamping: sum)) }
    }
}
