import FeatureSupport
import GRDB
import RPC
import Store
import TestSupport
import Testing
import Tracking

@testable import Plans
@testable import Service

/// The history of plans: who changed what, who sees it, and undo of single changes.
@Suite struct PlanHistoryTests {
    private let core: CoreFixture
    private let plan: JSONValue

    /// Makes a plan of ada that bob edits and in which cai only reads.
    init() async throws {
        core = try CoreFixture()
        try core.people("ada", "bob", "cai", "dan")
        try core.befriendEverybody()
        plan = try #require(try await core.call(as: "ada", "plans.create", ["title": "Rome"])["id"])
        for (person, edits) in [("bob", true), ("cai", false)] {
            try await core.call(
                as: "ada", "members.ask", ["plan": plan, "person": .string(person), "edits": .bool(edits)])
            try await core.call(as: person, "members.confirm", ["plan": plan])
        }
    }

    private func history(of person: String = "ada") async throws -> [JSONValue] {
        try await core.call(as: person, "plans.history", ["plan": plan])["changes"].elements
    }

    private func lines(of person: String = "ada") async throws -> [String] {
        try await history(of: person).map { one in
            "\(one["person"]?["id"].text ?? "-") \(one["deed"].text ?? "") \(one["title"].text ?? "")"
        }
    }

    private func undo(_ index: Int = 0, as person: String = "ada") async throws -> RPCError? {
        let change = try #require(try await history(of: person)[index]["change"])
        return try await core.error(as: person, "plans.undo", ["plan": plan, "change": change])
    }

    private func add(_ title: String, as person: String = "bob", _ more: JSONObject = [:]) async throws -> JSONValue {
        var parameters = more
        parameters["plan"] = plan
        parameters["title"] = .string(title)
        return try #require(try await core.call(as: person, "activities.add", parameters)["id"])
    }

