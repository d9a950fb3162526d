import GRDB
import Service
import Time

extension Reviews {
    /// Stores a person's review of a subject, and replaces an earlier one.
    ///
    /// If the review changes, all agreements with it are deleted. Flags that were decided upon are deleted too, so that
    /// the same people can flag the review again. A review that is hidden or has open flags keeps this state: an author
    /// cannot escape it by writing the review again.
    ///
    /// - Returns: The review's id.
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

    /// Deletes a review.
    static func remove(_ review: Review, in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM review WHERE number = ?").execute(arguments: [review.number])
    }

    /// Records that a person agrees with a review, or removes the record.
    ///
    /// Repeating the call has no effect.
    static func setAgree(_ agree: Bool, with review: Review, by person: Int64, in db: Database) throws {
        let sql =
            agree
            ? "INSERT OR IGNORE INTO review_agree (review, person) VALUES (?, ?)"
            : "DELETE FROM review_agree WHERE review = ? AND person = ?"
        try db.cachedStatement(sql: sql).execute(arguments: [review.number, person])
    }

    /// Adds a person's flag to a review.
    ///
    /// Repeating the call has no effect.
    ///
    /// The review is hidden once it has ``flagsThatHide`` open flags.
    ///
    /// - Returns: Whether the person had not flagged it before.
    @discardableResult
    static func flag(_ review: Review, by person: Int64, in db: Database) throws -> Bool {
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO review_flag (review, person) VALUES (?, ?)")
            .execute(arguments: [review.number, person])
        let isNew = db.changesCount > 0
        try db.cachedStatement(sql: "UPDATE review SET hidden = 1 WHERE number = ? AND hidden = 0 AND flags >= ?")
            .execute(arguments: [review.number, flagsThatHide])
        return isNew
    }

    /// Whether a review is hidden.
    static func isHidden(_ review: Review, in db: Database) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT review.hidden FROM review WHERE review.number = ?"),
            arguments: [review.number]) ?? false
    }

    /// Hides or shows a review, and settles all its open flags.
    static func decide(_ review: Review, isHidden: Bool, in db: Database) throws {
        try db.cachedStatement(sql: "UPDATE review_flag SET settled = 1 WHERE review = ? AND settled = 0")
            .execute(arguments: [review.number])
        try db.cachedStatement(sql: "UPDATE review SET hidden = :hidden WHERE number = :number AND hidden <> :hidden")
            .execute(arguments: ["hidden": isHidden, "number": review.number])
    }
}
