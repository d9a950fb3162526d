import GRDB
import Positioning
import Service

extension Reviews {
    /// Stores what someone says of a subject, in place of what they have said before.
    ///
    /// Who agreed with what is no longer said does so no longer, and may flag it anew where that was decided upon; what
    /// is hidden, or flagged and not yet decided upon, stays so: saying it differently is no way out.
    ///
    /// - Returns: the review's id.
    static func put(
        _ subject: SubjectID, by author: Int64, rating: Int, text: String?, at time: Timestamp, in db: Database
    ) throws -> String {
        let subject = try Subjects.makeNumber(of: subject, in: db)
        let old = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT number FROM review WHERE subject = ? AND author = ?"),
            arguments: [subject, author])
        guard let number = old else {
            try db.cachedStatement(
                sql: "INSERT INTO review (subject, author, rating, text, time) VALUES (?, ?, ?, ?, ?)"
            ).execute(arguments: [subject, author, rating, text, time.milliseconds])
            return String(db.lastInsertedRowID)
        }
        try db.cachedStatement(
            sql: """
                UPDATE review SET rating = :rating, text = :text, time = :time
                WHERE number = :number AND (rating, text) IS NOT (:rating, :text)
                """
        ).execute(arguments: ["rating": rating, "text": text, "time": time.milliseconds, "number": number])
        if db.changesCount > 0 {
            try db.cachedStatement(sql: "DELETE FROM review_agree WHERE review = ?").execute(arguments: [number])
            try db.cachedStatement(sql: "DELETE FROM review_flag WHERE review = ? AND settled = 1")
                .execute(arguments: [number])
        }
        return String(number)
    }

    /// Forgets a review.
    static func remove(_ review: Review, in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM review WHERE number = ?").execute(arguments: [review.number])
    }

    /// Has someone agree with a review, or no longer; once is as good as twice.
    static func setAgree(_ agree: Bool, with review: Review, by person: Int64, in db: Database) throws {
        let sql =
            agree
            ? "INSERT OR IGNORE INTO review_agree (review, person) VALUES (?, ?)"
            : "DELETE FROM review_agree WHERE review = ? AND person = ?"
        try db.cachedStatement(sql: sql).execute(arguments: [review.number, person])
    }

    /// Has someone flag a review; once is as good as twice.
    ///
    /// It is hidden from ``flagsThatHide`` flags on that are not yet decided upon.
    static func flag(_ review: Review, by person: Int64, in db: Database) throws {
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO review_flag (review, person) VALUES (?, ?)")
            .execute(arguments: [review.number, person])
        try db.cachedStatement(sql: "UPDATE review SET hidden = 1 WHERE number = ? AND hidden = 0 AND flags >= ?")
            .execute(arguments: [review.number, flagsThatHide])
    }

    /// Decides upon a review: whether it is hidden, whatever the flags were that it has.
    static func decide(_ review: Review, isHidden: Bool, in db: Database) throws {
        try db.cachedStatement(sql: "UPDATE review_flag SET settled = 1 WHERE review = ? AND settled = 0")
            .execute(arguments: [review.number])
        try db.cachedStatement(sql: "UPDATE review SET hidden = :hidden WHERE number = :number AND hidden <> :hidden")
            .execute(arguments: ["hidden": isHidden, "number": review.number])
    }
}
