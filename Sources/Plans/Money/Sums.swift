import Money

/// What a plan has cost, in minor units of its currency.
struct Sums: Hashable, Sendable {
    /// Of all expenses.
    private(set) var total: Int64 = 0
    /// By the tab of what they are for; those of the plan as a whole are nobody's.
    private(set) var byTab: [String: Int64] = [:]
    /// By the day, `YYYY-MM-DD`; those without a day are not in it.
    private(set) var byDay: [String: Int64] = [:]
    /// By the category; those without one are not in it.
    private(set) var byCategory: [String: Int64] = [:]
    /// What each member has had of it, whoever paid.
    private(set) var byMember: [Int64: Int64] = [:]

    /// Nothing.
    init() {}

    /// Adds an expense, which one member's own is too.
    mutating func add(_ expense: ExpenseTerms.Distribution, tab: String?, day: String?, category: String?) {
        total += expense.converted.minor
        if let tab { byTab[tab, default: 0] += expense.converted.minor }
        if let day { byDay[day, default: 0] += expense.converted.minor }
        if let category { byCategory[category, default: 0] += expense.converted.minor }
        for line in expense.shares { byMember[line.member, default: 0] += line.converted }
    }
}
