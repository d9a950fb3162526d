import FeatureSupport
import GRDB
import RPC
import Store
import Testing
import Time

@testable import Plans
@testable import Service

/// OU-6: families with their own entries in one plan, a member who only shares the costs, and an expiring link to the
/// map without money.
///
/// Each of them sees that and no more.
@Suite struct PlanSharingTests {
    private let core: CoreFixture

    init() throws {
        core = try CoreFixture()
        try core.people("ada", "bob", "cai", "dan", "fay")
        // Everybody is a friend of ada.
        try core.store.write { db in
            for other in 2...5 {
                try db.execute(sql: "INSERT INTO friend VALUES (1, ?, 0), (?, 1, 0)", arguments: [other, other])
            }
        }
    }

    private func names(_ person: String?, _ method: String, _ list: String, _ plan: JSONValue) async throws -> [String]
    {
        let connection = CoreFixture.connection(as: person)
        let answer = try await core.call(method, ["plan": plan], from: connection)
        return answer[list].elements.compactMap { $0["name"].text ?? $0["title"].text }
    }

    /// Returns the statements that `body` runs.
    private static func statements(in db: Database, _ body: () throws -> Void) throws -> [String] {
        var statements: [String] = []
        db.trace { statements.append("\($0)") }
        defer { db.trace(options: []) }
        try body()
        return statements
    }

