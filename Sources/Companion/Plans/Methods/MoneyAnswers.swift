import GRDB
import Money
import Positioning
import RPC
import Service

/// A member in answers about money.
struct MemberName: Sendable {
    var number: Int64
    var id: String?
    var name: String?

    /// Finds a member by number in O(log *n*).
    ///
    /// - Parameter members: The members of the plan in the order of their numbers, as ``PlanMember`` lists them.
    init(_ number: Int64, among members: [PlanMember]) {
        var (low, high) = (0, members.count)
        while low < high {
            let middle = (low + high) / 2
            if members[middle].number < number { low = middle + 1 } else { high = middle }
        }
        self.number = number
        guard low < members.count, members[low].number == number else { return }
        (id, name) = (members[low].id, members[low].name)
    }

    static let members: [Member<MemberName>] = [
        Member("member", .text, "The member's number in the plan's accounts.") { String($0.number) },
        .optional("person", .text, "The username; absent if the account was deleted.") { $0.id },
        .optional("name", .text, "First and last name; absent if the account was deleted.") { $0.name },
    ]
}

/// An expense as members see it.
struct ExpenseRow: Sendable, Answerable {
    /// One member's payment or share.
    struct Line: Sendable {
        var member: MemberName
        var amount: Amount
        var converted: Amount
        var weight: String?

        static let members: [Member<Line>] =
            MemberName.members.of { $0.member } + [
                Member("amount", .text, "The amount in the expense's currency.") { $0.amount.text },
                Member("converted", .text, "The amount in the plan's currency.") { $0.converted.text },
            ]

        static let share = AnswerShape<Line>.object(
            members + [
                .optional(
                    "share", .text, "The share as given: parts, a percentage or an amount; absent for an even split."
                ) { $0.weight }
            ])
    }

    var expense: Expense
    var payers: [Line]
    var shares: [Line]
    /// Whether the caller may change it.
    var mayEdit: Bool

    static let shape = AnswerShape<ExpenseRow>.object {
        Member("id", .text, "The id.") { $0.expense.id }
        Member("number", .integer, "The expense's number in the plan, which decides who pays odd cents.") {
            $0.expense.terms.turn
        }
        Member("revision", .integer, "The revision, which starts at 1 and grows by 1 with each change.") {
            $0.expense.revision
        }
        Member("title", .text, "The title, which says what it was for.") { $0.expense.title }
        Member.optional("category", .text, "The category.") { $0.expense.category }
        Member.optional("activity", .text, "The id of the activity that it is for.") { $0.expense.activity }
        Member.optional("tab", .choice, "The tab to which it counts.") { $0.expense.tab }
        Member.optional("day", .text, "The day to which it counts.") { $0.expense.day }
        Member("amount", .text, "The amount.") { $0.expense.terms.amount.text }
        Member("currency", .text, "The currency of the amount.") { $0.expense.terms.amount.currency.code }
        Member.optional("rate", .text, "The value of one unit of that currency in the plan's currency.") {
            $0.expense.terms.rate?.text
        }
        Member("converted", Amount.shape, "The amount in the plan's currency.") { $0.expense.distribution.converted }
        Member("split", .choice, "The way it is split.") { $0.expense.terms.split.name }
        Member("payers", .array(of: .object(Line.members)), "The members who paid, with their amounts.") { $0.payers }
        Member("shares", .array(of: Line.share), "The members who share it, with their amounts.") { $0.shares }
        Member.flag("personal", "Whether it is one member's personal expense; absent if not.") { $0.expense.isPersonal }
        Member.flag("may_edit", "Whether you may change and remove it; absent if not.") { $0.mayEdit }
    }

    init(_ expense: Expense, _ members: [PlanMember], in access: PlanAccess) {
        self.expense = expense
        mayEdit = expense.mayChange(access, among: members)
        let (own, main) = (expense.terms.amount.currency, expense.distribution.converted.currency)
        func line(_ line: ExpenseTerms.Line) -> Line {
            let weight: String? =
                switch (expense.terms.split.name, line.weight) {
                case (_, nil), (.evenly, _): nil
                case (.parts, let weight?): "\(weight)"
                case (.percentages, let weight?): "\(weight / 10_000).\(String(weight % 10_000 + 10_000).dropFirst())"
                case (.exact, let weight?): Amount(minor: weight, own).text
                }
            return Line(
                member: MemberName(line.member, among: members), amount: Amount(minor: line.amount, own),
                converted: Amount(minor: line.converted, main), weight: weight)
        }
        payers = expense.distribution.payments.map(line)
        shares = expense.distribution.shares.map(line)
    }

    init(_ number: Int64, in access: PlanAccess, in db: Database) throws {
        self.init(
            try Accounting.expense(number, of: access, in: db), try PlanMember.list(of: access.plan, in: db),
            in: access)
    }
}

/// A member with an amount, such as a sum or a balance.
struct MemberAmount: Sendable {
    var member: MemberName
    var amount: Amount

