import FeatureSupport
import GRDB
import Geodesy
import RPC
import Store
import TestSupport
import Testing
import Time

@testable import Daemon
@testable import People
@testable import Service

@Suite struct BudgetTests {
    private let core: CoreFixture

    init() throws {
        core = try CoreFixture()
        try core.people("ada", "bob")
    }

    private func draft(_ text: String = "A place.") -> JSONObject {
        ["title": "Mill", "description": .string(text), "lat": 1, "lon": 2]
    }

    /// Returns what people hold according to the `holding` table, and according to their rows.
    private static func holdings(in store: LocationDatabase) throws -> (kept: [[Int]], counted: [[Int]]) {
        try store.read { db in
            func rows(_ sql: String) throws -> [[Int]] {
                try Row.fetchAll(db, sql: sql).map { $0.databaseValues.compactMap { Int.fromDatabaseValue($0) } }
            }
            return (
                try rows("SELECT person, sights, bytes FROM holding WHERE sights + bytes > 0 ORDER BY person"),
                try rows(
                    """
                    SELECT person, sum(sights), sum(bytes) FROM (
                        SELECT owner AS person, 1 AS sights, length(CAST(title || coalesce(category, '')
                            || coalesce(description, '') AS BLOB)) AS bytes FROM sight
                        UNION ALL SELECT author, 0, length(CAST(coalesce(text, '') AS BLOB)) FROM review
                        UNION ALL SELECT sender, 0, length(CAST(coalesce(text, '') AS BLOB)) FROM suggestion
                        UNION ALL SELECT person, 0, length(CAST(coalesce(caption, '') || coalesce(name, '') AS BLOB))
                            FROM photo)
                    WHERE person IS NOT NULL GROUP BY person HAVING sum(sights) + sum(bytes) > 0 ORDER BY person
                    """)
            )
        }
    }

    @Test func sightsOfAPersonPerDayAreLimited() async throws {
        try await core.call(as: "ada", "sights.add", draft())
        try await core.store.write { db in
            try RateLimits.count(.sights, RateLimit.sights.maximum - 2, by: 1, now: core.clock.time, in: db)
        }
        try await core.call(as: "ada", "sights.add", draft())
        core.clock.time = core.clock.time.advanced(byMilliseconds: 3_600_000)
        let error = try await core.error(as: "ada", "sights.add", draft())
        #expect(error?.code == .unavailable)
        #expect(error?.data?["limit"] == 200)
        #expect(error?.data?["retry_after"] == 82_800)
        #expect(error?.message == "At most 200 new sights are allowed within a day; try again in 23 hours.")
        // Other people and the administrator are not limited by it.
        try await core.call(as: "bob", "sights.add", draft())
        try await core.call("sights.add", draft())
        core.clock.time = core.clock.time.advanced(byMilliseconds: 82_800_000)
        try await core.call(as: "ada", "sights.add", draft())
    }

