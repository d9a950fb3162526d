import GRDB
import Money
import Positioning
import RPC
import TestSupport
import Testing

@testable import Plans

@Suite struct AccountingTests {
    /// Makes a plan in euros with three members, and returns their member numbers.
    private func plan(in db: Database) throws -> (access: PlanAccess, members: [Int64]) {
        let access = try PlansFixture.plan(.titled("Rome"), in: db)
        let owner = try PlanMember.find(1, of: access.plan, in: db).known.number
        return (access, [owner, try PlansFixture.join(2, access, in: db), try PlansFixture.join(3, access, in: db)])
    }

    private func fields(
        _ title: String, _ text: String, _ code: String = "EUR", rate: String? = nil, paidBy payer: Int64, split: Split
    ) throws -> Expense.Fields {
        let amount = try Amount(text, Currency(code))
        return Expense.Fields(
            title: title, amount: amount, rate: try rate.map { try ExchangeRate($0) },
            payers: [.init(member: payer, weight: amount.minor)], split: split)
    }

    @Test func sumsAndBalancesAreUpdatedAfterEachChange() throws {
        try PlansFixture("ada", "ben", "cleo").queue.write { db in
            let (access, members) = try plan(in: db)
            let food = try Activity.create(.init(title: "Pizza"), tab: .food, in: access, at: moment(0), in: db)
            var pizza = try fields("Pizza", "10.00", paidBy: members[0], split: .evenly(members))
            pizza.activity = food
            let expense = try Accounting.add(pizza, to: access, at: moment(0), in: db)
            let taxi = try Accounting.add(
                fields("Taxi", "1000", "JPY", rate: "0.0061", paidBy: members[1], split: .evenly([members[0]])),
                to: access, at: moment(0), in: db)
            var sums = try Accounting.sums(of: access, in: db)
            #expect(sums.total == 1610 && sums.byTab == ["food": 1000])
            // The odd cents of the second expense are separate from the first's: turn 1 gives the second member 3.34.
            #expect(try Accounting.balances(of: access.plan, in: db)[members[1]] == 610 - 334)
            #expect(try Accounting.balances(of: access.plan, in: db).values.reduce(0, +) == 0)
            pizza.amount = try Amount("7.00", Currency("EUR"))
            pizza.payers = [.init(member: members[2], weight: 700)]
            try Accounting.update(expense, in: access, to: pizza, from: 1, in: db)
            refusesOutdated { try Accounting.update(expense, in: access, to: pizza, from: 1, in: db) }
            sums = try Accounting.sums(of: access, in: db)
            #expect(sums.total == 1310 && sums.byTab == ["food": 700])
            try Accounting.remove(taxi, from: "expense", in: access, at: moment(0), in: db)
            #expect(try Accounting.sums(of: access, in: db).total == 700)
            try Activity.remove(food, in: access, at: moment(0), in: db)
            #expect(try Accounting.sums(of: access, in: db).total == 0)
            #expect(try Accounting.balances(of: access.plan, in: db).isEmpty)
            // Numbers are not reused.
            let next = try Accounting.add(
                fields("Bus", "1.00", paidBy: members[0], split: .evenly(members)), to: access, at: moment(0), in: db)
            #expect(try Accounting.expense(next, of: access, in: db).terms.turn == 3)
        }
    }

    @Test func everySplitIsReadBackUnchanged() throws {
        try PlansFixture("ada", "ben", "cleo").queue.write { db in
            let (access, members) = try plan(in: db)
            func parts(_ weights: Int64...) -> [Split.Part] {
                zip(members, weights).map { Split.Part(member: $0, weight: $1) }
            }
            let splits: [Split] = [
                .evenly(members), .parts(parts(2, 1, 0)), .percentages(parts(500_000, 250_000, 250_000)),
                .exact(parts(1, 2, 9997)),
            ]
            for split in splits {
                let number = try Accounting.add(
                    fields("X", "100.00", paidBy: members[2], split: split), to: access, at: moment(0), in: db)
                let expense = try Accounting.expense(number, of: access, in: db)
                #expect(expense.terms.split == split)
                #expect(expense.distribution == (try expense.terms.distribute(in: Currency("EUR"))))
            }
            #expect(try Accounting.expenses(of: access, in: db).map(\.terms.turn) == [1, 2, 3, 4])
            #expect(try Accounting.expenses(of: access, after: 2, limit: 1, in: db).map(\.terms.turn) == [3])
            let newest = try Accounting.newestExpenses(of: access, before: 4, limit: 2, in: db)
            #expect(newest.map(\.terms.turn) == [3, 2])
            #expect(newest.map(\.terms.split) == [splits[2], splits[1]])
        }
    }

