import FeatureSupport
import GRDB
import RPC
import Store
import TestSupport
import Testing

/// The cost of a plan's money, in steps of SQLite's virtual machine, with few expenses and with four times as many.
@Suite(.slow) struct MoneyGrowthTests {
    private static func numbers(_ count: Int) -> String {
        "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(count))"
    }

    /// Returns a world in which ada has a plan of ten travellers with `count` expenses, which all of them share.
    private func spent(_ count: Int) async throws -> (core: CoreFixture, plan: JSONValue) {
        let core = try CoreFixture()
        try core.people("ada")
        let plan = try #require(try await core.call(as: "ada", "plans.create", ["title": "Rome"])["id"])
        try await core.store.write { db in
            let statements = [
                """
                \(Self.numbers(9))
                INSERT INTO person (id, first_name, last_name, email, joined, proven)
                SELECT 'p' || i, 'Pat', 'Test', 'p' || i || '@example.org', 0, 0 FROM n
                """,
                """
                INSERT INTO plan_member (plan, person, state, edits, travels, time)
                SELECT 1, person.number, 'member', 0, 1, 0 FROM person WHERE person.id <> 'ada'
                """,
                """
                \(Self.numbers(count))
                INSERT INTO expense
                    (id, plan, turn, person, created, title, category, tab, day, amount, currency, converted, split)
                SELECT 'e' || i, 1, i, 1, 0, 'Bread', 'c' || i % 5, 'food', '2026-05-0' || (1 + i % 9), 1000, 'EUR', 1000,
                    'evenly' FROM n
                """,
                "INSERT INTO expense_payer SELECT number, 0, 1 + number % 10, 1000, 1000 FROM expense",
                """
                INSERT INTO expense_share SELECT expense.number, plan_member.number, plan_member.number, 1, 100, 100
                FROM expense, plan_member
                """,
                "UPDATE plan SET next_turn = \(count) + 1",
            ]
            for statement in statements { try db.execute(sql: statement) }
        }
        return (core, plan)
    }

    @Test(arguments: ["expenses.balances", "expenses.sums", "expenses.list"])
    func readingCostsTheSameWithMoreExpenses(_ method: String) async throws {
        var costs: [Int] = []
        for size in [100, 400] {
            let (core, plan) = try await spent(size)
            costs.append(
                try await core.steps {
                    let answer = try await core.call(as: "ada", method, ["plan": plan])
                    #expect(answer["balances"].elements.count == (method == "expenses.balances" ? 10 : 0))
                    if method == "expenses.sums" { #expect(answer["total"] == .string("\(size * 10).00")) }
                })
        }
        #expect(costs[1] <= costs[0] * 3 / 2 + 500, "\(costs)")
    }

    @Test func changingAnExpenseCostsTheSameAmongMoreOfThem() async throws {
        var costs: [Int] = []
        for size in [500, 2_000] {
            let core = try await spent(size).core
            costs.append(
                try await core.steps {
                    try await core.call(
                        as: "ada", "expenses.update", ["expense": "e7", "amount": "1", "category": "tea"])
                    try await core.call(as: "ada", "expenses.remove", ["expense": "e7"])
                })
        }
        #expect(costs[1] <= costs[0] * 3 / 2 + 500, "\(costs)")
    }
}
