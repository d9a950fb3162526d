import FeatureSupport
import GRDB
import Geodesy
import RPC
import Store
import TestSupport
import Testing
import Time

@testable import Reviews
@testable import Service
@testable import Sights

/// Rankings by the ratings of ada, bob, cai and dan and by visits, in 2025 and 2026.
@Suite struct RankingTests {
    private let core: CoreFixture

    private struct Rating {
        var sight: Int
        var person: String
        var stars: Int
        var time: Timestamp
    }

    private static let people = ["ada", "bob", "cai", "dan"]
    private static let count = 30
    private let ratings: [Rating]
    private let visits: [(sight: Int, time: Timestamp)]

    init() async throws {
        core = try CoreFixture()
        try core.people("ada", "bob", "cai", "dan")
        var random = SeededGenerator(seed: 77)
        func time() -> Timestamp {
            // From 2025-01-01 to 2026-12-31.
            Timestamp(milliseconds: .random(in: 1_735_689_600_000..<1_798_761_600_000, using: &random))
        }
        _ = try core.store.importSights(
            (0..<Self.count).map { number in
                Sight(
                    id: "s\(number)", title: number % 3 == 0 ? "Old mill \(number)" : "Tower \(number)",
                    place: Coordinate(latitude: 1, longitude: Double(number)).known)
            })
        var ratings: [Rating] = []
        for sight in 0..<Self.count - 5 {
            for person in Self.people where Bool.random(using: &random) {
                ratings.append(
                    Rating(sight: sight, person: person, stars: .random(in: 1...5, using: &random), time: time()))
            }
        }
        let visits = (0..<300).map { _ in (sight: Int.random(in: 3..<Self.count, using: &random), time: time()) }
        (self.ratings, self.visits) = (ratings, visits)
        for rating in ratings {
            core.clock.time = rating.time
            _ = try await core.call(
                as: rating.person, "reviews.put",
                ["subject": .string("sight/s\(rating.sight)"), "rating": .integer(Int64(rating.stars))])
        }
        try await core.store.write { db in
            try Devices.add("van", to: db)
            for visit in visits {
                try Visits.enter("s\(visit.sight)", "van", at: visit.time, isInitial: false, in: db)
            }
        }
        core.clock.time = moment(0)
    }

    /// The periods of the method, written out as times.
    private static let periods: [(name: String, begin: String, end: String)] = [
        ("total", "2000-01-01T00:00:00Z", "2100-01-01T00:00:00Z"),
        ("year", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"),
        ("month", "2026-05-01T00:00:00Z", "2026-06-01T00:00:00Z"),
    ]

    /// Returns `rank id` for each sight by its worth, which is better if smaller; equal ones by number.
    private static func ranked(_ worth: [Int: [Double]]) -> [String] {
        worth.keys.sorted().map { sight in
            let better = worth.values.count { $0.lexicographicallyPrecedes(worth[sight] ?? []) }
            return (rank: better + 1, sight: sight)
        }
        .sorted { ($0.rank, $0.sight) < ($1.rank, $1.sight) }.map { "\($0.rank) s\($0.sight)" }
    }

    /// Returns the expected ranking by brute force.
    private func expected(_ period: (name: String, begin: String, end: String), by order: String) throws -> [String] {
        let begin = try #require(Timestamp(rfc3339: period.begin))
        let end = try #require(Timestamp(rfc3339: period.end))
        guard order == "rating" else {
            let inside = Dictionary(grouping: visits.filter { (begin..<end).contains($0.time) }, by: \.sight)
            return Self.ranked(inside.mapValues { [-Double($0.count)] })
        }
        let mean = Double(ratings.map(\.stars).reduce(0, +)) / Double(ratings.count)
        let inside = Dictionary(grouping: ratings.filter { (begin..<end).contains($0.time) }, by: \.sight)
        return Self.ranked(
            inside.mapValues { ratings in
                let sum = Double(ratings.map(\.stars).reduce(0, +))
                return [-(5 * mean + sum) / (5 + Double(ratings.count)), -Double(ratings.count)]
            })
    }

    private func ranking(_ parameters: JSONObject) async throws -> [JSONValue] {
        try await core.call("sights.ranking", parameters, isGuest: true)["sights"].elements
    }

    private static func ranks(_ rows: [JSONValue]) -> [String] {
        rows.map { "\(Int($0["rank"].number ?? 0)) \($0["id"].text ?? "")" }
    }

    @Test(arguments: ["rating", "visits"])
    func ranksEqualABruteForceComputationInEachPeriod(_ order: String) async throws {
        var orders: Set<[String]> = []
        for period in Self.periods {
            let rows = try await ranking([
                "period": .string(period.name), "by": .string(order), "limit": 200, "at": "2026-05-20T00:00:00Z",
            ])
            let ranks = Self.ranks(rows)
            // The order of equal ranks is that of the first ratings, which this test does not check.
            #expect(try Set(ranks) == Set(expected(period, by: order)), "\(period.name)")
            #expect(ranks.map { $0.split(separator: " ")[0] }.compactMap { Int($0) }.isSortedUpwards)
            orders.insert(ranks)
        }
        #expect(orders.count == 3)
    }

    @Test func theDefaultTimeIsNow() async throws {
        #expect(
            try await ranking(["period": "month"]) == ranking(["period": "month", "at": "2026-05-31T23:59:59.999Z"]))
        let month = try await core.call("sights.ranking", ["period": "month"])
        #expect(month["from"] == "2026-05-01T00:00:00.000Z")
        #expect(month["to"] == "2026-06-01T00:00:00.000Z")
        #expect(try await core.call("sights.ranking")["from"] == nil)
    }

