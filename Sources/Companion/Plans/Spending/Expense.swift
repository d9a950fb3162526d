import GRDB
import Money
import RPC
import Service
import Store
import Time

/// An expense of a plan: an amount, the members who paid it, and the members who share it.
struct Expense: Sendable {
    /// The row number in the table `expense`.
    var number: Int64
    /// The random id by which callers identify the expense.
    var id: String
    /// The revision, which is 1 at first and grows by 1 with each change.
    var revision: Int64
    /// The id of its activity; `nil` if it has none, or if the caller does not see the activity.
    var activity: String?
    /// The row number of its activity, also if the caller does not see the activity.
    var activityNumber: Int64?
    var title: String
    var category: String?
    var tab: Activity.Tab?
    /// The day, `YYYY-MM-DD`.
    var day: String?
    /// The terms on which the members agreed.
    var terms: ExpenseTerms
    /// The payments and shares that follow from the terms.
    var distribution: ExpenseTerms.Distribution
    /// Whether it is one member's personal expense, which that member paid for themselves.
    var isPersonal: Bool
    /// The number of the person who entered it; `nil` if the account is gone.
    var author: Int64?

    /// The longest category, in bytes.
    static let longestCategory = 100

    /// What people write about an expense.
    struct Fields: Hashable, Sendable {
        var title: String
        var category: String?
        /// The number of its activity; `nil` if the expense is for the plan as a whole.
        var activity: Int64?
        /// The tab; if there is an activity, its tab is used instead.
        var tab: Activity.Tab?
        /// The day; if it is `nil`, the day on which the activity begins is used.
        var day: CalendarDate?
        var amount: Amount
        var rate: ExchangeRate?
        /// The numbers of the members who paid, with their amounts.
        var payers: [Split.Part]
        var split: Split
        var isPersonal = false
    }
}

/// The expenses and repayments of plans, within a transaction of the caller.
enum Accounting {
    /// Adds an expense.
    ///
    /// - Returns: the number of the expense.
    static func add(_ fields: Expense.Fields, to access: PlanAccess, at now: Timestamp, in db: Database) throws -> Int64
    {
        try checkMayEnter(fields.payers, in: access, in: db)
        try checkRoom(access, in: db)
        let turn = try Int64.fetchOne(
            db.cachedStatement(
                sql: "UPDATE plan SET next_turn = next_turn + 1 WHERE number = ? RETURNING next_turn - 1"),
            arguments: [access.plan])
        var (columns, distribution) = try columns(fields, turn: turn ?? 1, of: access, before: nil, in: db)
        columns["id"] = RandomID.make()
        columns["plan"] = access.plan
        columns["turn"] = turn
        columns["person"] = access.person
        columns["created"] = now.milliseconds
        let number = try columns.insert(into: "expense", in: db)
        try put(distribution, of: number, in: db)
        return number
    }

    /// Changes an expense, which keeps its number in the plan.
    ///
    /// - Parameter revision: the revision that the caller has read; `nil` for any.
    static func update(
        _ number: Int64, in access: PlanAccess, to fields: Expense.Fields, from revision: Int64?, in db: Database
    ) throws {
        let old = try expense(number, of: access, in: db)
        try checkMayChange(old, in: access, in: db)
        try checkMayEnter(fields.payers, in: access, in: db)
        try Plan.checkRevision(revision, old.revision, "expense", old.id)
        let (columns, distribution) = try columns(fields, turn: old.terms.turn, of: access, before: old, in: db)
        try columns.update("expense", number, in: db)
        for table in ["expense_payer", "expense_share"] {
            try db.cachedStatement(sql: "DELETE FROM \(table) WHERE expense = ?").execute(arguments: [number])
        }
        try put(distribution, of: number, in: db)
    }

