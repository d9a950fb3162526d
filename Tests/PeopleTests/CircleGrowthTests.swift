import FeatureSupport
import GRDB
import RPC
import Store
import TestSupport
import Testing

/// The cost of suggesting people, in steps of SQLite's virtual machine, among few and among four times as many.
@Suite(.slow) struct CircleGrowthTests {
    private static func numbers(_ count: Int) -> String {
        "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(count))"
    }

    /// Returns a world in which ada and `count` others are all friends of each other, and two follow everybody.
    private func befriended(_ count: Int) async throws -> CoreFixture {
        let core = try CoreFixture()
        try core.people("ada")
        try await core.store.write { db in
            try db.execute(
                sql: """
                    \(Self.numbers(count))
                    INSERT INTO person (id, first_name, last_name, email, joined, proven)
                    SELECT 'p' || i, 'Pat', 'Test', 'p' || i || '@example.org', 0, 0 FROM n
                    """)
            try db.execute(
                sql: """
                    INSERT INTO friend SELECT mine.number, theirs.number, 0 FROM person AS mine
                    CROSS JOIN person AS theirs ON theirs.number <> mine.number
                    """)
            try db.execute(
                sql: """
                    INSERT INTO follow SELECT mine.number, theirs.number, 0 FROM person AS mine
                    CROSS JOIN person AS theirs ON theirs.number <> mine.number WHERE mine.id IN ('p1', 'p2')
                    """)
        }
        return core
    }

    @Test func suggestingPeopleCostsTheSameAmongMoreFriends() async throws {
        var costs: [Int] = []
        for size in [300, 1_200] {
            let core = try await befriended(size)
            costs.append(
                try await core.steps {
                    let page = try await core.call(as: "ada", "people.suggested")
                    #expect(page["people"].elements.count == 10)
                })
        }
        #expect(costs[1] <= costs[0] * 3 / 2 + 2_000, "\(costs)")
    }

    @Test func theNumberOfFollowersIsKeptWithEachPerson() async throws {
        let core = try await befriended(40)
        try await core.store.write { try $0.execute(sql: "DELETE FROM person WHERE id IN ('p2', 'p7')") }
        try await core.call(as: "ada", "people.followMany", ["people": ["p3", "p4"]])
        let wrong = try await core.store.read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT person.id FROM person WHERE person.followers
                        <> (SELECT count(*) FROM follow WHERE follow.other = person.number)
                    """)
        }
        #expect(wrong.isEmpty)
    }
}
