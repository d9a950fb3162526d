import Money

/// The balances of members in minor units of the plan's currency, which add up to zero.
///
/// ``Amount/maximumEntries`` entries of ``Amount/greatest`` do not overflow.
struct Ledger: Hashable, Sendable {
    /// The balance of each member who has paid, owed, given or received money.
    ///
    /// It is positive if the others owe the member, and negative if the member owes them.
    private(set) var balances: [Int64: Int64] = [:]

    /// Creates a ledger without balances.
    init() {}

    /// Adds the payments and shares of an expense.
    mutating func add(_ expense: ExpenseTerms.Distribution) {
        for line in expense.payments { balances[line.member, default: 0] += line.converted }
        for line in expense.shares { balances[line.member, default: 0] -= line.converted }
    }

    /// Adds a repayment.
    mutating func add(_ transfer: Transfer) {
        balances[transfer.from, default: 0] += transfer.minor
        balances[transfer.to, default: 0] -= transfer.minor
    }
}

/// An amount of money that one member gives another.
struct Transfer: Hashable, Sendable {
    /// The number of the member who pays.
    var from: Int64
    /// The number of the member who is paid.
    var to: Int64
    /// The amount in minor units of the plan's currency; greater than zero.
    var minor: Int64
}
