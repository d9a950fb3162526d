import FeatureSupport
import RPC
import Testing

/// OU-4: concurrent editors do not overwrite a change that they have not seen, and receive both versions.
@Suite struct PlanConflictTests {
    @Test func savingOverAnUnseenChangeIsAConflictWithBothVersions() async throws {
        let core = try CoreFixture()
        try core.people("ada")
        let plan = try #require(try await core.call(as: "ada", "plans.create", ["title": "Rome"])["id"])
        let place = try #require(try await core.call(as: "ada", "locations.add", ["plan": plan, "name": "A"])["id"])
        let item = try #require(try await core.call(as: "ada", "activities.add", ["plan": plan, "title": "A"])["id"])
        let paid = try #require(
            try await core.call(as: "ada", "expenses.add", ["plan": plan, "title": "A", "amount": "1"])["id"])
        for (method, name, id, field) in [
            ("plans.update", "plan", plan, "title"), ("locations.update", "location", place, "name"),
            ("activities.update", "activity", item, "title"), ("expenses.update", "expense", paid, "title"),
        ] {
            try await core.call(as: "ada", method, [name: id, field: "Theirs", "revision": 1])
            let error = try await core.error(as: "ada", method, [name: id, field: "Mine", "revision": 1])
            #expect(error?.code == .conflict, "\(method)")
            #expect(error?.data?["revision"] == 2)
            #expect(error?.data?["current"]?[field] == "Theirs")
            #expect(error?.data?["yours"]?[field] == "Mine")
            try await core.call(as: "ada", method, [name: id, field: "Both", "revision": 2])
        }
    }
}
