import GRDB
import Money
import RPC
import Schemas
import TestSupport
import Testing
import Time

@testable import People
@testable import Plans
@testable import Store

/// The sums that are kept beside the money of plans equal those of all expenses and repayments, added up one by one.
@Suite struct MoneySumTests {
    /// The people 1 to 5: ada owns the plan, and all others may change it.
    private static let people: ClosedRange<Int64> = 1...5

    /// A plan whose money changes at random.
    private struct History {
        let db: Database
        var random: SeededGenerator
        let access: PlanAccess
        var turn: Int64 = 0

        init(seed: UInt64, in db: Database) throws {
            self.db = db
            random = SeededGenerator(seed: seed)
            access = try PlansFixture.plan(.titled("Rome"), in: db)
            for person in MoneySumTests.people.dropFirst() {
                _ = try PlansFixture.join(person, access, edits: true, in: db)
            }
        }

        private mutating func pick<Element>(_ elements: [Element]) -> Element? {
            elements.randomElement(using: &random)
        }

        private func numbers(_ table: String) throws -> [Int64] {
            try Int64.fetchAll(
                db, sql: "SELECT number FROM \(table) WHERE plan = ? ORDER BY 1", arguments: [access.plan])
        }

        private mutating func fields() throws -> Expense.Fields? {
            let members = try PlanMember.list(of: access.plan, in: db).filter { $0.state == .member && $0.travels }
                .map(\.number)
            guard let payer = pick(members), let other = pick(members) else { return nil }
            let code = pick(["EUR", "EUR", "JPY", "KWD"]) ?? "EUR"
            let minor: Int64 = pick([1, 2, 999, 12_345, Amount.greatest / 10_000]) ?? 1
            let chosen = Array(
                members.shuffled(using: &random).prefix(Int.random(in: 1...members.count, using: &random)))
            var payers = [Split.Part(member: payer, weight: minor)]
            if payer != other, minor > 1 {
                payers = [.init(member: payer, weight: minor - 1), .init(member: other, weight: 1)]
            }
            var fields = Expense.Fields(
                title: "Bread", amount: Amount(minor: minor, try Currency(code)),
                rate: code == "EUR" ? nil : try ExchangeRate(pick(["0.0061", "2.91", "0.000001"]) ?? "1"),
                payers: payers, split: .evenly(chosen))
            if Bool.random(using: &random) {
                let parts = chosen.enumerated().map { index, member in
                    Split.Part(member: member, weight: index == 0 ? 1 : Int64(index % 3))
                }
                fields.split = .parts(parts)
            }
            if Int.random(in: 0...3, using: &random) == 0 {
                fields.isPersonal = true
                (fields.payers, fields.split) = ([.init(member: payer, weight: minor)], .evenly([payer]))
            }
            let categories: [String?] = [nil, "food", "fun"]
            let days: [CalendarDate?] = [nil, CalendarDate(text: "2026-05-01"), CalendarDate(text: "2026-05-02")]
            let tabs: [Activity.Tab?] = [nil, .food, .lodging]
            fields.category = pick(categories) ?? nil
            fields.day = pick(days) ?? nil
            fields.tab = pick(tabs) ?? nil
            if Int.random(in: 0...2, using: &random) == 0 { fields.activity = pick(try numbers("activity")) }
            return fields
        }

        /// Changes the plan in one way or another; a change that is refused changes nothing.
        mutating func step(withMembers: Bool) throws {
            turn += 1
            let now = moment(turn)
            let kind = Int.random(in: 0...(withMembers ? 15 : 9), using: &random)
            var next = self
            defer { random = next.random }
            do {
                try db.inSavepoint {
                    try next.change(kind, at: now)
                    return .commit
                }
            } catch is Refusal {}
        }

        private mutating func change(_ kind: Int, at now: Timestamp) throws {
            switch kind {
            case 0...3:
                if let fields = try fields() { _ = try Accounting.add(fields, to: access, at: now, in: db) }
            case 4...5:
                if let expense = pick(try numbers("expense")), let fields = try fields() {
                    try Accounting.update(expense, in: access, to: fields, from: nil, in: db)
                }
            case 6:
                if let expense = pick(try numbers("expense")) {
                    try Accounting.remove(expense, from: "expense", in: access, at: now, in: db)
                }
            case 7:
                let members = try numbers("plan_member").shuffled(using: &random)
                let transfer = Transfer(from: members[0], to: members[1], minor: Int64(turn * 7))
                _ = try Accounting.repay(transfer, note: nil, in: access, at: now, in: db)
            case 8:
                if let repayment = pick(try numbers("repayment")) {
                    try Accounting.remove(repayment, from: "repayment", in: access, at: now, in: db)
                }
            case 9:
                _ = try Activity.create(
                    .init(title: "Walk"), tab: pick([.food, .places]) ?? .food, in: access, at: now, in: db)
            case 10:
                if let activity = pick(try numbers("activity")) {
                    try Activity.remove(activity, in: access, at: now, in: db)
                }
            case 11...12:
                if let entry = pick(try PlanBin.list(of: access, at: now, in: db)) {
                    _ = try PlanBin.restore(entry.subject, by: 1, at: now, in: db)
                }
            case 13: try changeMember()
            case 14:
                try Plan.remove(access, at: now, in: db)
                #expect(try kept().isEmpty)
                _ = try PlanBin.restore("plan/\(access.id)", by: 1, at: now, in: db)
            default:
                // The last person's account goes late in some histories.
                if turn > 60 {
                    try db.execute(
                        sql: "DELETE FROM person WHERE number = ?", arguments: [MoneySumTests.people.upperBound])
                }
            }
        }

