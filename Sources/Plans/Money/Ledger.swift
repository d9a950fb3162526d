import Money

/// Who has paid more than they owe, in minor units of the plan's currency; all of it adds up to zero.
///
/// With ``Amount/mostEntries`` entries of ``Amount/greatest`` nothing overflows.
struct Ledger: Hashable, Sendable {
    /// The balance of each member who has paid, owed, given or received: what the others owe them, less than zero for
    /// what they owe.
    private(set) var balances: [Int64: Int64] = [:]

    /// Nobody owes anything.
    init() {}

    /// Adds an expense.
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

/// Money that one member gives another.
struct Transfer: Hashable, Sendable {
    /// The number of the member who pays.
    var from: Int64
    /// The number of the member who is paid.
    var to: Int64
    /// How much, in minor units of the plan's currency; more than zero.
    var minor: Int64
}
