import FeatureSupport
import GRDB
import RPC
import Store
import Testing

@testable import Plans

/// The recipe for a field: whatever is declared is written, read, checked, hidden, listed in the history and copied.
///
/// A new case needs no line here, and a missing column fails.
@Suite struct WrittenFieldTests {
    private let core: CoreFixture

    init() throws {
        core = try CoreFixture()
        try core.people("ada", "bob", "cai")
        try core.befriendEverybody()
    }

    /// What somebody writes in a field, what replaces it later, and what a reader sees then.
    private func values(_ declared: WrittenField) -> (first: JSONValue, later: JSONValue, seen: JSONValue?) {
        switch declared.form {
        case .line, .prose: (.string("A \(declared.name)"), "", nil)
        case .link: (.string("https://example.org/\(declared.name)"), "", nil)
        case .integer(let range):
            (.integer(Int64(range.upperBound)), .integer(Int64(range.lowerBound)), .integer(Int64(range.lowerBound)))
        case .flag: (true, false, false)
        }
    }

    @Test(arguments: Activity.Field.allCases)
    func ofAnActivity(_ field: Activity.Field) async throws {
        let plan = try #require(try await core.call(as: "ada", "plans.create", ["title": "Rome"])["id"])
        let tab = field.declared.tab ?? .lodging
        try await follow(
            field.declared, plan: plan, add: "activities.add",
            ["plan": plan, "title": "Villa", "tab": .string(tab.rawValue)],
            update: "activities.update", get: "activities.get", "activity", list: "activities.list", "activities",
            ["tab": .string(tab.rawValue)])
        // Another tab does not have it.
        guard field.declared.tab != nil else { return }
        let refusal = try await core.error(
            as: "ada", "activities.add",
            ["plan": plan, "title": "Villa", .init(field.declared.name): values(field.declared).first])
        #expect(refusal?.code == .invalidValue)
    }

    @Test(arguments: Location.Field.allCases)
    func ofALocation(_ field: Location.Field) async throws {
        let plan = try #require(try await core.call(as: "ada", "plans.create", ["title": "Rome"])["id"])
        try await follow(
            field.declared, plan: plan, add: "locations.add", ["plan": plan, "name": "Forum"],
            update: "locations.update", get: "locations.get", "location", list: "locations.list", "locations", [:])
    }

    @Test(arguments: Plan.Field.allCases)
    func ofAPlan(_ field: Plan.Field) async throws {
        let declared = field.declared
        let (value, later, seen) = values(declared)
        let plan = try await core.call(as: "ada", "plans.create", ["title": "Rome", declared.name: value])
        #expect(plan[declared.name] == value)
        let id = try #require(plan["id"])
        let copy = try await core.call(as: "ada", "plans.copy", ["plan": id])
        #expect(copy[declared.name] == (declared.isCopied ? value : JSONValue?.none))
        let changed = try await core.call(as: "ada", "plans.update", ["plan": id, declared.name: later])
        #expect(changed[declared.name] == seen)
        let change = try #require(
            try await core.call(as: "ada", "plans.history", ["plan": id])["changes"].elements.first)
        #expect(change["fields"] == [.string(declared.name)])
    }

    private func follow(
        _ declared: WrittenField, plan: JSONValue, add: String, _ parameters: JSONObject, update: String, get: String,
        _ kind: String, list: String, _ items: String, _ choice: JSONObject
    ) async throws {
        let name = declared.name
        let (value, later, seen) = values(declared)
        var given = parameters
        given[name] = value
        let added = try await core.call(as: "ada", add, given)
        #expect(added[name] == value)
        let id = try #require(added["id"])
        #expect(try await core.call(as: "bob", get, [kind: id])[name] == (declared.isPrivate ? JSONValue?.none : value))

        var asked = choice
        asked["plan"] = plan
        #expect(try await core.call(as: "ada", list, asked)[items].elements.map { $0[name] } == [value])
        let copy = try #require(try await core.call(as: "ada", "plans.copy", ["plan": plan])["id"])
        asked["plan"] = copy
        let copied = try await core.call(as: "ada", list, asked)[items].elements
        let unwritten: JSONValue? = declared.form == .flag ? false : nil
        #expect(copied.map { $0[name] } == [declared.isCopied ? value : unwritten])

        #expect(try await core.call(as: "ada", update, [kind: id, name: later])[name] == seen)
        let changes = try await core.call(as: "ada", "plans.history", ["plan": plan])["changes"].elements
        #expect(changes.first?["fields"] == [.string(name)])
        // A friend who is no member sees no history, so not even that a field for members was changed.
        let shown = try await core.error(as: "bob", "plans.history", ["plan": plan])
        #expect(shown?.code == .notAllowed)
    }
}