    @Test func bytesOfTextOfAPersonPerDayAreLimited() async throws {
        let page = String(repeating: "é", count: 49_000)
        let id = try await core.call(as: "ada", "sights.add", draft(page))["id"]
        for number in 1..<10 {
            try await core.call(
                as: "ada", "sights.update", ["id": try #require(id), "description": .string("\(page)\(number)")])
        }
        let error = try await core.error(as: "ada", "sights.add", draft(page))
        #expect(error?.code == .unavailable)
        #expect(error?.data?["limit"] == .integer(Int64(RateLimit.text.maximum)))
        #expect(error?.data?["retry_after"] == 86_400)
        try await core.call(as: "ada", "sights.add", draft())
    }

    @Test func sightsAndTextOfAPersonAreLimitedInTotal() async throws {
        try await core.store.write {
            try $0.execute(sql: "INSERT INTO holding VALUES (1, ?, 0)", arguments: [Budget.maximumSights])
        }
        let error = try await core.error(as: "ada", "sights.add", draft())
        #expect(error?.code == .unavailable)
        #expect(error?.data?["limit"] == .integer(Int64(Budget.maximumSights)))
        #expect(error?.data?["retry_after"] == nil)
        try await core.store.write {
            try $0.execute(sql: "UPDATE holding SET sights = 0, bytes = ?", arguments: [Budget.maximumBytes - 5])
        }
        #expect(
            try await core.error(as: "ada", "sights.add", draft())?.data?["limit"]
                == .integer(Int64(Budget.maximumBytes)))
        try await core.call(as: "bob", "sights.add", draft())
    }

    @Test func `reviews, suggestions and photos are limited`() async throws {
        try await core.call("sights.add", draft())
        try await core.call(as: "ada", "people.follow", ["person": "bob"])
        try await core.store.write { db in
            for limit in [SendingLimits().ofReviews, SendingLimits().ofSuggestions, .photos] {
                try RateLimits.count(limit, limit.maximum, by: 1, now: core.clock.time, in: db)
            }
        }
        let review = try await core.error(as: "ada", "reviews.put", ["subject": "sight/mill", "rating": 5])
        #expect(review?.data?["retry_after"] == 3600)
        let suggestion = try await core.error(as: "ada", "suggestions.send", ["subject": "sight/mill", "to": "bob"])
        #expect(suggestion?.data?["retry_after"] == 3600)
        let id = try #require(try await core.call(as: "ada", "sights.add", draft())["id"].text)
        let upload = try await core.upload(TestPicture.png(), from: CoreFixture.connection(as: "ada"))
        let photo = try await core.error(
            as: "ada", "photos.add", ["subject": .string("sight/\(id)"), "upload": upload])
        #expect(photo?.data?["retry_after"] == 86_400)
    }

    @Test func sendingLimitsAreConfigurable() async throws {
        var limits = SendingLimits()
        (limits.posts, limits.reviews, limits.suggestions, limits.requests) = (1, 2, 3, 4)
        let core = try CoreFixture(limits: limits)
        try core.people("ada", "bob", "cai", "dan", "eve", "fay")
        try await core.call("sights.add", draft())
        for person in ["bob", "cai", "dan", "eve"] {
            try await core.call(as: "ada", "people.follow", ["person": .string(person)])
        }
        let place: JSONObject = ["lat": 52, "lon": 5]
        let people: [JSONValue] = ["bob", "cai", "dan", "eve", "fay"]
        let calls: [(most: Int, method: String, parameters: (Int) -> JSONObject)] = [
            (1, "posts.add", { _ in place }),
            (2, "reviews.put", { ["subject": "sight/mill", "rating": .integer(Int64($0 + 1))] }),
            (3, "suggestions.send", { ["subject": "sight/mill", "to": people[$0]] }),
            (4, "friends.request", { ["person": people[$0]] }),
        ]
        for (most, method, parameters) in calls {
            for number in 0..<most { try await core.call(as: "ada", method, parameters(number)) }
            let error = try await core.error(as: "ada", method, parameters(most))
            #expect(error?.code == .unavailable && error?.data?["limit"] == .integer(Int64(most)), "\(method)")
            #expect(error?.data?["retry_after"] == 3600)
        }
    }

    @Test func holdingsEqualTheRowsAfterEachChange() async throws {
        try await core.call(as: "ada", "sights.add", draft("Old – new"))
        try await core.call(as: "bob", "sights.add", draft())
        try await core.call(as: "ada", "people.follow", ["person": "bob"])
        try await core.call(as: "bob", "reviews.put", ["subject": "sight/mill", "rating": 5, "text": "Good."])
        let sent = try await core.call(
            as: "ada", "suggestions.send", ["subject": "sight/mill", "to": "bob", "text": "Look."])
        var (kept, counted) = try Self.holdings(in: core.store)
        #expect(kept.count == 2 && kept == counted)
        try await core.call(as: "ada", "sights.update", ["id": "mill", "description": "Newer", "category": "mill"])
        try await core.call(as: "bob", "reviews.put", ["subject": "sight/mill", "rating": 4])
        try await core.call(as: "ada", "suggestions.remove", ["suggestion": try #require(sent["id"])])
        (kept, counted) = try Self.holdings(in: core.store)
        #expect(kept == counted)
        let photo = try await core.photo(TestPicture.png(), of: "sight/mill-2", as: "bob")
        try await core.call(
            as: "bob", "photos.update", ["photo": try #require(photo["id"]), "caption": "Sails – new"])
        (kept, counted) = try Self.holdings(in: core.store)
        #expect(kept == counted)
        try await core.call(as: "bob", "sights.remove", ["id": "mill-2"])
        (kept, counted) = try Self.holdings(in: core.store)
        #expect(kept == counted)
        try await core.call(as: "ada", "people.remove")
        (kept, counted) = try Self.holdings(in: core.store)
        #expect(kept == counted)
    }

    @Test func holdingsOfAnOlderStoreEqualItsRows() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("old.sqlite")
        let before = FeatureList.standard.migrations.prefix { $0.name != Budget.migration.name }
        let old = try LocationDatabase.open(at: path, migrations: Array(before))
        try old.write { db in
            try db.execute(
                sql: """
                    INSERT INTO person (id, first_name, last_name, email, joined, proven) VALUES
                        ('ada', 'Ada', 'T', 'a@example.org', 0, 0), ('bob', 'Bob', 'T', 'b@example.org', 0, 0);
                    INSERT INTO sight (id, title, lat_e7, lon_e7, radius_m, description, revision, owner) VALUES
                        ('mill', 'Mill', 0, 0, 100, 'é', 1, 1), ('gate', 'Gate', 0, 0, 100, NULL, 1, NULL);
                    INSERT INTO subject VALUES (1, 'sight/gate'), (2, 'sight/mill');
                    INSERT INTO review (subject, author, rating, text, time) VALUES (1, 2, 5, 'Good.', 0);
                    INSERT INTO suggestion (sender, recipient, subject, text, time, state) VALUES
                        (1, 2, 1, 'Look.', 0, 'dismissed'), (1, 2, 2, 'Look again.', 0, 'withdrawn');
                    INSERT INTO picture (sha256, size, type, width, height) VALUES ('x', 1, 'png', 1, 1);
                    INSERT INTO photo (subject, place, picture, person, added, caption) VALUES (2, 1, 1, 1, 0, 'Sails');
                    """)
        }
        try old.close()
        let (kept, counted) = try Self.holdings(in: .open(at: path, migrations: FeatureList.standard.migrations))
        #expect(kept == counted)
        #expect(kept == [[1, 1, 16], [2, 0, 5]])
    }
}