    @Test func personalExpensesCountOnlyForTheirPerson() throws {
        try PlansFixture("ada", "ben", "cleo").queue.write { db in
            let (access, members) = try plan(in: db)
            var own = try fields("Souvenir", "5.00", paidBy: members[1], split: .evenly([members[1]]))
            own.isPersonal = true
            let ben = try PlansFixture.access(access, as: 2, in: db)
            var other = own
            other.payers = [Split.Part(member: members[0], weight: 500)]
            other.isPersonal = false
            refuses(.notAllowed) { try Accounting.add(other, to: ben, at: moment(0), in: db) }
            try PlanMember.change(PlansFixture.person(2, in: db), edits: true, travels: nil, in: access, in: db)
            let editor = try PlansFixture.access(access, as: 2, in: db)
            _ = try Accounting.add(own, to: editor, at: moment(0), in: db)
            #expect(try Accounting.sums(of: access, in: db).total == 0)
            #expect(try Accounting.sums(of: editor, in: db).total == 500)
            #expect(try Accounting.balances(of: access.plan, in: db) == [members[1]: 0])
            own.split = .evenly(members)
            refuses(field: "personal") { try Accounting.add(own, to: editor, at: moment(0), in: db) }
        }
    }

    @Test func settlingBalancesToZeroAndRepaymentsCanBeRemoved() throws {
        try PlansFixture("ada", "ben", "cleo").queue.write { db in
            let (access, members) = try plan(in: db)
            _ = try Accounting.add(
                fields("Hotel", "100.00", paidBy: members[0], split: .evenly(members)), to: access, at: moment(0),
                in: db)
            _ = try Accounting.add(
                fields("Museum", "41.00", "USD", rate: "0.91", paidBy: members[1], split: .evenly([members[2]])),
                to: access, at: moment(0), in: db)
            let proposed = try Accounting.settlement(of: access.plan, in: db)
            #expect(proposed.count == 2)
            var made: [Int64] = []
            for (index, transfer) in proposed.enumerated() {
                #expect(try Accounting.settlement(of: access.plan, in: db) == Array(proposed[index...]))
                made.append(try Accounting.repay(transfer, note: "cash", in: access, at: moment(1), in: db))
            }
            #expect(try Accounting.settlement(of: access.plan, in: db).isEmpty)
            try Accounting.remove(made[0], from: "repayment", in: access, at: moment(0), in: db)
            #expect(try Accounting.settlement(of: access.plan, in: db) == [proposed[0]])
            #expect(try Accounting.repayments(of: access.plan, in: db).map(\.transfer) == [proposed[1]])
            // Readers enter repayments that they paid or received.
            let cleo = try PlansFixture.access(access, as: 3, in: db)
            let others = Transfer(from: members[0], to: members[1], minor: 1)
            refuses(.notAllowed) { try Accounting.repay(others, note: nil, in: cleo, at: moment(1), in: db) }
            let own = Transfer(from: members[2], to: members[1], minor: 1)
            #expect(throws: Never.self) { try Accounting.repay(own, note: nil, in: cleo, at: moment(1), in: db) }
            let nothing = Transfer(from: members[2], to: members[1], minor: 0)
            refuses(field: "amount") { try Accounting.repay(nothing, note: nil, in: cleo, at: moment(1), in: db) }
        }
    }

    @Test func nonMembersNeitherSeeNorPayExpenses() throws {
        try PlansFixture("ada", "ben", "cleo", "dan").queue.write { db in
            let (access, members) = try plan(in: db)
            try Plan.publish(access, true, at: moment(0), in: db)
            let expense = try Accounting.add(
                fields("Hotel", "1.00", paidBy: members[0], split: .evenly(members)), to: access, at: moment(0), in: db)
            let id = try Accounting.expense(expense, of: access, in: db).id
            let stranger = try PlansFixture.access(access, as: 4, in: db)
            refuses(.notAllowed) { try Accounting.expenses(of: stranger, in: db) }
            refuses(.notAllowed) { try Accounting.sums(of: stranger, in: db) }
            refuses(.notFound) { try PlanAccess.money("expense", id, for: 4, in: db) }
            let other = try PlansFixture.plan(.titled("Other"), by: 4, in: db)
            let foreign = try #require(try PlanMember.find(4, of: other.plan, in: db)).number
            refuses(field: "payers") {
                try Accounting.add(
                    fields("X", "1.00", paidBy: foreign, split: .evenly(members)), to: access, at: moment(0), in: db)
            }
            refuses(field: "rate") {
                try Accounting.add(
                    fields("X", "1.00", "USD", paidBy: members[0], split: .evenly(members)), to: access, at: moment(0),
                    in: db)
            }
            var dollars = try Plan.Fields.titled("Rome", level: .everyone)
            dollars.currency = try Currency("USD")
            refuses(.conflict) { try Plan.update(access, to: dollars, from: nil, at: moment(1), in: db) }
        }
    }
}
