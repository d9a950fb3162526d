import FeatureSupport
import GRDB
import Store
import Subjects
import TestSupport
import Testing

@testable import Reviews
@testable import Service

@Suite struct RatingSummaryTests {
    private let core: CoreFixture

    init() throws { core = try CoreFixture() }

    /// A model of the tables to compare with.
    private struct Model {
        struct Review {
            var rating: Int
            var time: Int64
            var isHidden = false
        }

        var reviews: [Key: Review] = [:]

        struct Key: Hashable {
            var subject: SubjectID
            var author: Int64
        }

        func expected(_ kind: String) -> Double {
            let ratings = reviews.filter { $0.key.subject.kind == kind && !$0.value.isHidden }.map(\.value.rating)
            return ratings.isEmpty ? 3 : Double(ratings.reduce(0, +)) / Double(ratings.count)
        }

        func summary(_ subject: SubjectID) -> RatingSummary {
            let counted = reviews.filter { key, review in key.subject == subject && !review.isHidden }
            let histogram = (1...5).map { stars in counted.values.count { $0.rating == stars } }
            return RatingSummary(histogram: histogram, expected: expected(subject.kind))
        }
    }

    @Test func theScoreIsTheBayesianAverage() {
        var summary = RatingSummary(histogram: [0, 0, 0, 0, 0], expected: 3.5)
        #expect(summary.count == 0 && summary.mean == nil && summary.score == 3.5)
        summary.histogram = [0, 0, 0, 0, 1]
        #expect(summary.mean == 5 && summary.score == (5 * 3.5 + 5) / 6)
        // A single 5 does not beat ten ratings of which eight are 5 and two are 4.
        let many = RatingSummary(histogram: [0, 0, 0, 2, 8], expected: 3.5)
        #expect(many.mean == 4.8 && many.score == (17.5 + 48) / 15)
        #expect(many.score > summary.score)
    }

    @Test(.slow) func summariesEqualTheModelAfterRandomChanges() throws {
        var random = SeededGenerator(seed: 20_261_121)
        let subjects =
            (0..<6).map { SubjectID(kind: "sight", id: "s\($0)") }
            + (0..<3).map { SubjectID(kind: "plan", id: "sight/\($0)") }
        let authors = ["ada", "bob", "cai", "dan", "eve", "fay", "gus", "hal"]
        for author in authors { try core.people(author) }
        let numbers = try core.store.read { try Int64.fetchAll($0, sql: "SELECT number FROM person ORDER BY number") }
        var model = Model()
        for step in 0..<400 {
            let key = Model.Key(
                subject: try #require(subjects.randomElement(using: &random)),
                author: try #require(numbers.randomElement(using: &random)))
            let (rating, time) = (Int.random(in: 1...5, using: &random), Int64.random(in: 0..<100, using: &random))
            let dice = Int.random(in: 0..<100, using: &random)
            try core.store.write { db in
                let subject = try Subjects.makeNumber(of: key.subject, in: db)
                func execute(_ sql: String, _ arguments: StatementArguments) throws {
                    try db.execute(sql: sql, arguments: arguments)
                }
                switch dice {
                case ..<60:
                    try execute(
                        """
                        INSERT INTO review (subject, author, rating, time) VALUES (?, ?, ?, ?)
                        ON CONFLICT (subject, author) DO UPDATE SET rating = excluded.rating, time = excluded.time
                        """, [subject, key.author, rating, time])
                    let isHidden = model.reviews[key]?.isHidden ?? false
                    model.reviews[key] = Model.Review(rating: rating, time: time, isHidden: isHidden)
                case ..<85:
                    try execute(
                        "UPDATE review SET hidden = 1 - hidden WHERE subject = ? AND author = ?", [subject, key.author])
                    model.reviews[key]?.isHidden.toggle()
                case ..<95:
                    try execute("DELETE FROM review WHERE subject = ? AND author = ?", [subject, key.author])
                    model.reviews[key] = nil
                case ..<98:
                    try Subjects.remove(key.subject, in: db)
                    model.reviews = model.reviews.filter { $0.key.subject != key.subject }
                default:
                    try execute("CREATE TEMP TABLE gone AS SELECT * FROM person WHERE number = ?", [key.author])
                    try execute("DELETE FROM person WHERE number = ?", [key.author])
                    try execute("INSERT INTO person SELECT * FROM gone", [])
                    try execute("DROP TABLE gone", [])
                    model.reviews = model.reviews.filter { $0.key.author != key.author }
                }
            }
            guard step % 8 == 0 else { continue }
            try core.store.read { (db: Database) throws in
                for subject in subjects {
                    #expect(try Subjects.rating(of: subject, in: db) == model.summary(subject), "step \(step)")
                }
            }
        }
    }
}
