import Callers
import FeatureSupport
import GRDB
import Positioning
import RPC
import Store
import TestSupport
import Testing
import Tracking

@testable import Plans
@testable import Service

/// Calls about plans name the bad field, and a refused call changes nothing.
@Suite(.slow) struct PlanBadInputTests {
    /// Values of each JSON type, some of them too large.
    private static let values: [JSONValue] = [
        true, 1.5, -1, 1_000_000_000_000_000, "", .string(String(repeating: "x", count: 20_000)), "a\u{0}b", [], [:],
        [1],
        ["a": 1], .array(Array(repeating: "x", count: 600)),
    ]

    private static let kinds = [
        "plans.", "locations.", "activities.", "members.", "expenses.", "repayments.", "links.",
    ]

    /// Returns all rows of all tables of plans.
    private func contents(_ core: CoreFixture) throws -> [String] {
        try core.store.read { db in
            let tables = try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM sqlite_schema WHERE type = 'table' AND (name GLOB 'plan*' OR name GLOB 'activity*'
                        OR name GLOB 'expense*' OR name IN ('location', 'location_due', 'repayment')) ORDER BY name
                    """)
            return try tables.flatMap { table in
                try Row.fetchAll(db, sql: "SELECT * FROM \(table)").map { "\(table) \($0)" }
            }
        }
    }

    @Test func eachFieldOfAWrongTypeIsNamedAndNothingChanges() async throws {
        var refused = 0
        var walked: Set<String> = []
        for example in MethodCase.plans where example.outcome == .answer && walked.insert(example.method).inserted {
            let core = try await MethodCase.world()
            var good = example.parameters
            let more = try await example.preparation(core)
            for name in more.names { good[name] = more[name] }
            let method = try #require(core.table.methods.first { $0.name == example.method })
            let before = try contents(core)
            for field in method.parameters {
                for value in Self.values where field.schema.fault(in: value) != nil {
                    var parameters = good
                    parameters[field.name] = value
                    let error = try await core.error(method.name, parameters, from: example.caller.connection)
                    #expect(error?.code == .invalidValue, "\(method.name) \(field.name)")
                    let named = error?.data?["field"].text ?? ""
                    #expect(named.hasPrefix(field.name), "\(method.name) \(field.name): \(named)")
                    refused += 1
                }
            }
            #expect(try contents(core) == before, "\(method.name)")
        }
        #expect(walked.count >= 45 && refused > 1000)
    }

    @Test func idsOfInvisiblePlansAreAnsweredLikeUnknownIds() async throws {
        let core = try CoreFixture()
        try core.people("ada", "eve")
        func make(_ person: String) async throws -> [String: JSONValue] {
            let plan = try #require(
                try await core.call(as: person, "plans.create", ["title": "A", "level": "me"])["id"])
            func id(_ method: String, _ more: JSONObject) async throws -> JSONValue {
                var parameters = more
                parameters["plan"] = plan
                return try #require(try await core.call(as: person, method, parameters)["id"])
            }
            return [
                "plan": plan, "location": try await id("locations.add", ["name": "A"]),
                "activity": try await id("activities.add", ["title": "A", "tab": "food"]),
                "expense": try await id("expenses.add", ["title": "A", "amount": "1"]),
            ]
        }
        let (own, foreign) = (try await make("ada"), try await make("eve"))
        let before = try contents(core)
        for method in core.table.methods where Self.kinds.contains(where: { method.name.hasPrefix($0) }) {
            guard let name = method.parameters.first(where: { own[$0.name] != nil })?.name else { continue }
            var parameters: JSONObject = [:]
            for (field, value) in [
                ("person", "ada"), ("title", "B"), ("name", "B"), ("amount", "1"), ("published", true), ("edits", true),
                ("from", "ada"), ("to", "eve"), ("number", "1"), ("trip", "van"), ("after", "none"), ("days", 1),
                ("change", "1"), ("day", "2026-05-01"), ("other", "2026-05-02"),
                ("locations", [["name": "B", "lat": 52, "lon": 5]]),
            ] as [(String, JSONValue)]
            where method.parameters.contains(where: {
                $0.name == field && ($0.isRequired || field == "after" && method.name == "locations.move")
            }) {
                parameters[field] = value
            }
            var errors: [RPCError?] = []
            for id in [foreign[name] ?? JSONValue.null, "aaaaaaaaaaaa"] as [JSONValue] {
                parameters[name] = id
                errors.append(try await core.error(as: "ada", method.name, parameters))
            }
            #expect(errors[0]?.code == .notFound, "\(method.name)")
            let other = errors[0]?.message.replacing(foreign[name].text ?? "", with: "aaaaaaaaaaaa")
            #expect(other == errors[1]?.message, "\(method.name)")
        }
        // Ids of another person's objects where an object of the caller's plan is expected.
        for (method, parameters) in [
            ("activities.add", ["plan": own["plan"], "title": "B", "links": .array([foreign["activity"] ?? .null])]),
            ("locations.move", ["location": own["location"], "before": foreign["location"]]),
            ("expenses.add", ["plan": own["plan"], "title": "B", "amount": "1", "activity": foreign["activity"]]),
            ("links.create", ["plan": own["plan"], "location": foreign["location"]]),
        ] as [(String, [String: JSONValue?])] {
            var object: JSONObject = [:]
            for (name, value) in parameters { object[name] = value ?? .null }
            let error = try await core.error(as: "ada", method, object)
            #expect(error?.code == .notFound || error?.code == .invalidValue, "\(method)")
        }
        #expect(try contents(core) == before)
    }

    @Test func reversedAndImpossibleDatesAreRefused() async throws {
        let core = try CoreFixture()
        try core.people("ada")
        let plan = try #require(try await core.call(as: "ada", "plans.create", ["title": "A"])["id"])
        let before = try contents(core)
        for (start, end, field) in [
            ("2026-06-02", "2026-06-01", "end"), ("2026-06-01T10:00", "2026-06-01T09:59", "end"),
            ("2026-02-30", "2026-03-01", "start"), ("2026-06-01", "2026-06-31", "end"), ("2026-06-01", "", "end"),
            ("2026-06-01T24:00", "2026-06-02", "start"), ("2026-06-01T10:00+03:00", "2026-06-02", "start"),
            ("tomorrow", "2026-06-02", "start"),
        ] {
            let span: JSONObject = ["plan": plan, "start": .string(start), "end": .string(end)]
            let error = try await core.error(as: "ada", "plans.update", span)
            #expect(error?.code == .invalidValue && error?.data?["field"].text == field, "\(start) \(end)")
        }
        for method in ["locations.add", "activities.add"] {
            for (from, to, field) in [
                ("2026-06-02T10:00", "2026-06-02T09:00", "to"), ("2026-13-01", "2026-12-01", "from"),
                ("2026-06-02", "2026-06-01", "to"),
            ] {
                let span: JSONObject = [
                    "plan": plan, "name": "A", "title": "A", "from": .string(from), "to": .string(to),
                ]
                var given = span
                given[method == "locations.add" ? "title" : "name"] = nil
                let error = try await core.error(as: "ada", method, given)
                #expect(error?.code == .invalidValue && error?.data?["field"].text == field, "\(method) \(from) \(to)")
            }
        }
        #expect(try contents(core) == before)
    }

    @Test func linksBetweenActivitiesCannotFormCycles() async throws {
        let core = try CoreFixture()
        try core.people("ada")
        let plan = try #require(try await core.call(as: "ada", "plans.create", ["title": "A"])["id"])
        func add(_ tab: String) async throws -> JSONValue {
            let item: JSONObject = ["plan": plan, "title": .string(tab), "tab": .string(tab)]
            return try #require(try await core.call(as: "ada", "activities.add", item)["id"])
        }
        let (day, other, food) = (try await add("itinerary"), try await add("itinerary"), try await add("food"))
        try await core.call(as: "ada", "activities.update", ["activity": day, "links": [food]])
        for (item, target) in [(day, day), (day, other), (food, day), (food, food)] {
            let links: JSONObject = ["activity": item, "links": [target]]
            let error = try await core.error(as: "ada", "activities.update", links)
            #expect(error?.code == .invalidValue && error?.data?["field"].text == "links")
        }
        #expect(try await core.call(as: "ada", "activities.get", ["activity": day])["links"] == [food])
    }

    @Test func aPlanOfARemovedOwnerPassesToAnEditorOrTraveller() async throws {
        let core = try CoreFixture()
        try core.people("ada", "bob", "cai")
        try await core.store.write { db in
            for other in 2...3 {
                try db.execute(sql: "INSERT INTO friend VALUES (1, ?, 0), (?, 1, 0)", arguments: [other, other])
            }
            try db.execute(sql: "INSERT INTO carried VALUES ('van', 1), ('van', 2)")
        }
        var plans: [String: JSONValue] = [:]
        for (title, members) in [
            ("alone", []), ("readers", [("bob", false, false)]),
            ("travelled", [("cai", false, false), ("bob", false, true)]),
            ("edited", [("bob", false, true), ("cai", true, false)]),
        ] as [(String, [(String, Bool, Bool)])] {
            let plan = try #require(try await core.call(as: "ada", "plans.create", ["title": .string(title)])["id"])
            for (person, edits, travels) in members {
                try await core.call(
                    as: "ada", "members.ask",
                    ["plan": plan, "person": .string(person), "edits": .bool(edits), "travels": .bool(travels)])
                try await core.call(as: person, "members.confirm", ["plan": plan])
            }
            try await core.call(
                as: "ada", "locations.add", ["plan": plan, "name": .string(title), "lat": 52, "lon": 5])
            if title == "edited" {
                try await core.call(as: "ada", "expenses.add", ["plan": plan, "title": "Fuel", "amount": "10"])
                // Bob owes money, so he cannot leave before he has paid.
                let leaving: JSONObject = ["plan": plan, "person": "bob"]
                #expect(try await core.error(as: "bob", "members.remove", leaving)?.code == .conflict)
            }
            plans[title] = plan
        }
        #expect(core.liveState.index.count == 4)
        try await core.context.editor.change { db, _ in
            try db.execute(sql: "DELETE FROM person WHERE id = 'ada'")
        }
        // The locations of the removed plans are unwatched at once.
        #expect(Set(core.liveState.index.all.map(\.geofence.title)) == ["travelled", "edited"])
        for (title, owner) in [("alone", nil), ("readers", nil), ("travelled", "bob"), ("edited", "cai")] {
            for person in ["bob", "cai"] {
                let asked: JSONObject = ["plan": plans[title] ?? .null]
                guard let owner else {
                    #expect(try await core.error(as: person, "plans.get", asked)?.code == .notFound, "\(title)")
                    continue
                }
                #expect(try await core.call(as: person, "plans.get", asked)["owner"]?["id"].text == owner, "\(title)")
            }
        }
        let left = try await core.call(as: "cai", "expenses.balances", ["plan": plans["edited"] ?? .null])
        #expect(left["balances"].elements.compactMap { $0["balance"].text } == ["5.00", "-5.00"])
    }
}