    /// Adds a repayment from one member to another.
    ///
    /// - Returns: the number of the repayment.
    static func repay(
        _ transfer: Transfer, note: String?, in access: PlanAccess, at now: Timestamp, in db: Database
    ) throws -> Int64 {
        try access.checkMember()
        let own = try access.person.flatMap { try PlanMember.find($0, of: access.plan, in: db) }
        guard access.edits || own?.number == transfer.from || own?.number == transfer.to else {
            throw Refusal.notAllowed(
                "Only the member who paid, the one who was paid, and those who may change the plan can add this.")
        }
        guard transfer.from != transfer.to else { throw Refusal.invalid("to", "must not be the same member as from") }
        guard (1...Amount.greatest).contains(transfer.minor) else {
            throw Refusal.invalid("amount", transfer.minor < 1 ? MoneyFlaw.zero.reason : MoneyFlaw.tooLarge.reason)
        }
        try checkRoom(access, in: db)
        var columns = ColumnValues()
        columns["id"] = RandomID.make()
        columns["plan"] = access.plan
        columns["person"] = access.person
        columns["created"] = now.milliseconds
        columns["sender"] = transfer.from
        columns["receiver"] = transfer.to
        columns["amount"] = transfer.minor
        columns["note"] = try PlanText.line(note, "note")
        return try columns.insert(into: "repayment", in: db)
    }

    /// Returns the expenses of a plan in the order in which they were added, at most `limit`.
    ///
    /// Of personal expenses, only the caller's own are included.
    ///
    /// - Parameter turn: the number in the plan after which the result begins.
    static func expenses(
        of access: PlanAccess, after turn: Int64 = 0, limit: Int = Amount.maximumEntries, in db: Database
    ) throws -> [Expense] {
        try access.checkMember()
        return try list(
            "expense.plan = :plan AND expense.turn > :turn AND \(PlanAccessRules.seesExpense)",
            ["plan": access.plan, "turn": turn, "limit": limit], for: access, in: db)
    }

    /// Returns the expenses of a plan before a number in it, the last entered first, at most `limit`.
    static func newestExpenses(
        of access: PlanAccess, before turn: Int64 = .max, limit: Int, in db: Database
    ) throws -> [Expense] {
        try access.checkMember()
        return try list(
            "expense.plan = :plan AND expense.turn < :turn AND \(PlanAccessRules.seesExpense)", order: "DESC",
            ["plan": access.plan, "turn": turn, "limit": limit], for: access, in: db)
    }

    /// Returns the expense with a row number.
    static func expense(_ number: Int64, of access: PlanAccess, in db: Database) throws -> Expense {
        let found = try list("expense.number = :number", ["number": number, "limit": 1], for: access, in: db).first
        guard let found else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an expense is missing") }
        return found
    }

    /// A repayment from one member to another.
    struct Repayment: Sendable {
        var number: Int64
        var id: String
        var time: Timestamp
        var transfer: Transfer
        var note: String?
    }

    /// Returns the repayments of a plan in the order in which they were added, at most `limit`.
    static func repayments(
        of plan: Int64, after number: Int64 = 0, limit: Int = Amount.maximumEntries, in db: Database
    ) throws -> [Repayment] {
        try NamedRow.list(
            db.cachedStatement(sql: "SELECT * FROM repayment WHERE plan = ? AND number > ? ORDER BY number LIMIT ?"),
            arguments: [plan, number, limit]
        ) { row in
            Repayment(
                number: row["number"], id: row["id"], time: Timestamp(milliseconds: row["created"]),
                transfer: Transfer(from: row["sender"], to: row["receiver"], minor: row["amount"]), note: row["note"])
        }
    }
}

