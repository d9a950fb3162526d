import GRDB
import People
import RPC
import Service
import Time

/// A reader of reviews for one viewer.
///
/// It reads only what the viewer may see.
struct ReviewReader: Sendable {
    /// The viewer.
    let viewer: Viewer
    /// The viewer's row number in the table `person`; `nil` if nobody is signed in.
    let number: Int64?
    private let subjects: Subjects

    init(_ viewer: Viewer, of subjects: Subjects, in db: Database) throws {
        self.viewer = viewer
        self.subjects = subjects
        number = try People.number(of: viewer, in: db)
    }

    /// Returns the review with an id.
    ///
    /// - Throws: `Refusal.notFound` if there is none, or the viewer may not see it or its subject.
    func review(_ id: String, in db: Database) throws -> Review {
        let statement = try db.cachedStatement(
            sql: "\(Self.select) WHERE review.number = :number AND \(Self.isVisible)")
        if let number = Int64(id), String(number) == id,
            let row = try NamedRow.fetchOne(statement, arguments: arguments(["number": number]))
        {
            let review = try review(row)
            if try subjects.find(review.subject, for: viewer, in: db) != nil { return review }
        }
        throw Refusal.notFound("There is no review \(id).")
    }

    /// Calls `body` with the visible reviews of a subject, until `body` returns false.
    func forEach(
        of subject: SubjectID, order: Reviews.Order, after key: PageKey?, in db: Database,
        _ body: (Review, PageKey) throws -> Bool
    ) throws {
        let statement = try db.cachedStatement(
            sql: """
                \(Self.select) WHERE review.subject = :subject AND \(Self.isVisible)
                    AND (\(order.column), review.number) < (:rank, :number)
                ORDER BY \(order.column) DESC, review.number DESC
                """)
        guard let subject = try Subjects.number(of: subject, in: db) else { return }
        let rows = try NamedRow.soundRows(
            statement,
            arguments: arguments([
                "subject": subject, "rank": key?.rank ?? .max, "number": key?.number ?? .max,
            ]))
        while let row = try rows.next() {
            let review = try review(row)
            guard try body(review, order.key(review)) else { break }
        }
    }

    /// Calls `body` with the reviews that await a decision, or with all hidden ones, oldest first, until `body` returns
    /// false.
    ///
    /// Reviews of subjects that the viewer may not see are omitted.
    func forEachToDecide(
        isHidden: Bool, after number: Int64?, in db: Database, _ body: (Review) throws -> Bool
    ) throws {
        let statement = try db.cachedStatement(
            sql: """
                \(Self.select) WHERE \(isHidden ? "review.hidden = 1" : "review.flags > 0") AND \(Self.isVisible)
                    AND review.number > :number
                ORDER BY review.number
                """)
        let rows = try NamedRow.soundRows(statement, arguments: arguments(["number": number ?? 0]))
        while let row = try rows.next() {
            let review = try review(row)
            guard try subjects.find(review.subject, for: viewer, in: db) != nil else { continue }
            guard try body(review) else { break }
        }
    }

    private static let select = """
        SELECT review.number, subject.id AS subject, review.author, review.rating, review.text, review.time,
            review.agrees, review.flags, review.hidden, \(PersonRow.columns(of: "writer", as: "author")),
            EXISTS (SELECT 1 FROM review_agree WHERE review = review.number AND person = :me) AS agreed,
            EXISTS (SELECT 1 FROM review_flag WHERE review = review.number AND person = :me) AS flagged
        FROM review JOIN subject ON subject.number = review.subject JOIN person AS writer ON writer.number = review.author
        """

    private static let isVisible = "(review.hidden = 0 OR review.author = :me OR :decides)"

    private func arguments(_ more: [String: (any DatabaseValueConvertible)?]) -> StatementArguments {
        StatementArguments(more) + StatementArguments(["me": number, "decides": viewer.isAdmin])
    }

    private func review(_ row: NamedRow) throws -> Review {
        guard let subject = SubjectID(row["subject"]) else {
            throw row.damage("a review with an invalid subject")
        }
        return Review(
            number: row["number"], subject: subject, authorNumber: row["author"], author: PersonRow(row, "author"),
            rating: row["rating"], text: row["text"], time: Timestamp(milliseconds: row["time"]),
            agrees: row["agrees"], flags: viewer.isAdmin ? row["flags"] : nil, isHidden: row["hidden"],
            isAgreed: number == nil ? nil : row["agreed"], isFlagged: number == nil ? nil : row["flagged"])
    }
}

extension Reviews {
    /// The order of a list of reviews.
    enum Order: String, CaseIterable, Sendable {
        /// The most recently written or changed first.
        case newest
        /// Those that most people agree with first; among equal ones, those with the higher number.
        case agreed

        fileprivate var column: String {
            switch self {
            case .newest: "review.time"
            case .agreed: "review.agrees"
            }
        }

        fileprivate func key(_ review: Review) -> PageKey {
            switch self {
            case .newest: PageKey(rank: review.time.milliseconds, number: review.number)
            case .agreed: PageKey(rank: Int64(review.agrees), number: review.number)
            }
        }
    }
}
