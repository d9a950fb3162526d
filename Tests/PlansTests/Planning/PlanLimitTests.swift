import FeatureSupport
import GRDB
import RPC
import Store
import Testing
import Time

@testable import Plans

/// The limit of how many requests a person sends for plans.
@Suite struct PlanLimitTests {
    @Test func beyondSixtyRequestsAnHourTheErrorSaysHowLongToWait() async throws {
        let core = try CoreFixture()
        try core.people("ada", "bob")
        try await core.store.write { db in
            for pair in [(1, 2), (2, 1)] {
                try db.execute(sql: "INSERT INTO friend VALUES (?, ?, 0)", arguments: [pair.0, pair.1])
            }
        }
        let plan = try #require(try await core.call(as: "ada", "plans.create", ["title": "Rome"])["id"])
        let request: JSONObject = ["plan": plan, "person": "bob"]
        for _ in 0..<60 {
            try await core.call(as: "ada", "members.ask", request)
            try await core.call(as: "bob", "members.decline", ["plan": plan])
        }
        core.clock.time = core.clock.time.advanced(byMilliseconds: 600_000)
        let error = try #require(try await core.error(as: "ada", "members.ask", request))
        #expect(error.code == .unavailable)
        #expect(error.data?["retry_after"] == 3000 && error.data?["limit"] == 60)
        core.clock.time = core.clock.time.advanced(byMilliseconds: 3_000_000)
        try await core.call(as: "ada", "members.ask", request)
    }
}
