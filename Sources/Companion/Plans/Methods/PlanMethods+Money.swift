import Callers
import GRDB
import Money
import People
import RPC
import Service
import Time

extension PlanMethods {
    var money: [Method<Principal>] { readingMoney + changingMoney + repaying }

    private static let fields: [Field] = [
        .optional("category", .string(length: 0...Expense.longestCategory), "The category."),
        .optional("activity", .string(length: 0...64), "The id of the activity that it is for."),
        .optional(
            "tab", .choice(of: Activity.Tab.self),
            "The tab to which it counts; if there is an activity, its tab is used instead."),
        .optional("day", .string(length: 0...10), "The day to which it counts, that of the activity by default."),
        .optional("currency", .string(length: 3...3), "The currency, the plan's by default."),
        .optional(
            "rate", .string(length: 0...40), "The agreed value of one unit of that currency in the plan's currency."),
        .optional(
            "payers",
            .array(
                of: .object([
                    .required("person", .string(length: 1...200), "The username."),
                    .required("amount", .string(length: 1...40), "The amount, as a decimal number."),
                ]), count: 0...PlanMember.maximumPerPlan),
            "The members who paid, with amounts that add up to the whole; by default only you."),
        .optional(
            "split", .choice(of: Split.Name.self),
            "The way to split it: evenly, by parts, by percentages or by exact amounts; evenly by default."),
        .optional(
            "shares",
            .array(
                of: .object([
                    .required("person", .string(length: 1...200), "The username."),
                    .optional(
                        "share", .string(length: 1...40), "Parts, a percentage or an amount, as a decimal number."),
                ]), count: 0...PlanMember.maximumPerPlan),
            "The members who share it; by default all travellers, evenly."),
        .optional("personal", .boolean, "Whether it is one member's personal expense, which counts only for them."),
    ]

    private var readingMoney: [Method<Principal>] {
        [
            .stored(
                "expenses.list",
                "Lists the expenses of a plan in the order in which they were entered. Only for members.",
                .plan,
                Parameter<Bool>.optional(
                    "newest", .boolean, default: false, "Whether to list the last entered first."),
                Parameter<PageRequest<Int64>>.page(of: "expenses.list", upTo: Self.largestPage, default: 50),
                answers: .page("expenses", "The expenses."), errors: [.notFound, .notAllowed, .invalidValue],
                right: .person
            ) { call, id, isNewestFirst, asked in
                try await read(call) { db, person in
                    let access = try PlanAccess.plan(id, for: person, in: db)
                    let members = try PlanMember.list(of: access.plan, in: db)
                    var page = asked.page(of: ExpenseRow.self)
                    let expenses =
                        isNewestFirst
                        ? try Accounting.newestExpenses(
                            of: access, before: asked.after ?? .max, limit: asked.limit + 1, in: db)
                        : try Accounting.expenses(of: access, after: asked.after ?? 0, limit: asked.limit + 1, in: db)
                    for expense in expenses {
                        guard page.append(ExpenseRow(expense, members, in: access), at: expense.terms.turn) else {
                            break
                        }
                    }
                    return page
                }
            },
            .stored(
                "expenses.sums",
                "Returns the costs of a plan in its currency, including your personal expenses. Only for members.",
                .plan, answers: SumsAnswer.shape, errors: [.notFound, .notAllowed], right: .person
            ) { call, id in
                try await read(call) { db, person in
                    let access = try PlanAccess.plan(id, for: person, in: db)
                    return SumsAnswer(
                        sums: try Accounting.sums(of: access, in: db),
                        currency: try Plan.get(access.plan, in: db).fields.currency,
                        members: try PlanMember.list(of: access.plan, in: db))
                }
            },
            .stored(
                "expenses.balances",
                "Returns the balances of the members and the transfers that settle them. Only for members.",
                .plan,
                answers: BalancesAnswer.shape, errors: [.notFound, .notAllowed], right: .person
            ) { call, id in
                try await read(call) { db, person in
                    let access = try PlanAccess.plan(id, for: person, in: db)
                    try access.checkMember()
                    return BalancesAnswer(
                        balances: try Accounting.balances(of: access.plan, in: db),
                        transfers: try Accounting.settlement(of: access.plan, in: db),
                        currency: try Plan.get(access.plan, in: db).fields.currency,
                        members: try PlanMember.list(of: access.plan, in: db))
                }
            },
        ]
    }

