package import GRDB
package import Service
import Store

/// Facts that several features show about a subject.
extension Subjects {
    /// Returns the summary of a subject's ratings, from the reviews' table `rating`.
    ///
    /// - Complexity: Two rows by their keys, independent of the number of reviews.
    package static func rating(of subject: SubjectID, in db: Database) throws -> RatingSummary {
        let row = try StoredRow.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT ones, twos, threes, fours, fives FROM rating
                    WHERE subject = (SELECT number FROM subject WHERE id = ?)
                    """), arguments: [subject.description])
        return try RatingSummary(
            histogram: (0..<5).map { row?[$0] ?? 0 }, expected: expectedRating(of: subject.kind, in: db))
    }

    /// Returns the mean of all visible ratings of a kind of subject; ``RatingSummary/middle`` if there are none.
    package static func expectedRating(of kind: String, in db: Database) throws -> Double {
        try Double.fetchOne(
            db.cachedStatement(
                sql: "SELECT CAST(total AS REAL) / count FROM rating_of_kind WHERE kind = ? AND count > 0"),
            arguments: [kind]) ?? RatingSummary.middle
    }

    /// Returns the id of the photo that represents a subject: its cover, else its first photo; `nil` if it has no
    /// photo.
    package static func cover(of subject: SubjectID, in db: Database) throws -> String? {
        try photo(of: subject, by: "cover DESC, place", in: db)
    }

    /// Returns the same as a subquery for a list's own query.
    ///
    /// - Parameter subject: An SQL expression for the subject, as KIND/ID.
    package static func cover(of subject: String) -> String {
        """
        (SELECT photo.number FROM photo
            WHERE photo.subject = (SELECT subject.number FROM subject WHERE subject.id = \(subject))
            ORDER BY photo.cover DESC, photo.place LIMIT 1)
        """
    }

    /// Returns the id of a person's profile picture: the chosen photo, else the first; `nil` if there is no photo.
    package static func portrait(of subject: SubjectID, in db: Database) throws -> String? {
        try photo(of: subject, by: "portrait DESC, place", in: db)
    }

    /// Returns the number of a subject's photos.
    package static func photoCount(of subject: SubjectID, in db: Database) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(
                sql: "SELECT count(*) FROM photo WHERE subject = (SELECT number FROM subject WHERE id = ?)"),
            arguments: [subject.description]) ?? 0
    }

    /// Returns the same as a subquery for a list's own query.
    ///
    /// - Parameter subject: An SQL expression for the subject, as KIND/ID.
    package static func photoCount(of subject: String) -> String {
        """
        (SELECT count(*) FROM photo
            WHERE photo.subject = (SELECT subject.number FROM subject WHERE subject.id = \(subject)))
        """
    }

    private static func photo(of subject: SubjectID, by order: String, in db: Database) throws -> String? {
        try Int64.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT number FROM photo WHERE subject = (SELECT number FROM subject WHERE id = ?)
                    ORDER BY \(order) LIMIT 1
                    """),
            arguments: [subject.description]
        ).map(String.init)
    }

    /// Returns whether a person has saved a subject.
    package static func isSaved(_ subject: SubjectID, by person: Int64, in db: Database) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: """
                SELECT EXISTS (SELECT 1 FROM reaction
                    WHERE subject = (SELECT number FROM subject WHERE id = ?) AND kind = 'save' AND person = ?)
                """)
        return try Bool.fetchOne(statement, arguments: [subject.description, person]) ?? false
    }
}