    @Test(arguments: ["rating", "visits"]) func searchingKeepsTheRanksOfTheWholeList(_ order: String) async throws {
        let all = try await Self.ranks(ranking(["by": .string(order), "limit": 200]))
        let found = try await Self.ranks(ranking(["by": .string(order), "text": "mil", "limit": 200]))
        let mills = all.filter { rank in
            rank.split(separator: "s").last.flatMap { Int($0) }.map { $0 % 3 == 0 } ?? false
        }
        #expect(found == mills)
        #expect(found.count > 3)
        #expect(try await ranking(["by": .string(order), "text": "castle"]).isEmpty)
    }

    @Test(arguments: ["rating", "visits"]) func pagesJoinIntoTheWholeList(_ order: String) async throws {
        let whole = try await ranking(["by": .string(order), "limit": 200])
        let pages = try await core.pages("sights.ranking", ["by": .string(order), "limit": 4], of: "sights")
        #expect(pages.flatMap { $0 } == whole)
        #expect(pages.dropLast().allSatisfy { $0.count == 4 })
    }

    @Test func aSightShowsItsScoreHistogramAndVisits() async throws {
        for row in try await ranking(["limit": 200]) {
            let id = try #require(row["id"].text)
            let ratings = try await core.call("sights.ratings", ["id": .string(id)], isGuest: true)
            #expect(ratings["count"] == row["count"])
            #expect(ratings["score"] == row["score"])
            let histogram = ratings["histogram"].elements.compactMap { Int(json: $0) }
            #expect(Double(histogram.reduce(0, +)) == row["count"].number)
            for stars in 1...5 {
                #expect(histogram[stars - 1] == self.ratings.count { "s\($0.sight)" == id && $0.stars == stars })
            }
            #expect(row["visits"].number == Double(visits.count { "s\($0.sight)" == id }))
        }
        let unrated = try await core.call("sights.ratings", ["id": "s29"])
        #expect(unrated["count"] == 0)
        #expect(unrated["mean"] == nil)
    }

    @Test func hiddenReviewsAndRemovedSightsAreNotRanked() async throws {
        let best = try #require(try await ranking(["limit": 1]).first)
        let id = try #require(best["id"].text)
        try await core.store.write { db in
            try db.execute(
                sql: """
                    UPDATE review SET hidden = 1 WHERE subject = (SELECT number FROM subject WHERE id = 'sight/' || ?)
                    """, arguments: [id])
        }
        #expect(try await !ranking(["limit": 200]).ids.contains(id))
        let next = try #require(try await ranking(["limit": 1]).first?["id"])
        _ = try await core.call("sights.remove", ["id": next])
        #expect(try await !ranking(["limit": 200]).compactMap { $0["id"] }.contains(next))
        #expect(try await !ranking(["by": "visits", "limit": 200]).compactMap { $0["id"] }.contains(next))
    }

    @Test func periodsFollowTheUTCCalendar() throws {
        func period(_ period: RankingPeriod, _ time: String) throws -> String {
            let moment = try #require(Timestamp(rfc3339: time))
            guard let range = try period.span(around: moment).range else { return "all" }
            return "\(range.lowerBound) \(range.upperBound)"
        }
        #expect(try period(.total, "2026-05-01T00:00:00Z") == "all")
        #expect(
            try period(.month, "2024-12-31T23:59:59.999Z") == "2024-12-01T00:00:00.000Z 2025-01-01T00:00:00.000Z")
        #expect(try period(.month, "2024-02-29T12:00:00Z") == "2024-02-01T00:00:00.000Z 2024-03-01T00:00:00.000Z")
        #expect(try period(.year, "1969-12-31T23:59:59Z") == "1969-01-01T00:00:00.000Z 1970-01-01T00:00:00.000Z")
        #expect(throws: Refusal.self) { try period(.year, "9999-05-01T00:00:00Z") }
    }
}

extension [Int] {
    fileprivate var isSortedUpwards: Bool { zip(self, dropFirst()).allSatisfy { $0 <= $1 } }
}