    @Test func changesAreListedWithWhoAndWhat() async throws {
        let fado = try await add("Fado night")
        try await core.call(
            as: "ada", "activities.update", ["activity": fado, "note": "Red", "from": "2026-06-01T21:00"])
        try await core.call(as: "ada", "activities.update", ["activity": fado, "note": "Red"])
        try await core.call(as: "bob", "activities.remove", ["activity": fado])
        #expect(
            try await lines() == [
                "bob removed Fado night", "ada changed Fado night", "bob added Fado night", "ada added Rome",
            ])
        #expect(try await history()[1]["fields"] == ["from", "note"])
        #expect(try await lines(of: "cai") == lines())
        #expect(try await core.error(as: "dan", "plans.history", ["plan": plan])?.code == .notAllowed)
    }

    @Test func eachSeesOnlyWhatTheySeeInThePlan() async throws {
        _ = try await add("Secret", ["level": "me"])
        let open = try await add("Open")
        try await core.call(as: "bob", "activities.update", ["activity": open, "level": "me"])
        try await core.call(
            as: "ada", "expenses.add",
            [
                "plan": plan, "title": "Gift", "amount": "10", "personal": true, "shares": [["person": "ada"]],
            ])
        try await core.call(as: "ada", "expenses.add", ["plan": plan, "title": "Fuel", "amount": "20"])
        #expect(try await lines(of: "cai") == ["ada added Fuel", "ada added Rome"])
        #expect(
            try await lines(of: "bob") == [
                "ada added Fuel", "bob changed Open", "bob added Open", "bob added Secret", "ada added Rome",
            ])
        try await core.call(as: "ada", "members.allow", ["plan": plan, "person": "dan", "edits": true])
        #expect(try await lines(of: "dan") == ["ada added Rome"])
    }

    @Test func aChangedFieldGetsItsOldValueWhateverCameAfter() async throws {
        let fado = try await add("Fado", ["note": "Blue", "from": "2026-06-01T20:00"])
        try await core.call(
            as: "bob", "activities.update", ["activity": fado, "note": "Red", "from": "2026-06-01T21:00"])
        try await core.call(as: "ada", "activities.update", ["activity": fado, "title": "Fado night"])
        #expect(try await undo(1) == nil)
        let item = try await core.call(as: "ada", "activities.get", ["activity": fado])
        #expect(item["note"] == "Blue")
        #expect(item["from"]?["at"] == "2026-06-01T20:00")
        #expect(item["title"] == "Fado night")
        #expect(try await history()[2]["undone"] == true)
        #expect(try await undo(2)?.code == .conflict)
        // The undo is a change itself, which can be undone.
        #expect(try await undo(0) == nil)
        #expect(try await core.call(as: "ada", "activities.get", ["activity": fado])["note"] == "Red")
    }

    @Test func whatWasMovedGoesBackToItsPlace() async throws {
        var ids: [JSONValue] = []
        for name in ["Forum", "Trastevere", "Ostia"] {
            ids.append(
                try #require(
                    try await core.call(
                        as: "ada", "locations.add",
                        ["plan": plan, "name": .string(name), "lat": 41.9, "lon": 12.5])["id"]))
        }
        func order() async throws -> [String] {
            try await core.call(as: "ada", "locations.list", ["plan": plan])["locations"].elements.compactMap {
                $0["name"].text
            }
        }
        try await core.call(as: "bob", "locations.move", ["location": ids[2], "before": ids[0]])
        #expect(try await order() == ["Ostia", "Forum", "Trastevere"])
        #expect(try await history()[0]["may_undo"] == true)
        #expect(try await undo() == nil)
        #expect(try await order() == ["Forum", "Trastevere", "Ostia"])
        #expect(try await lines().prefix(2) == ["ada moved Ostia", "bob moved Ostia"])
        #expect(try await undo(1)?.code == .conflict)
        // The undo is a change itself.
        #expect(try await undo(0) == nil)
        #expect(try await order() == ["Ostia", "Forum", "Trastevere"])
        // What somebody has moved since stays.
        try await core.call(as: "bob", "locations.move", ["location": ids[2], "after": ids[0]])
        #expect(try await undo(1)?.code == .conflict)
        #expect(try await order() == ["Forum", "Ostia", "Trastevere"])
        // What is gone between is no hindrance.
        try await core.call(as: "bob", "locations.move", ["location": ids[1], "before": ids[0]])
        try await core.call(as: "ada", "locations.remove", ["location": ids[2]])
        #expect(try await undo(1) == nil)
        #expect(try await order() == ["Forum", "Trastevere"])
    }

    @Test func anEntryOfAListThatWasMovedGoesBack() async throws {
        let list = try #require(
            try await core.call(as: "ada", "checklists.add", ["plan": plan, "title": "Packing"])["id"])
        var tasks: [JSONValue] = []
        for title in ["Rope", "Lamp", "Stove"] {
            tasks.append(
                try #require(
                    try await core.call(as: "ada", "tasks.add", ["checklist": list, "title": .string(title)])["id"]))
        }
        func order() async throws -> [JSONValue] {
            let lists = try await core.call(as: "ada", "checklists.list", ["plan": plan])["checklists"].elements
            return try #require(lists.first)["tasks"].elements.compactMap { $0["title"] }
        }
        try await core.call(as: "bob", "tasks.move", ["task": tasks[0], "after": tasks[2]])
        #expect(try await order() == ["Lamp", "Stove", "Rope"])
        #expect(try await undo() == nil)
        #expect(try await order() == ["Rope", "Lamp", "Stove"])
    }

    @Test func aFieldThatChangedSinceIsNotPutBack() async throws {
        let fado = try await add("Fado")
        for note in ["Red", "Green"] {
            try await core.call(as: "bob", "activities.update", ["activity": fado, "note": .string(note)])
        }
        let refused = try #require(try await undo(1))
        #expect(refused.code == .conflict)
        #expect(refused.message.contains("note"))
        #expect(try await core.call(as: "ada", "activities.get", ["activity": fado])["note"] == "Green")
    }

    @Test func additionsAndRemovalsAreUndone() async throws {
        let fado = try await add("Fado")
        #expect(try await undo() == nil)
        #expect(try await core.error(as: "ada", "activities.get", ["activity": fado])?.code == .notFound)
        #expect(try await undo() == nil)
        #expect(try await core.call(as: "ada", "activities.get", ["activity": fado])["title"] == "Fado")
        #expect(try await lines().prefix(3) == ["ada restored Fado", "ada removed Fado", "bob added Fado"])
    }

    @Test func aLocationItsLinksAndAnExpenseComeBackAsTheyWere() async throws {
        let forum = try #require(
            try await core.call(
                as: "ada", "locations.add", ["plan": plan, "name": "Forum", "lat": 41.9, "lon": 12.5])["id"])
        try await core.call(as: "bob", "locations.update", ["location": forum, "lat": 40, "lon": 10, "radius_m": 30])
        #expect(try await undo() == nil)
        let location = try await core.call(as: "ada", "locations.get", ["location": forum])
        #expect(location["lat"].number == 41.9 && location["radius_m"].number == 100)
        let fuel = try #require(
            try await core.call(as: "ada", "expenses.add", ["plan": plan, "title": "Fuel", "amount": "20"])["id"])
        let before = try await core.call(as: "ada", "expenses.balances", ["plan": plan])
        try await core.call(as: "bob", "expenses.update", ["expense": fuel, "amount": "50"])
        #expect(try await core.call(as: "ada", "expenses.balances", ["plan": plan]) != before)
        #expect(try await undo() == nil)
        #expect(try await core.call(as: "ada", "expenses.balances", ["plan": plan]) == before)
        let pizza = try await add("Pizza", ["tab": "food"])
        let evening = try await add("Evening", ["links": [pizza], "people": ["bob"]])
        try await core.call(as: "bob", "activities.update", ["activity": evening, "links": [], "people": []])
        #expect(try await undo() == nil)
        let item = try await core.call(as: "ada", "activities.get", ["activity": evening])
        #expect(item["links"].elements == [pizza] && item["people"] == ["bob"])
    }

    @Test func aPlanComesBackAndIsFoundByItsOldTitle() async throws {
        try await core.call(
            as: "bob", "plans.update", ["plan": plan, "title": "Paris", "postal_codes": ["75001"]])
        #expect(try await undo() == nil)
        let found = try await core.call(as: "ada", "plans.list", ["text": "rome"])
        #expect(found["plans"].elements.count == 1)
        #expect(try await core.call(as: "ada", "plans.get", ["plan": plan])["postal_codes"].elements.isEmpty)
        try await core.call(as: "ada", "plans.update", ["plan": plan, "level": "members"])
        #expect(try await undo()?.code == .conflict)
    }

    @Test func whoMayNotChangeThePlanUndoesNothing() async throws {
        _ = try await add("Fado")
        #expect(try await undo(as: "cai")?.code == .notAllowed)
        #expect(try await history(of: "cai").allSatisfy { $0["may_undo"] == nil })
    }

    @Test(.slow) func theHistoryIsBounded() async throws {
        let fado = try await add("Fado")
        let text = String(repeating: "x", count: 9000)
        for turn in 0..<300 {
            core.clock.time = moment(Double(turn) * 86_400)
            try await core.call(
                as: "bob", "activities.update", ["activity": fado, "note": .string("\(turn)\(text)")])
        }
        let (count, bytes) = try await core.store.read { db in
            (
                try Int.fetchOne(db, sql: "SELECT count(*) FROM plan_change") ?? 0,
                try Int.fetchOne(db, sql: "SELECT sum(size) FROM plan_change") ?? 0
            )
        }
        #expect(count < 300)
        #expect((1...PlanHistory.maximumBytes).contains(bytes))
        for turn in 0..<(PlanHistory.maximumPerPlan + 20) {
            core.clock.time = moment(Double(turn + 300) * 86_400)
            try await core.call(as: "bob", "activities.update", ["activity": fado, "note": .string("\(turn)")])
        }
        let pages = try await core.store.read { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM plan_change")
        }
        #expect(pages == PlanHistory.maximumPerPlan)
    }

    @Test func onlyThoseWhoSeeAPlanReceiveItsEvents() async throws {
        let id = try #require(String(json: plan))
        let start = core.liveState.told.count
        _ = try await add("Fado")
        _ = try await add("Secret", ["level": "me"])
        try await core.call(as: "ada", "expenses.add", ["plan": plan, "title": "Fuel", "amount": "20"])
        let told = core.liveState.told.dropFirst(start).filter { $0.type == "subject.changed" }
        #expect(told.map { $0.subject ?? "-" } == ["plan/\(id)", "-", "-", "-", "-"])
        #expect(told.map { $0.recipient ?? "-" } == ["-", "bob", "ada", "bob", "cai"])
        #expect(told.allSatisfy { !String(decoding: $0.line, as: UTF8.self).contains("Fado") })
    }
}