    private var changingMoney: [Method<Principal>] {
        [
            .stored(
                "expenses.add",
                """
                Adds an expense to a plan: what was paid, by whom, and who shares it. A traveller who may not change \
                the plan can add what they alone have paid, and change and remove it.
                """, .plan,
                Parameter<String>.required(
                    "title", .string(length: 1...PlanText.longestLine), "The title, which says what it was for."),
                Parameter<String>.required(
                    "amount", .string(length: 1...40), "The amount, as a decimal number such as 12.30."),
                GivenFields.parameter(Self.fields), answers: ExpenseRow.shape,
                errors: [.notFound, .notAllowed, .invalidValue, .unavailable], right: .person
            ) { call, id, title, amount, given in
                try await change(call) { changing, consequences in
                    let access = try changing.plan(id)
                    try access.checkMember()
                    let fields = try given.expense(titled: title, amount, nil, in: access, changing)
                    try changing.spend([title])
                    let number = try Accounting.add(fields, to: access, at: changing.now, in: changing.db)
                    try changing.did(.added, .expense, number, in: access, &consequences)
                    return try ExpenseRow(number, in: access, in: changing.db)
                }
            },
            .stored(
                "expenses.update",
                """
                Changes the given fields of an expense and keeps the others. If the amount changes, give several \
                payers and exact shares again.
                """,
                .expense,
                GivenFields.parameter(
                    [
                        .optional(
                            "title", .string(length: 1...PlanText.longestLine), "The title, which says what it was for."
                        ),
                        .optional("amount", .string(length: 1...40), "The amount, as a decimal number."),
                    ] + Self.fields), Parameter<Int64?>.revision, answers: ExpenseRow.shape,
                errors: [.notFound, .notAllowed, .conflict, .invalidValue, .unavailable], right: .person
            ) { call, id, given, revision in
                try await change(call) { changing, consequences in
                    let (access, number) = try changing.money("expense", id)
                    let old = try Accounting.expense(number, of: access, in: changing.db)
                    let fields = try given.expense(
                        titled: given.value("title"), given.value("amount"), old, in: access, changing)
                    try changing.spend([fields.title])
                    try changing.changes(.expense, number, in: access, &consequences) {
                        try given.saving(over: { try ExpenseRow(number, in: access, in: changing.db) }) {
                            try Accounting.update(number, in: access, to: fields, from: revision, in: changing.db)
                        }
                    }
                    return try ExpenseRow(number, in: access, in: changing.db)
                }
            },
            .stored(
                "expenses.remove", "Removes an expense, which stays in the bin for 30 days.", .expense,
                answers: .only("expense", "The expense's id."),
                errors: [.notFound, .notAllowed], right: .person, question: "Remove this expense?"
            ) { call, id in
                try await change(call) { changing, consequences in
                    let (access, number) = try changing.money("expense", id)
                    try changing.removes(.expense, number, in: access, &consequences) {
                        try Accounting.remove(
                            number, from: "expense", in: access, at: changing.now, in: changing.db)
                    }
                    return id
                }
            },
        ]
    }