extension Accounting {
    /// Reads expenses with two queries: one for the expenses, one for their payments and shares.
    private static func list(
        _ condition: String, order: String = "ASC", _ arguments: [String: (any DatabaseValueConvertible)?],
        for access: PlanAccess, in db: Database
    ) throws -> [Expense] {
        var expenses = try NamedRow.list(
            db.cachedStatement(
                sql: """
                    SELECT expense.*, plan.currency AS main,
                        CASE WHEN \(PlanAccessRules.seesItem("activity")) THEN activity.id END AS activity_id
                    FROM expense JOIN plan ON plan.number = expense.plan
                    LEFT JOIN activity ON activity.number = expense.activity
                    WHERE \(condition) ORDER BY expense.turn \(order) LIMIT :limit
                    """), arguments: StatementArguments(arguments) + ["me": access.person], Expense.init)
        let turns = expenses.map(\.terms.turn)
        guard let first = turns.min(), let last = turns.max() else { return [] }
        let lines = try NamedRow.list(
            db.cachedStatement(
                sql: """
                    SELECT expense, place, member, NULL AS weight, expense_payer.amount, expense_payer.converted
                    FROM expense_payer JOIN expense ON expense.number = expense_payer.expense
                    WHERE expense.plan = :plan AND expense.turn BETWEEN :first AND :last
                    UNION ALL
                    SELECT expense, place, member, weight, expense_share.amount, expense_share.converted
                    FROM expense_share JOIN expense ON expense.number = expense_share.expense
                    WHERE expense.plan = :plan AND expense.turn BETWEEN :first AND :last
                    ORDER BY expense, place
                    """),
            arguments: ["plan": access.plan, "first": first, "last": last]
        ) { row in
            let line = ExpenseTerms.Line(
                member: row["member"], amount: row["amount"], converted: row["converted"], weight: row["weight"])
            return (expense: row["expense"] as Int64, line: line)
        }
        let linesOf = Dictionary(grouping: lines, by: \.expense).mapValues { $0.map(\.line) }
        for index in expenses.indices { expenses[index].setLines(linesOf[expenses[index].number] ?? []) }
        return expenses
    }

