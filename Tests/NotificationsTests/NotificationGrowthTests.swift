import FeatureSupport
import GRDB
import RPC
import Store
import TestSupport
import Testing

/// The cost of a person's notifications, in steps of SQLite's virtual machine, among few and among four times as many.
@Suite(.slow) struct NotificationGrowthTests {
    private static func numbers(_ count: Int) -> String {
        "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(count))"
    }

    /// Returns a world in which ada has `count` notifications of sights, a third of them read.
    private func notified(_ count: Int) async throws -> CoreFixture {
        let core = try CoreFixture()
        try core.people("ada")
        try await core.store.write { db in
            try db.execute(
                sql: """
                    \(Self.numbers(count))
                    INSERT INTO notification (person, key, kind, time, text, destination, state, silent)
                    SELECT 1, 'key/' || i, 'sight', i, 'Near', 'waymark://sight/f' || i,
                        CASE i % 3 WHEN 0 THEN 'new' WHEN 1 THEN 'read' ELSE 'unread' END, 0 FROM n
                    """)
        }
        return core
    }

    @Test func listingAKindWithoutNotificationsCostsTheSameAmongMoreOfThem() async throws {
        var costs: [Int] = []
        for size in [500, 2_000] {
            let core = try await notified(size)
            costs.append(
                try await core.steps {
                    let page = try await core.call(as: "ada", "notifications.list", ["kind": "friend"])
                    #expect(page["notifications"].elements.isEmpty)
                })
        }
        #expect(costs[1] <= costs[0] * 3 / 2 + 500, "\(costs)")
    }

    @Test func allNotificationsAreReadInSlices() async throws {
        let core = try await notified(9_000)
        let commits = core.store.commits
        #expect(try await core.call(as: "ada", "notifications.read", ["all": true]) == ["read": 6_000, "count": 0])
        // Each of the slices is a transaction, and the last one finds nothing left.
        #expect(core.store.commits - commits >= 3)
        #expect(try await core.call(as: "ada", "notifications.read", ["all": true]) == ["read": 0, "count": 0])
    }
}