    private var repaying: [Method<Principal>] {
        [
            .stored(
                "repayments.add", "Adds a repayment: money that one member gave another, in the plan's currency.",
                .plan,
                Parameter<String>.required(
                    "from", .string(length: 1...200),
                    "The username of the member who paid, or the member's number if the account was deleted."),
                Parameter<String>.required(
                    "to", .string(length: 1...200),
                    "The username of the member who was paid, or the member's number if the account was deleted."),
                Parameter<String>.required(
                    "amount", .string(length: 1...40), "The amount, as a decimal number such as 12.30."),
                Parameter<String?>.optional("note", .string(length: 0...PlanText.longestLine), "A note."),
                answers: RepaymentRow.shape, errors: [.notFound, .notAllowed, .invalidValue], right: .person
            ) { call, id, from, to, amount, note in
                try await change(call) { changing, consequences in
                    let access = try changing.plan(id)
                    try access.checkMember()
                    let currency = try Plan.get(access.plan, in: changing.db).fields.currency
                    let transfer = Transfer(
                        from: try PlanMember.named(from, "from", of: access.plan, in: changing.db).number,
                        to: try PlanMember.named(to, "to", of: access.plan, in: changing.db).number,
                        minor: try Amount(given: amount, "amount", currency).minor)
                    let number = try Accounting.repay(
                        transfer, note: note, in: access, at: changing.now, in: changing.db)
                    try changing.did(.added, .repayment, number, in: access, &consequences)
                    let rows = try RepaymentRow.list(of: access, after: number - 1, limit: 1, in: changing.db)
                    guard let row = rows.first else { throw Refusal.absent("repayment", id: String(number)) }
                    return row
                }
            },
            .stored(
                "repayments.list", "Lists the repayments between members of a plan. Only for members.", .plan,
                Parameter<PageRequest<Int64>>.page(of: "repayments.list", upTo: Self.largestPage, default: 50),
                answers: .page("repayments", "The repayments."), errors: [.notFound, .notAllowed, .invalidValue],
                right: .person
            ) { call, id, asked in
                try await read(call) { db, person in
                    let access = try PlanAccess.plan(id, for: person, in: db)
                    try access.checkMember()
                    var page = asked.page(of: RepaymentRow.self)
                    let rows = try RepaymentRow.list(
                        of: access, after: asked.after ?? 0, limit: asked.limit + 1, in: db)
                    for row in rows { guard page.append(row, at: row.repayment.number) else { break } }
                    return page
                }
            },
            .stored(
                "repayments.remove", "Removes a repayment, which stays in the bin for 30 days.", .repayment,
                answers: .only("repayment", "The repayment's id."),
                errors: [.notFound, .notAllowed], right: .person, question: "Remove this repayment?"
            ) { call, id in
                try await change(call) { changing, consequences in
                    let (access, number) = try changing.money("repayment", id)
                    try changing.removes(.repayment, number, in: access, &consequences) {
                        try Accounting.remove(
                            number, from: "repayment", in: access, at: changing.now, in: changing.db)
                    }
                    return id
                }
            },
        ]
    }
}

extension GivenFields {
    /// Returns the fields of an expense: the given values, then those of `old`, then the defaults.
    fileprivate func expense(
        titled title: String?, _ text: String?, _ old: Expense?, in access: PlanAccess,
        _ changing: PlanMethods.ChangeContext
    ) throws -> Expense.Fields {
        let db = changing.db
        let plan = try Plan.get(access.plan, in: db)
        var currency = old?.terms.amount.currency ?? plan.fields.currency
        if let code: String = try value("currency") { currency = try Currency(given: code) }
        let amount: Amount =
            if let text {
                try Amount(given: text, "amount", currency)
            } else {
                Amount(minor: old?.terms.amount.minor ?? 0, currency)
            }
        var rate = old?.terms.rate
        if currency == plan.fields.currency { rate = nil }
        if let text: String = try value("rate"), !text.isEmpty {
            do {
                rate = try ExchangeRate(text)
            } catch {
                throw Refusal.invalid("rate", error.reason)
            }
        }
        var fields = Expense.Fields(
            title: title ?? old?.title ?? "", category: old?.category, tab: old?.tab,
            day: old?.day.flatMap { CalendarDate(text: $0) }, amount: amount, rate: rate,
            payers: try payers(of: amount, old, in: access, changing),
            split: try split(of: amount, old, in: access, changing), isPersonal: old?.isPersonal ?? false)
        try set(&fields.category, "category")
        try set(&fields.isPersonal, "personal")
        if let tab: String = try value("tab") { fields.tab = Activity.Tab(rawValue: tab) }
        if let day: String = try value("day") {
            fields.day = CalendarDate(text: day)
            guard fields.day != nil || day.isEmpty else {
                throw Refusal.invalid("day", "must be a day such as 2026-05-01")
            }
        }
        var activity = old?.activity
        try set(&activity, "activity")
        // An activity that the caller does not see stays.
        fields.activity =
            activity == old?.activity
            ? old?.activityNumber : try activity.map { try changing.item("activity", $0).number }
        return fields
    }

