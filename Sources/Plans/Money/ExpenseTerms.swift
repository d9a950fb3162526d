import Money

/// What people agreed on for an expense: how much, who paid, who shares it and how.
struct ExpenseTerms: Hashable, Sendable {
    /// The expense's number in its plan, by which members take turns at odd minor units.
    var turn: Int64
    /// The amount as it was paid.
    var amount: Amount
    /// What its currency was in the plan's; nil where it is the plan's.
    var rate: ExchangeRate?
    /// Who paid how much of it, in minor units.
    var payers: [Split.Part]
    /// Who shares it.
    var split: Split

    /// One member's part of an expense.
    struct Line: Hashable, Sendable {
        /// The member's number.
        var member: Int64
        /// In minor units of the expense's currency.
        var amount: Int64
        /// In minor units of the plan's currency.
        var converted: Int64
        /// The weight by which it came about; nil for a payment.
        var weight: Int64?
    }

    /// An expense in the plan's currency; payments add up to the amount, and so do shares.
    struct Distribution: Hashable, Sendable {
        /// The whole in the plan's currency.
        var converted: Amount
        /// Who paid, in the order given.
        var payments: [Line]
        /// Who owes, in the order given.
        var shares: [Line]
    }

    /// What is wrong with an expense.
    enum Flaw: Error, Hashable, Sendable {
        /// The amount, or its conversion.
        case amount(MoneyFlaw)
        /// There is a rate between the same currency, or none between two.
        case rate(isMissing: Bool)
        /// A payer twice, or nobody, or one who paid nothing.
        case payer(Split.Flaw)
        /// Payments add up to something else than the amount.
        case payments(sum: Int64)
        /// The shares.
        case shares(Split.Flaw)
    }

    /// Who paid and who owes what, in both currencies.
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
