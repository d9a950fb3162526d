import FeatureSupport
import GRDB
import RPC
import Store
import Testing
import Time

@testable import Plans
@testable import Service

/// What people remove from plans comes back as it was, for those who may have it, for 30 days.
@Suite struct PlanBinTests {
    private let core: CoreFixture

    init() throws {
        core = try CoreFixture()
        try core.people("ada", "bob", "cai")
        try core.befriendEverybody()
    }

    /// Makes a plan of ada that bob edits and in which cai reads, with an activity, its expense and a location.
    private func rome() async throws -> (plan: JSONValue, pizza: JSONValue, forum: JSONValue) {
        let plan = try #require(try await core.call(as: "ada", "plans.create", ["title": "Rome"])["id"])
        for (person, edits) in [("bob", true), ("cai", false)] {
            try await core.call(
                as: "ada", "members.ask", ["plan": plan, "person": .string(person), "edits": .bool(edits)])
            try await core.call(as: person, "members.confirm", ["plan": plan])
        }
        let forum = try #require(
            try await core.call(
                as: "ada", "locations.add",
                ["plan": plan, "name": "Forum", "lat": 41.9, "lon": 12.5, "from": "2026-06-02T10:00"])["id"])
        let pizza = try #require(
            try await core.call(
                as: "ada", "activities.add",
                ["plan": plan, "title": "Pizza", "tab": "food", "rating": 4, "people": ["bob"]])["id"])
        try await core.call(
            as: "ada", "activities.add", ["plan": plan, "title": "Evening", "links": [pizza]])
        try await core.call(
            as: "ada", "expenses.add",
            ["plan": plan, "title": "Two pizzas", "amount": "31.45", "activity": pizza])
        try await core.call(as: "bob", "reviews.put", ["subject": try subject("activity", pizza), "rating": 5])
        try await core.call(
            as: "bob", "repayments.add", ["plan": plan, "from": "bob", "to": "ada", "amount": "5.00"])
        return (plan, pizza, forum)
    }

    private func subject(_ kind: String, _ id: JSONValue) throws -> JSONValue {
        .string("\(kind)/\(try #require(String(json: id)))")
    }

    /// Returns all that the owner sees of a plan.
    private func picture(_ plan: JSONValue) async throws -> [JSONValue] {
        var seen: [JSONValue] = []
        for method in [
            "plans.get", "plans.itinerary", "locations.list", "expenses.list", "expenses.balances", "repayments.list",
        ] {
            seen.append(try await core.call(as: "ada", method, ["plan": plan]))
        }
        return seen
    }

    @Test(arguments: ["activity", "location", "plan"])
    func whatWasRemovedComesBackAsItWas(_ kind: String) async throws {
        let (plan, pizza, forum) = try await rome()
        let before = try await picture(plan)
        let id = ["activity": pizza, "location": forum, "plan": plan][kind] ?? plan
        let (method, subject) = (
            ["activity": "activities", "location": "locations"][kind] ?? "plans", try self.subject(kind, id)
        )
        try await core.call(as: "ada", "\(method).remove", [kind: id])
        if kind == "plan" {
            #expect(try await core.error(as: "ada", "plans.get", ["plan": plan])?.code == .notFound)
        } else {
            #expect(try await picture(plan) != before)
        }
        try await core.call(as: "ada", "plans.restore", ["removed": subject])
        #expect(try await picture(plan) == before)
        let score = try await core.call(as: "ada", "reviews.summary", ["subject": try self.subject("activity", pizza)])
        #expect(score["count"] == 1)
        #expect(try await core.error(as: "ada", "plans.restore", ["removed": subject])?.code == .notFound)
    }

    @Test func theBinShowsPeopleWhatTheyRemovedAndTheOwnerWhatOthersDid() async throws {
        let (plan, pizza, _) = try await rome()
        let own = try #require(
            try await core.call(as: "bob", "activities.add", ["plan": plan, "title": "Ring", "level": "me"])["id"])
        try await core.call(as: "bob", "activities.remove", ["activity": own])
        try await core.call(as: "bob", "activities.remove", ["activity": pizza])
        func titles(_ person: String) async throws -> [String] {
            try await core.call(as: person, "plans.bin", ["plan": plan])["removed"].elements.compactMap {
                $0["title"].text
            }
        }
        #expect(try await titles("bob") == ["Pizza", "Ring"])
        #expect(try await titles("ada") == ["Pizza"])
        #expect(try await titles("cai") == [])
        let ring: JSONObject = ["removed": try subject("activity", own)]
        #expect(try await core.error(as: "ada", "plans.restore", ring)?.code == .notFound)
        #expect(try await core.error(as: "cai", "plans.restore", ring)?.code == .notFound)
        try await core.call(as: "ada", "plans.restore", ["removed": try subject("activity", pizza)])
        try await core.call(as: "ada", "members.change", ["plan": plan, "person": "bob", "edits": false])
        #expect(try await core.error(as: "bob", "plans.restore", ring)?.code == .notAllowed)
    }

    @Test func afterThirtyDaysTheBinIsEmptyAndWhatWasSaidIsGone() async throws {
        let (_, pizza, _) = try await rome()
        try await core.call(as: "ada", "activities.remove", ["activity": pizza])
        let subject = "activity/\(try #require(String(json: pizza)))"
        func known() throws -> [Int?] {
            try core.store.write { db in
                try [
                    Int.fetchOne(db, sql: "SELECT count(*) FROM plan_bin"),
                    Int.fetchOne(db, sql: "SELECT count(*) FROM subject WHERE id = ?", arguments: [subject]),
                ]
            }
        }
        let (work, day) = (PlanBinEmptying(), Timestamp.millisecondsPerDay)
        func due() throws -> Timestamp? { try core.store.write { db in try work.due(at: .earliest, in: db) } }
        let end = try #require(try due())
        func empty(at time: Timestamp) throws {
            try core.store.write { db in
                var consequences = Consequences()
                try work.work(at: time, in: db, &consequences)
            }
        }
        try empty(at: end.advanced(byMilliseconds: -day))
        #expect(try known() == [1, 1])
        try empty(at: end)
        #expect(try known() == [0, 0])
    }

    @Test func aTravellerWhoMayNotChangeThePlanEntersWhatTheyPaid() async throws {
        let (plan, _, _) = try await rome()
        let taxi = try await core.call(as: "cai", "expenses.add", ["plan": plan, "title": "Taxi", "amount": "25.40"])
        #expect(taxi["payers"].elements.compactMap { $0["person"].text } == ["cai"])
        #expect(taxi["may_edit"] == true)
        let id = try #require(taxi["id"])
        try await core.call(as: "cai", "expenses.update", ["expense": id, "amount": "26.00"])
        for payers: JSONValue in [
            [["person": "bob", "amount": "9"]], [["person": "bob", "amount": "4"], ["person": "cai", "amount": "5"]],
        ] {
            let wrong: JSONObject = ["plan": plan, "title": "Fuel", "amount": "9", "payers": payers]
            #expect(try await core.error(as: "cai", "expenses.add", wrong)?.code == .notAllowed)
        }
        let given: JSONObject = ["expense": id, "payers": [["person": "bob", "amount": "26.00"]]]
        #expect(try await core.error(as: "cai", "expenses.update", given)?.code == .notAllowed)
        let others = try await core.call(as: "cai", "expenses.list", ["plan": plan])["expenses"].elements
        #expect(others.map { $0["may_edit"] == true } == [false, true])
        let first = try #require(others.first?["id"])
        for method in ["expenses.update", "expenses.remove"] {
            #expect(try await core.error(as: "cai", method, ["expense": first])?.code == .notAllowed)
        }
        // Whoever does not travel has not paid.
        try await core.call(as: "cai", "expenses.remove", ["expense": id])
        try await core.call(as: "ada", "members.change", ["plan": plan, "person": "cai", "travels": false])
        let bus: JSONObject = ["plan": plan, "title": "Bus", "amount": "2"]
        #expect(try await core.error(as: "cai", "expenses.add", bus)?.code == .notAllowed)
    }
}
