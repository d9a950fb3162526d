import FeatureSupport
import GRDB
import RPC
import Store
import Testing

/// What editors of a plan can do with expenses whose details they do not see.
@Suite struct ExpensePrivacyTests {
    /// A plan of Ada in which Bob is a member who may edit.
    private static func plan(_ core: CoreFixture) async throws -> JSONValue {
        try core.people("ada", "bob")
        try core.befriendEverybody()
        let plan = try #require(try await core.call(as: "ada", "plans.create", ["title": "Rome"])["id"])
        try await core.call(as: "ada", "members.ask", ["plan": plan, "person": "bob"])
        try await core.call(as: "bob", "members.confirm", ["plan": plan])
        try await core.call(as: "ada", "members.change", ["plan": plan, "person": "bob", "edits": true])
        return plan
    }

    @Test func anEditKeepsTheActivityThatTheEditorDoesNotSee() async throws {
        let core = try CoreFixture()
        let plan = try await Self.plan(core)
        let activity = try #require(
            try await core.call(as: "ada", "activities.add", ["plan": plan, "title": "Surprise", "level": "me"])["id"])
        let expense = try #require(
            try await core.call(
                as: "ada", "expenses.add", ["plan": plan, "title": "Ring", "amount": "90", "activity": activity])["id"])
        let edited = try await core.call(as: "bob", "expenses.update", ["expense": expense, "amount": "95"])
        #expect(edited["activity"] == nil)
        let seen = try await core.call(as: "ada", "expenses.list", ["plan": plan])["expenses"].elements.first
        #expect(seen?["activity"] == activity)
        #expect(seen?["amount"] == "95.00")
    }

    @Test func anotherMembersPersonalExpenseCannotBeChangedOrRemoved() async throws {
        let core = try CoreFixture()
        let plan = try await Self.plan(core)
        let expense = try #require(
            try await core.call(
                as: "ada", "expenses.add",
                [
                    "plan": plan, "title": "Gift", "amount": "5", "personal": true,
                    "shares": [["person": "ada"]],
                ])["id"])
        for (method, parameters) in [
            ("expenses.update", ["expense": expense, "title": "Mine"]), ("expenses.remove", ["expense": expense]),
        ] as [(String, JSONObject)] {
            #expect(try await core.error(as: "bob", method, parameters)?.code == .notFound, "\(method)")
        }
        #expect(
            try await core.call(as: "ada", "expenses.update", ["expense": expense, "title": "Ours"])["title"] == "Ours")
    }
}