    init(_ member: MemberName, _ amount: Amount) { (self.member, self.amount) = (member, amount) }

    static func shape(_ name: String, _ doc: String) -> AnswerShape<MemberAmount> {
        .object(MemberName.members.of { $0.member } + [Member(name, .text, doc) { $0.amount.text }])
    }
}

/// The answer of `expenses.sums`: what a plan has cost.
struct SumsAnswer: Sendable, Answerable {
    var sums: Sums
    var currency: Currency
    var members: [PlanMember]

    struct Sum: Sendable {
        var key: String
        var amount: Amount
    }

    private static func sums(_ name: String, _ doc: String) -> AnswerShape<[Sum]> {
        .array(
            of: .object {
                Member(name, .text, doc) { $0.key }
                Member("amount", .text, "The sum.") { $0.amount.text }
            })
    }

    private func list(_ sums: [String: Int64]) -> [Sum] {
        sums.sorted { $0.key < $1.key }.map { Sum(key: $0.key, amount: Amount(minor: $0.value, currency)) }
    }

    static let shape = AnswerShape<SumsAnswer>.object {
        Member("currency", .text, "The plan's currency, used for all sums.") { $0.currency.code }
        Member("total", .text, "The sum of all expenses.") { Amount(minor: $0.sums.total, $0.currency).text }
        Member("tabs", sums("tab", "The tab."), "The sums by tab.") { $0.list($0.sums.byTab) }
        Member("days", sums("day", "The day."), "The sums by day.") { $0.list($0.sums.byDay) }
        Member("categories", sums("category", "The category."), "The sums by category.") { $0.list($0.sums.byCategory) }
        Member("people", .array(of: MemberAmount.shape("amount", "The sum.")), "Each member's shares, whoever paid.") {
            answer in
            answer.sums.byMember.sorted { $0.key < $1.key }.map {
                MemberAmount(MemberName($0.key, among: answer.members), Amount(minor: $0.value, answer.currency))
            }
        }
    }
}

/// The answer of `expenses.balances`: who owes whom.
struct BalancesAnswer: Sendable, Answerable {
    var balances: [Int64: Int64]
    var transfers: [Transfer]
    var currency: Currency
    var members: [PlanMember]

    /// A proposed transfer.
    struct Proposal: Sendable {
        var from: MemberName
        var to: MemberName
        var amount: Amount
    }

    static let shape = AnswerShape<BalancesAnswer>.object {
        Member("currency", .text, "The plan's currency, used for all amounts.") { $0.currency.code }
        Member(
            "balances",
            .array(
                of: MemberAmount.shape(
                    "balance", "The balance: positive if others owe the member, negative if the member owes others.")),
            "The members' balances, which add up to zero."
        ) { answer in
            answer.balances.sorted { $0.key < $1.key }.map {
                MemberAmount(MemberName($0.key, among: answer.members), Amount(minor: $0.value, answer.currency))
            }
        }
        Member(
            "transfers",
            .array(
                of: AnswerShape<Proposal>.object {
                    Member("from", .object(MemberName.members), "The member who pays.") { $0.from }
                    Member("to", .object(MemberName.members), "The member who is paid.") { $0.to }
                    Member("amount", .text, "The amount.") { $0.amount.text }
                }),
            "The transfers that settle all balances, the fewest possible for up to \(Settlement.maximumExactSize) people."
        ) { answer in
            answer.transfers.map {
                Proposal(
                    from: MemberName($0.from, among: answer.members), to: MemberName($0.to, among: answer.members),
                    amount: Amount(minor: $0.minor, answer.currency))
            }
        }
    }
}

struct RepaymentRow: Sendable, Answerable {
    var repayment: Accounting.Repayment
    var from: MemberName
    var to: MemberName
    var amount: Amount

    static let shape = AnswerShape<RepaymentRow>.object {
        Member("id", .text, "The id.") { $0.repayment.id }
        Member("time", .time, "The time of entry.") { $0.repayment.time }
        Member("from", .object(MemberName.members), "The member who paid.") { $0.from }
        Member("to", .object(MemberName.members), "The member who was paid.") { $0.to }
        Member("amount", .text, "The amount.") { $0.amount.text }
        Member("currency", .text, "The plan's currency.") { $0.amount.currency.code }
        Member.optional("note", .text, "A note.") { $0.repayment.note }
    }

    /// Returns the repayments of a plan whose number is greater than `number`, at most `limit`, oldest first.
    static func list(of access: PlanAccess, after number: Int64, limit: Int, in db: Database) throws -> [RepaymentRow] {
        let members = try PlanMember.list(of: access.plan, in: db)
        let currency = try Plan.get(access.plan, in: db).fields.currency
        return try Accounting.repayments(of: access.plan, after: number, limit: limit, in: db).map { repayment in
            RepaymentRow(
                repayment: repayment, from: MemberName(repayment.transfer.from, among: members),
                to: MemberName(repayment.transfer.to, among: members),
                amount: Amount(minor: repayment.transfer.minor, currency))
        }
    }
}
