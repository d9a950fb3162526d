import Money

/// The total costs of a plan, in minor units of its currency.
struct Sums: Hashable, Sendable {
    /// The sum of all expenses.
    private(set) var total: Int64 = 0
    /// The sums by tab; expenses for the plan as a whole have no tab and are not included.
    private(set) var byTab: [String: Int64] = [:]
    /// The sums by day, `YYYY-MM-DD`; expenses without a day are not included.
    private(set) var byDay: [String: Int64] = [:]
    /// The sums by category; expenses without a category are not included.
    private(set) var byCategory: [String: Int64] = [:]
    /// The sum of each member's shares, no matter who paid.
    private(set) var byMember: [Int64: Int64] = [:]

    /// Creates sums of zero.
    init() {}

    /// Adds an expense, which may be a member's personal one.
    mutating func add(_ expense: ExpenseTerms.Distribution, tab: String?, day: String?, category: String?) {
        total += expense.converted.minor
        if let tab { byTab[tab, default: 0] += expense.converted.minor }
        if let day { byDay[day, default: 0] += expense.converted.minor }
        if let category { byCategory[category, default: 0] += expense.converted.minor }
        for line in expense.shares { byMember[line.member, default: 0] += line.converted }
    }

    /// Adds a stored sum of a kind: `total`, `tab`, `day` or `category`.
    mutating func add(_ amount: Int64, to kind: String, _ word: String) {
        switch kind {
        case "total": total += amount
        case "tab": byTab[word, default: 0] += amount
        case "day": byDay[word, default: 0] += amount
        default: byCategory[word, default: 0] += amount
        }
    }

    /// Adds a stored sum of a member's shares.
    mutating func add(_ amount: Int64, toMember member: Int64) { byMember[member, default: 0] += amount }
}