        /// A member leaves, comes back, or settles what keeps them from leaving.
        private mutating func changeMember() throws {
            let person = Int64.random(in: 2...MoneySumTests.people.upperBound, using: &random)
            guard let other = try People.find(number: person, in: db) else { return }
            let member = try PlanMember.find(person, of: access.plan, in: db)
            guard let member, member.state != .left else {
                return _ = try PlansFixture.join(person, access, edits: true, in: db)
            }
            for transfer in try Accounting.settlement(of: access.plan, in: db) {
                _ = try Accounting.repay(transfer, note: nil, in: access, at: moment(turn), in: db)
            }
            try PlanMember.remove(other, in: access, in: db)
        }

        /// Returns the rows of the sums.
        func kept() throws -> [Row] {
            try Row.fetchAll(
                db, sql: "SELECT * FROM plan_member_sum WHERE plan = ? ORDER BY 1", arguments: [access.plan])
                + Row.fetchAll(
                    db, sql: "SELECT * FROM plan_sum WHERE plan = ? ORDER BY 1, 2, 3, 4", arguments: [access.plan])
        }

        func check() throws {
            #expect(try Accounting.balances(of: access.plan, in: db) == balances())
            for person in MoneySumTests.people {
                guard let seen = try? PlansFixture.access(access, as: person, in: db), seen.seesPrivate else {
                    continue
                }
                var sums = Sums()
                for expense in try Accounting.expenses(of: seen, in: db) {
                    sums.add(
                        expense.distribution, tab: expense.tab?.rawValue, day: expense.day, category: expense.category)
                }
                #expect(try Accounting.sums(of: seen, in: db) == sums, "as \(person) after \(turn)")
            }
        }

        private func balances() throws -> [Int64: Int64] {
            let lines = try Row.fetchAll(
                db,
                sql: """
                    SELECT member, expense_payer.converted FROM expense_payer
                        JOIN expense ON expense.number = expense_payer.expense WHERE expense.plan = :plan
                    UNION ALL SELECT member, -expense_share.converted FROM expense_share
                        JOIN expense ON expense.number = expense_share.expense WHERE expense.plan = :plan
                    UNION ALL SELECT sender, amount FROM repayment WHERE plan = :plan
                    UNION ALL SELECT receiver, -amount FROM repayment WHERE plan = :plan
                    """, arguments: ["plan": access.plan])
            return lines.reduce(into: [:]) { $0[$1[0], default: 0] += $1[1] as Int64 }
        }
    }

    @Test(.slow, arguments: 1...(TestTier.isSoak ? 200 : 8) as ClosedRange<UInt64>)
    func sumsFollowEveryChange(_ seed: UInt64) throws {
        try PlansFixture("ada", "ben", "cleo", "dan", "eve").queue.write { db in
            var history = try History(seed: seed, in: db)
            for _ in 0..<90 {
                try history.step(withMembers: true)
                try history.check()
            }
            // The sums are also those that are computed anew.
            let kept = try history.kept()
            #expect(!kept.isEmpty)
            try db.execute(sql: "UPDATE plan_sum SET amount = amount + 1; DELETE FROM plan_member_sum")
            try PlanSchema.sumMigration.rebuild?(db)
            #expect(try history.kept() == kept)
            try PlansFixture.checkKeys(db)
        }
    }

    @Test func anOldStoreGetsTheSumsOfItsMoney() throws {
        let step = PlanSchema.sumMigration
        try PlansFixture("ada", "ben", "cleo", "dan", "eve", without: step.name).queue.write { db in
            var histories = try [3, 4].map { try History(seed: $0, in: db) }
            for index in histories.indices {
                for _ in 0..<60 { try histories[index].step(withMembers: false) }
            }
            try step.body(db)
            for index in histories.indices {
                try histories[index].check()
                for _ in 0..<20 { try histories[index].step(withMembers: true) }
                try histories[index].check()
            }
        }
    }
}
