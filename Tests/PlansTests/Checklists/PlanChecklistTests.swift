import FeatureSupport
import GRDB
import RPC
import Testing
import Time

@testable import Daemon
@testable import Plans
@testable import Service
@testable import Store

/// The lists of a plan: who sees and changes them, and what happens to them with the plan.
@Suite struct PlanChecklistTests {
    private let core: CoreFixture

    init() throws {
        core = try CoreFixture()
        try core.people("ada", "bob", "cai", "dan")
        try core.befriendEverybody()
    }

    /// Makes a plan of ada that bob edits and in which cai reads; dan is a friend.
    private func rome() async throws -> JSONValue {
        let plan = try #require(
            try await core.call(
                as: "ada", "plans.create", ["title": "Rome", "start": "2026-06-01", "end": "2026-06-03"])["id"])
        for (person, edits) in [("bob", true), ("cai", false)] {
            try await core.call(
                as: "ada", "members.ask", ["plan": plan, "person": .string(person), "edits": .bool(edits)])
            try await core.call(as: person, "members.confirm", ["plan": plan])
        }
        return plan
    }

    private func list(_ plan: JSONValue, _ title: String, level: String = "everyone") async throws -> JSONValue {
        try #require(
            try await core.call(
                as: "ada", "checklists.add", ["plan": plan, "title": .string(title), "level": .string(level)])["id"])
    }

    private func task(
        _ checklist: JSONValue, _ title: String, as person: String = "ada", _ more: JSONObject = [:]
    ) async throws -> JSONValue {
        var fields = more
        fields["checklist"] = checklist
        fields["title"] = .string(title)
        return try #require(try await core.call(as: person, "tasks.add", fields)["id"])
    }

    /// Returns the lists that a person sees, each with its entries: `+` before those that are done.
    private func seen(_ plan: JSONValue, as person: String) async throws -> [String: [String]] {
        let lists = try await core.call(as: person, "checklists.list", ["plan": plan])["checklists"].elements
        return Dictionary(
            uniqueKeysWithValues: lists.map { list in
                (
                    list["title"].text ?? "",
                    list["tasks"].elements.map { ($0["done"] == true ? "+" : "") + ($0["title"].text ?? "") }
                )
            })
    }

    @Test func everybodyWhoEditsTicksAndOrdersAndEverybodyWhoSeesThePlanSees() async throws {
        let plan = try await rome()
        let pack = try await list(plan, "To pack")
        let tent = try await task(pack, "Tent")
        let stove = try await task(pack, " Stove ", as: "bob")
        let rope = try await task(pack, "Rope")
        _ = try await core.call(as: "bob", "tasks.update", ["task": tent, "done": true])
        _ = try await core.call(as: "bob", "tasks.move", ["task": rope, "before": tent])
        for person in ["ada", "bob", "cai", "dan"] {
            #expect(try await seen(plan, as: person) == ["To pack": ["Rope", "+Tent", "Stove"]], "\(person)")
        }
        for person in ["cai", "dan"] {
            for (method, parameters) in [
                ("tasks.update", ["task": tent, "done": false]), ("tasks.remove", ["task": tent]),
                ("tasks.move", ["task": tent, "after": stove]), ("tasks.add", ["checklist": pack, "title": "Pan"]),
                ("checklists.remove", ["checklist": pack]),
            ] as [(String, JSONObject)] {
                #expect(try await core.error(as: person, method, parameters)?.code == .notAllowed, "\(method)")
            }
        }
        let other = try await list(plan, "To do")
        let call = try await task(other, "Call the hotel")
        #expect(
            try await core.error(as: "ada", "tasks.move", ["task": tent, "after": call])?.code == .invalidValue)
    }

    @Test func aListOfALevelIsSeenByNobodyElse() async throws {
        let plan = try await rome()
        let mine = try await list(plan, "Mine", level: "me")
        let ours = try await list(plan, "Ours", level: "members")
        let gift = try await task(mine, "A gift for Bob")
        let tickets = try await task(ours, "Tickets", ["person": "bob"])
        #expect(try await seen(plan, as: "ada").count == 2)
        #expect(try await seen(plan, as: "bob") == ["Ours": ["Tickets"]])
        #expect(try await seen(plan, as: "dan") == [:])
        for (method, parameters) in [
            ("tasks.update", ["task": gift, "done": true]), ("tasks.remove", ["task": gift]),
            ("checklists.update", ["checklist": mine, "title": "Seen"]),
            ("tasks.move", ["task": tickets, "after": gift]),
        ] as [(String, JSONObject)] {
            #expect(try await core.error(as: "bob", method, parameters)?.code == .notFound, "\(method)")
        }
        #expect(
            try await core.error(as: "ada", "tasks.update", ["task": gift, "person": "bob"])?.code == .invalidValue)
        func history(_ person: String) async throws -> [String?] {
            try await core.call(as: person, "plans.history", ["plan": plan])["changes"].elements.map {
                $0["title"].text
            }
        }
        #expect(!(try await history("bob")).contains("A gift for Bob"))
        // A list that becomes private takes the history of its entries along, and those that are in the bin.
        _ = try await task(ours, "Passports")
        let paint = try await task(ours, "Paint")
        _ = try await core.call(as: "ada", "tasks.remove", ["task": paint])
        _ = try await core.call(as: "ada", "checklists.update", ["checklist": ours, "level": "me"])
        let left = try await history("bob")
        for title in ["Tickets", "Passports", "Paint", "Ours"] { #expect(!left.contains(title), "\(title)") }
        #expect(try await seen(plan, as: "bob") == [:])
        let paintID = try #require(String(json: paint))
        #expect(try await core.error(as: "bob", "plans.restore", ["removed": .string("task/\(paintID)")]) != nil)
        _ = try await core.call(as: "ada", "plans.restore", ["removed": .string("task/\(paintID)")])
        #expect(try await seen(plan, as: "bob") == [:])
    }

    @Test func whoIsGivenAnEntryIsNotifiedOnceAndOnlyMembersSeeWho() async throws {
        let plan = try await rome()
        let pack = try await list(plan, "To pack")
        for title in ["Tent", "Stove"] { _ = try await task(pack, title, ["person": "bob"]) }
        func notes(_ person: String) async throws -> [JSONValue] {
            try await core.call(as: person, "notifications.list")["notifications"].elements
                .filter { $0["kind"] == "task" }
        }
        #expect(try await notes("bob").count == 1)
        #expect(try await notes("cai").isEmpty)
        func person(_ reader: String) async throws -> JSONValue? {
            try await core.call(as: reader, "checklists.list", ["plan": plan])["checklists"].elements.first?["tasks"]
                .elements.first?["person"]
        }
        #expect(try await person("cai") == "bob")
        #expect(try await person("dan") == nil)
        for wrong in ["dan", "nobody"] {
            #expect(
                try await core.error(
                    as: "ada", "tasks.add", ["checklist": pack, "title": "Pan", "person": .string(wrong)])?.code
                    == .invalidValue)
        }
        // Whoever leaves has nothing to do any more.
        _ = try await core.call(as: "bob", "members.remove", ["plan": plan, "person": "bob"])
        #expect(try await person("cai") == nil)
    }

    @Test func whatIsRemovedComesBackAndAChangeIsUndone() async throws {
        let plan = try await rome()
        let pack = try await list(plan, "To pack")
        let tent = try await task(pack, "Tent", ["day": "2026-05-31", "person": "bob"])
        _ = try await task(pack, "Stove", ["done": true])
        let before = try await core.call(as: "ada", "checklists.list", ["plan": plan])
        func removed(_ kind: String, _ id: JSONValue) throws -> JSONValue {
            .string("\(kind)/\(try #require(String(json: id)))")
        }
        // An entry comes back only to its list.
        _ = try await core.call(as: "bob", "tasks.remove", ["task": tent])
        _ = try await core.call(as: "ada", "checklists.remove", ["checklist": pack])
        #expect(try await seen(plan, as: "ada") == [:])
        #expect(
            try await core.error(as: "bob", "plans.restore", ["removed": removed("task", tent)])?.code == .conflict)
        _ = try await core.call(as: "ada", "plans.restore", ["removed": removed("checklist", pack)])
        _ = try await core.call(as: "bob", "plans.restore", ["removed": removed("task", tent)])
        #expect(try await core.call(as: "ada", "checklists.list", ["plan": plan]) == before)
        // And all of it with the plan.
        _ = try await core.call(as: "ada", "plans.remove", ["plan": plan])
        _ = try await core.call(as: "ada", "plans.restore", ["removed": removed("plan", plan)])
        #expect(try await core.call(as: "ada", "checklists.list", ["plan": plan]) == before)
        // A tick is undone in the history.
        _ = try await core.call(as: "bob", "tasks.update", ["task": tent, "done": true])
        let change = try #require(
            try await core.call(as: "ada", "plans.history", ["plan": plan, "limit": 1])["changes"].elements.first)
        #expect(change["deed"] == "changed" && change["fields"] == ["done"])
        _ = try await core.call(
            as: "ada", "plans.undo", ["plan": plan, "change": try #require(change["change"])])
        #expect(try await seen(plan, as: "ada") == ["To pack": ["Tent", "+Stove"]])
    }

    @Test func aCopyAndOtherDaysTakeTheListsAlong() async throws {
        let plan = try await rome()
        let pack = try await list(plan, "To pack")
        _ = try await task(pack, "Tent", ["day": "2026-05-31", "done": true, "person": "bob"])
        _ = try await task(pack, "Stove")
        let copy = try #require(
            try await core.call(as: "ada", "plans.copy", ["plan": plan, "start": "2027-06-01"])["id"])
        #expect(try await seen(copy, as: "ada") == ["To pack": ["Tent", "Stove"]])
        func first(_ plan: JSONValue) async throws -> JSONValue? {
            try await core.call(as: "ada", "checklists.list", ["plan": plan])["checklists"].elements.first?["tasks"]
                .elements.first
        }
        #expect(try await first(copy)?["day"] == "2027-05-31")
        #expect(try await first(copy)?["person"] == nil)
        _ = try await core.call(as: "ada", "plans.shift", ["plan": plan, "days": -1])
        #expect(try await first(plan)?["day"] == "2026-05-30")
        let calendar = try #require(
            try await core.call(as: "ada", "plans.calendar", ["plan": plan])["calendar"].text)
        #expect(calendar.contains("DUE;VALUE=DATE:20260530\r\nSUMMARY:Tent\r\nSTATUS:COMPLETED\r\n"))
        #expect(!calendar.contains("Stove"))
    }

    @Test func theBinAndTheHistoryOfAnOlderStoreStay() throws {
        let schema = StoreSchema(adding: FeatureList.standard.migrations)
        let store = try DatabaseQueue()
        let place = try #require(schema.migrations.firstIndex { $0.name == "plans.checklists.1" })
        try schema.migrator.migrate(store, upTo: schema.migrations[place - 1].name)
        try store.write { db in
            try db.execute(
                sql: """
                    INSERT INTO person (id, first_name, last_name, email, joined, proven)
                        VALUES ('ada', 'Ada', 'Test', 'ada@example.org', 1, 1);
                    INSERT INTO plan (id, owner, created, changed, title, folded, zone, currency, level, level_before)
                        VALUES ('rome', 1, 1, 1, 'Rome', 'rome', 'UTC', 'EUR', 1, 1);
                    INSERT INTO subject (id) VALUES ('activity/pizza');
                    INSERT INTO plan_bin VALUES
                        (7, 1, 'activity', 'activity/pizza', 1, 5, 'Pizza', 0, '{}', '["activity/pizza"]');
                    INSERT INTO plan_change VALUES
                        (9, 1, 2, 5, 1, 1, 3, 0, 'activity', 'activity/day', 'added', 'Day', '', 0, '{}');
                    """)
        }
        func rows() throws -> [String] {
            try store.read { db in
                try ["plan_bin", "plan_change"].flatMap {
                    try Row.fetchAll(db, sql: "SELECT * FROM \($0)").map { "\($0)" }
                }
            }
        }
        let before = try rows()
        try schema.migrator.migrate(store)
        #expect(try rows() == before)
        try store.write { db in
            try db.execute(
                sql: """
                    INSERT INTO plan_bin (plan, kind, subject, person, time, title, hidden, content, subjects)
                        VALUES (1, 'task', 'task/tent', 1, 6, 'Tent', 0, '{}', '[]');
                    DELETE FROM plan_bin WHERE number = 7;
                    """)
        }
        let left = try store.read { db in
            (
                try Int64.fetchAll(db, sql: "SELECT number FROM plan_bin"),
                try Int.fetchOne(db, sql: "SELECT count(*) FROM subject")
            )
        }
        #expect(left.0 == [8])
        #expect(left.1 == 0)
    }

    @Test func listsAndEntriesHaveLimits() async throws {
        let plan = try await rome()
        let pack = try await list(plan, "To pack")
        try await core.store.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
                    INSERT INTO task (id, plan, checklist, created, position, title)
                    SELECT 'task' || i, checklist.plan, checklist.number, 0, i, 'Peg ' || i FROM n, checklist
                    """, arguments: [ChecklistTask.maximumPerPlan])
        }
        #expect(
            try await core.error(as: "ada", "tasks.add", ["checklist": pack, "title": "Pan"])?.code == .unavailable)
        for number in 1..<Checklist.maximumPerPlan { _ = try await list(plan, "List \(number)") }
        #expect(
            try await core.error(as: "ada", "checklists.add", ["plan": plan, "title": "Pan"])?.code == .unavailable)
        #expect(try await seen(plan, as: "dan")["To pack"]?.count == ChecklistTask.maximumPerPlan)
    }
}