    @Test func whatALinkShowsIsReadWithFewQueries() async throws {
        func plan(_ title: JSONValue) async throws -> (plan: String, subjects: [SubjectID]) {
            let id = try #require(try await core.call(as: "ada", "plans.create", ["title": title])["id"].text)
            var subjects = [SubjectID(kind: Plan.kind, id: id), SubjectID(kind: "sight", id: id)]
            for (number, level) in ["everyone", "everyone", "everyone", "members", "me"].enumerated() {
                for (method, kind, name) in [
                    ("locations.add", Location.kind, "name"), ("activities.add", Activity.kind, "title"),
                ] {
                    let item = try await core.call(
                        as: "ada", method,
                        ["plan": .string(id), name: .string("\(number)"), "level": .string(level)])
                    subjects.append(SubjectID(kind: kind, id: try #require(item["id"].text)))
                }
            }
            return (id, subjects)
        }
        let (lake, other) = (try await plan("Lake"), try await plan("Hills"))
        let member = try #require(lake.subjects.filter { $0.kind == Location.kind }.dropFirst(3).first)
        var secrets = ["made-up"]
        for location in [nil, JSONValue.string(member.id)] {
            var parameters: JSONObject = ["plan": .string(lake.plan), "confirm": true]
            parameters["location"] = location
            let link = try await core.call(as: "ada", "links.create", parameters)
            secrets.append(try #require(link["link"].text))
        }
        let now = core.clock.time
        try await core.store.read { [secrets] db in
            for (secret, count) in zip(secrets, [0, 7, 1]) {
                let shown = (try? PlanLink.look(secret, at: now, in: db))?.subjects ?? []
                #expect(shown.count == count)
                for subject in lake.subjects + other.subjects {
                    let statements = try Self.statements(in: db) {
                        let shows = try PlanLink.shows(subject, by: secret, at: now, in: db)
                        #expect(shows == shown.contains(subject), "\(subject)")
                    }
                    #expect(statements.count <= 1)
                }
            }
            var content = try PlanLink.look(secrets[1], at: now, in: db)
            let all = try Self.statements(in: db) { _ = try LinkContent(content, in: db) }
            content.locations = Array(content.locations.prefix(1))
            #expect(try Self.statements(in: db) { _ = try LinkContent(content, in: db) }.count == all.count)
        }
    }

    @Test func eachMemberSeesTheirOwnAndSharedEntries() async throws {
        let plan = try #require(
            try await core.call(
                as: "ada", "plans.create",
                ["title": "Lake", "level": "members", "start": "2026-06-01", "end": "2026-06-05"]
            )["id"])
        for (person, edits, travels) in [("bob", true, true), ("cai", true, true), ("dan", false, true)] {
            try await core.call(
                as: "ada", "members.ask",
                ["plan": plan, "person": .string(person), "edits": .bool(edits), "travels": .bool(travels)])
            try await core.call(as: person, "members.confirm", ["plan": plan])
        }
        // Each family has entries of its own; the lake is visible to everybody.
        for (person, name, level) in [
            ("ada", "Lake", "everyone"), ("ada", "Jetty", "members"), ("ada", "Ada's hut", "me"),
            ("bob", "Bob's tent", "me"), ("cai", "Cai's boat", "me"),
        ] {
            try await core.call(
                as: person, "locations.add",
                ["plan": plan, "name": .string(name), "lat": 52, "lon": 5, "level": .string(level)])
            try await core.call(
                as: person, "activities.add",
                [
                    "plan": plan, "title": .string(name), "level": .string(level), "contact": "+31 6 1",
                    "booking_code": "SECRET", "from": "2026-06-02T10:00",
                ])
        }
        for (person, own) in [("ada", ["Ada's hut"]), ("bob", ["Bob's tent"]), ("cai", ["Cai's boat"]), ("dan", [])] {
            let expected = ["Lake", "Jetty"] + own
            #expect(try await names(person, "locations.list", "locations", plan) == expected, "\(person)")
            #expect(try await names(person, "activities.list", "activities", plan) == expected, "\(person)")
        }
        for person in ["fay", nil] {
            let error = try await core.error("plans.get", ["plan": plan], from: CoreFixture.connection(as: person))
            #expect(error?.code == .notFound)
        }

        // Dan shares the costs and reads the accounts, and enters only what he has paid himself.
        try await core.call(
            as: "ada", "expenses.add",
            ["plan": plan, "title": "Hire", "amount": "90.00", "payers": [["person": "dan", "amount": "90.00"]]])
        let balances = try await core.call(as: "dan", "expenses.balances", ["plan": plan])["balances"].elements
        #expect(balances.compactMap { $0["balance"].text } == ["-22.50", "-22.50", "-22.50", "67.50"])
        #expect(try await core.error(as: "dan", "locations.add", ["plan": plan, "name": "Dan's"])?.code == .notAllowed)
        let more: JSONObject = ["plan": plan, "title": "A", "amount": "1"]
        var others = more
        others["payers"] = [["person": "ada", "amount": "1"]]
        #expect(try await core.error(as: "dan", "expenses.add", others)?.code == .notAllowed)
        let own = try await core.call(as: "dan", "expenses.add", more)
        try await core.call(as: "dan", "expenses.remove", ["expense": own["id"] ?? .null])

        // Whatever the plan's level, anybody with the link sees the map and nothing else.
        let link = try #require(try await core.call(as: "ada", "links.create", ["plan": plan, "days": 2])["link"])
        func opened() async throws -> JSONValue {
            try await core.call("links.open", ["link": link], from: CoreFixture.connection())
        }
        let shown = try await opened()
        #expect(shown["locations"].elements.compactMap { $0["name"].text } == ["Lake"])
        #expect(shown["locations"].elements.first?["lat"] == 52)
        let text = String(decoding: JSONText(shown).bytes, as: UTF8.self)
        // None of these can be part of an id, which is of small letters and digits.
        for secret in [
            "+31 6 1", "SECRET", "90.00", "Hire", "Jetty", "Ada's", "Bob's", "Cai's", "example.org", "\"people\"",
        ] {
            #expect(!text.contains(secret), "\(secret)")
        }
        core.clock.time = core.clock.time.advanced(byMilliseconds: 2 * Timestamp.millisecondsPerDay - 1)
        _ = try await opened()
        core.clock.time = core.clock.time.advanced(byMilliseconds: 1)
        let error = try await core.error("links.open", ["link": link], from: CoreFixture.connection())
        #expect(error?.code == .notFound)
    }
}
