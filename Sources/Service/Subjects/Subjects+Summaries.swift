package import GRDB

/// What several features show of a subject: they read it here, from the tables that others keep.
extension Subjects {
    /// What people make of a subject, by the table `rating` of reviews.
    ///
    /// - Complexity: two rows by their keys, however many reviews there are.
    package static func rating(of subject: SubjectID, in db: Database) throws -> RatingSummary {
        let row = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT ones, twos, threes, fours, fives FROM rating
                    WHERE subject = (SELECT number FROM subject WHERE id = ?)
                    """), arguments: [subject.description])
        return try RatingSummary(
            histogram: (0..<5).map { row?[$0] ?? 0 }, expected: expectedRating(of: subject.kind, in: db))
    }

    /// The mean of all visible ratings of a kind of subjects; ``RatingSummary/middle`` where there is none.
    package static func expectedRating(of kind: String, in db: Database) throws -> Double {
        try Double.fetchOne(
            db.cachedStatement(
                sql: "SELECT CAST(total AS REAL) / count FROM rating_of_kind WHERE kind = ? AND count > 0"),
            arguments: [kind]) ?? RatingSummary.middle
    }

    /// The id of the photo that stands for a subject: its cover, else its first; nil where it has none.
    package static func cover(of subject: SubjectID, in db: Database) throws -> String? {
        try photo(of: subject, by: "cover DESC, place", in: db)
    }

    /// The same as a subselect of a list's own query.
    ///
    /// - Parameter subject: an expression of SQL for the subject, as KIND/ID.
    package static func cover(of subject: String) -> String {
        """
        (SELECT photo.number FROM photo
            WHERE photo.subject = (SELECT subject.number FROM subject WHERE subject.id = \(subject))
            ORDER BY photo.cover DESC, photo.place LIMIT 1)
        """
    }

    /// The id of a person's profile picture: the one chosen, else the first; nil where they have none.
    package static func portrait(of subject: SubjectID, in db: Database) throws -> String? {
        try photo(of: subject, by: "portrait DESC, place", in: db)
    }

    /// How many photos a subject has.
    package static func photoCount(of subject: SubjectID, in db: Database) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(
                sql: "SELECT count(*) FROM photo WHERE subject = (SELECT number FROM subject WHERE id = ?)"),
            arguments: [subject.description]) ?? 0
    }

    /// The same as a subselect of a list's own query.
    ///
    /// - Parameter subject: an expression of SQL for the subject, as KIND/ID.
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

    /// Whether a person has marked a subject to find it again.
    package static func isSaved(_ subject: SubjectID, by person: Int64, in db: Database) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: """
                SELECT EXISTS (SELECT 1 FROM reaction
                    WHERE subject = (SELECT number FROM subject WHERE id = ?) AND kind = 'save' AND person = ?)
                """)
        return try Bool.fetchOne(statement, arguments: [subject.description, person]) ?? false
    }
}