    /// Refuses an entry if the plan already has ``Amount/maximumEntries`` expenses and repayments.
    private static func checkRoom(_ access: PlanAccess, in db: Database) throws {
        let count = try Int.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT (SELECT count(*) FROM expense WHERE plan = :plan)
                        + (SELECT count(*) FROM repayment WHERE plan = :plan)
                    """), arguments: ["plan": access.plan])
        guard count ?? 0 < Amount.maximumEntries else {
            throw Refusal.unavailable(
                "The plan \(access.id) has \(Amount.maximumEntries) expenses and repayments, the maximum. Remove one."
            )
        }
    }

    /// Returns the columns of an expense, and its payments and shares.
    ///
    /// - Parameter old: the expense before the change; its members may stay in it even if they no longer travel.
    private static func columns(
        _ fields: Expense.Fields, turn: Int64, of access: PlanAccess, before old: Expense?, in db: Database
    ) throws -> (ColumnValues, ExpenseTerms.Distribution) {
        let main = try Currency(
            String.fetchOne(
                db.cachedStatement(sql: "SELECT currency FROM plan WHERE number = ?"), arguments: [access.plan]) ?? "")
        let members = try PlanMember.list(of: access.plan, in: db)
        let order = members.map(\.number)
        var terms = ExpenseTerms(
            turn: turn, amount: fields.amount, rate: fields.rate, payers: fields.payers, split: fields.split)
        terms.payers.sort { (order.firstIndex(of: $0.member) ?? 0) < (order.firstIndex(of: $1.member) ?? 0) }
        terms.split = fields.split.sorted(by: order)
        let distribution: ExpenseTerms.Distribution
        do { distribution = try terms.distribute(in: main) } catch { throw error.refusal(of: terms.amount) }
        let known = Set(
            (old?.distribution.payments ?? []).map(\.member) + (old?.distribution.shares ?? []).map(\.member))
        let travellers = Set(members.filter { $0.state == .member && $0.travels }.map(\.number)).union(known)
        for (field, lines) in [("payers", distribution.payments), ("shares", distribution.shares)]
        where !lines.allSatisfy({ travellers.contains($0.member) }) {
            throw Refusal.invalid(field, "must be members who travel")
        }
        if fields.isPersonal {
            let payers = distribution.payments.map(\.member)
            guard payers.count == 1, distribution.shares.map(\.member) == payers else {
                throw Refusal.invalid("personal", "must be paid and owed by the same person")
            }
        }
        var columns = ColumnValues()
        columns["title"] = try PlanText.title(fields.title, "title")
        columns["category"] = try PlanText.line(fields.category, "category", atMost: Expense.longestCategory)
        columns["activity"] = fields.activity
        let activity = try fields.activity.map { try Activity.get($0, in: access, in: db) }
        guard activity == nil || activity?.plan == access.plan else {
            throw Refusal.invalid("activity", "must be in the same plan")
        }
        columns["tab"] = (activity?.tab ?? fields.tab)?.rawValue
        columns["day"] = (fields.day ?? activity?.start?.resolve().clock.date)?.text
        columns["amount"] = terms.amount.minor
        columns["currency"] = terms.amount.currency.code
        columns["rate"] = terms.rate?.text
        columns["converted"] = distribution.converted.minor
        columns["split"] = terms.split.name.rawValue
        columns["personal"] = fields.isPersonal
        return (columns, distribution)
    }

    private static func put(_ distribution: ExpenseTerms.Distribution, of expense: Int64, in db: Database) throws {
        for (place, line) in distribution.payments.enumerated() {
            try db.cachedStatement(
                sql: "INSERT INTO expense_payer (expense, place, member, amount, converted) VALUES (?, ?, ?, ?, ?)"
            ).execute(arguments: [expense, place, line.member, line.amount, line.converted])
        }
        for (place, line) in distribution.shares.enumerated() {
            try db.cachedStatement(
                sql: """
                    INSERT INTO expense_share (expense, place, member, weight, amount, converted) VALUES (?, ?, ?, ?, ?, ?)
                    """
            ).execute(arguments: [expense, place, line.member, line.weight ?? 0, line.amount, line.converted])
        }
    }
}

extension Expense {
    /// Creates an expense from a row, without payments and shares.
    fileprivate init(_ row: NamedRow) throws {
        guard let currency = try? Currency(row["currency"]), let main = try? Currency(row["main"]),
            let name = Split.Name(rawValue: row["split"])
        else { throw row.damage("an expense has no valid currency or split") }
        number = row["number"]
        id = row["id"]
        revision = row["revision"]
        activity = row["activity_id"]
        activityNumber = row["activity"]
        title = row["title"]
        category = row["category"]
        tab = (row["tab"] as String?).flatMap(Activity.Tab.init)
        day = row["day"]
        isPersonal = row["personal"]
        author = row["person"]
        terms = ExpenseTerms(
            turn: row["turn"], amount: Amount(minor: row["amount"], currency),
            rate: try (row["rate"] as String?).map { try ExchangeRate($0) }, payers: [], split: Split(name, []))
        distribution = ExpenseTerms.Distribution(
            converted: Amount(minor: row["converted"], main), payments: [], shares: [])
    }

    /// Sets the payments and shares; a line without a weight is a payment.
    fileprivate mutating func setLines(_ lines: [ExpenseTerms.Line]) {
        distribution.payments = lines.filter { $0.weight == nil }
        distribution.shares = lines.filter { $0.weight != nil }
        terms.payers = distribution.payments.map { Split.Part(member: $0.member, weight: $0.amount) }
        terms.split = Split(
            terms.split.name, distribution.shares.map { Split.Part(member: $0.member, weight: $0.weight ?? 0) })
    }
}

extension Split {
    /// Creates a split from its name and the members' weights.
    init(_ name: Name, _ parts: [Part]) {
        self =
            switch name {
            case .evenly: .evenly(parts.map(\.member))
            case .parts: .parts(parts)
            case .percentages: .percentages(parts)
            case .exact: .exact(parts)
            }
    }

    /// Returns the split with its members in the given order.
    fileprivate func sorted(by order: [Int64]) -> Split {
        Split(
            name,
            weights.sorted { (order.firstIndex(of: $0.member) ?? 0) < (order.firstIndex(of: $1.member) ?? 0) })
    }
}

extension ExpenseTerms.Flaw {
    /// Returns the refusal to send to the caller.
    func refusal(of amount: Amount) -> Refusal {
        switch self {
        case .amount(let flaw): .invalid("amount", flaw.reason)
        case .rate(isMissing: true):
            .invalid("rate", "must be given: the agreed value of one \(amount.currency) in the plan's currency")
        case .rate(isMissing: false): .invalid("rate", "must be omitted; the amount is in the plan's currency")
        case .payer(.weight): .invalid("payers", "must each have paid more than zero")
        case .payer(let flaw): .invalid("payers", flaw.reason(of: amount))
        case .payments(let sum): .invalid("payers", Split.Flaw.exact(sum: sum).reason(of: amount))
        case .shares(let flaw): .invalid("shares", flaw.reason(of: amount))
        }
    }
}