    private func objects(_ name: String) throws(Refusal) -> [JSONValue]? { try value(name) }

    private func payers(
        of amount: Amount, _ old: Expense?, in access: PlanAccess, _ changing: PlanMethods.ChangeContext
    ) throws -> [Split.Part] {
        if let given = try objects("payers"), !given.isEmpty {
            return try given.map { payer in
                let person = payer["person"].flatMap { String(json: $0) } ?? ""
                let text = payer["amount"].flatMap { String(json: $0) } ?? ""
                return Split.Part(
                    member: try PlanMember.named(person, "payers", of: access.plan, in: changing.db).number,
                    weight: try Amount(given: text, "payers", amount.currency).minor)
            }
        }
        // A single payer has paid the whole amount, even if the amount changes.
        if let old {
            return old.terms.payers.count == 1
                ? old.terms.payers.map { Split.Part(member: $0.member, weight: amount.minor) } : old.terms.payers
        }
        let own = try PlanMember.find(changing.person.number, of: access.plan, in: changing.db)
        return own.map { [Split.Part(member: $0.number, weight: amount.minor)] } ?? []
    }

    private func split(
        of amount: Amount, _ old: Expense?, in access: PlanAccess, _ changing: PlanMethods.ChangeContext
    ) throws -> Split {
        let word: String? = try value("split")
        let name = word.flatMap(Split.Name.init) ?? old?.terms.split.name ?? .evenly
        guard let given = try objects("shares"), !given.isEmpty else {
            if let old, name == old.terms.split.name { return old.terms.split }
            guard name == .evenly else { throw Refusal.invalid("shares", "must be given unless the split is even") }
            let members = try PlanMember.list(of: access.plan, in: changing.db)
            return .evenly(members.filter { $0.state == .member && $0.travels }.map(\.number))
        }
        let parts = try given.map { share in
            let person = share["person"].flatMap { String(json: $0) } ?? ""
            let member = try PlanMember.named(person, "shares", of: access.plan, in: changing.db).number
            guard name != .evenly else {
                guard (share["share"] ?? .null) == .null else {
                    throw Refusal.invalid("shares", "must not have a share if the split is even")
                }
                return Split.Part(member: member, weight: 1)
            }
            guard let text = share["share"].flatMap({ String(json: $0) }) else {
                throw Refusal.invalid("shares", "must each have a share unless the split is even")
            }
            let decimals = name == .parts ? 0 : name == .percentages ? 4 : amount.currency.exponent
            do throws(MoneyFlaw) {
                if name == .exact { return Split.Part(member: member, weight: try Amount(text, amount.currency).minor) }
                let number = try DecimalNumber(text, decimals: decimals, atMost: Split.wholePercentage)
                var weight = number.digits
                var missing = decimals - number.decimals
                while missing > 0 {
                    weight = min(weight, Split.wholePercentage) * 10
                    missing -= 1
                }
                return Split.Part(member: member, weight: weight)
            } catch {
                throw Refusal.invalid("shares", error.reason)
            }
        }
        return Split(name, parts)
    }
}
