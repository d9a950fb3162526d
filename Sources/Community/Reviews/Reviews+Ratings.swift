public import GRDB
public import Positioning
public import Service

/// What the visible ratings say, for showing and for ranking.
extension Reviews {
    /// What people made of a subject in a period, from its begin on and before its end.
    ///
    /// What is expected is still that of all time, which a quiet month cannot shake.
    ///
    /// - Complexity: O(log *n* + *k*) for *k* reviews of the subject in the period.
    public static func summary(
        of subject: SubjectID, in period: Range<Timestamp>, in db: Database
    ) throws -> RatingSummary {
        var summary = RatingSummary(expected: try Subjects.expectedRating(of: subject.kind, in: db))
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT rating, count(*) AS count FROM review
                    WHERE subject = (SELECT number FROM subject WHERE id = ?)
                        -- Not by review_by_time, which would read everybody's of the period.
                        AND time >= ? AND time < ? AND +hidden = 0
                    GROUP BY rating
                    """),
            arguments: [
                subject.description, period.lowerBound.milliseconds, period.upperBound.milliseconds,
            ])
        while let row = try rows.next() {
            let rating: Int = row["rating"]
            summary.histogram[rating - 1] = row["count"]
        }
        return summary
    }

    /// A query of all subjects of a kind that have a visible rating, for embedding: `subject` (its number in the table
    /// `subject`), `count`, `total`, `mean` and `score` as ``RatingSummary`` has them.
    ///
    /// Over a period, only the ratings from its begin on and before its end count.
    ///
    /// - Complexity: O(*s*) for *s* rated subjects, or O(*k* log *k*) for *k* ratings in the period.
    public static func scores(of kind: String, in period: Range<Timestamp>? = nil) -> SQL {
        let tallies: SQL
        if let period {
            let (begin, end) = (period.lowerBound.milliseconds, period.upperBound.milliseconds)
            tallies = """
                SELECT tally.subject, tally.count, tally.total FROM (
                    SELECT subject, count(*) AS count, sum(rating) AS total FROM review
                    WHERE hidden = 0 AND time >= \(begin) AND time < \(end) GROUP BY subject
                ) AS tally JOIN rating ON rating.subject = tally.subject AND rating.kind = \(kind)
                """
        } else {
            tallies = "SELECT subject, count, total FROM rating WHERE kind = \(kind) AND count > 0"
        }
        let expected: SQL = """
            coalesce(
                (SELECT CAST(total AS REAL) / count FROM rating_of_kind WHERE kind = \(kind) AND count > 0),
                \(RatingSummary.middle))
            """
        return """
            SELECT subject, count, total, CAST(total AS REAL) / count AS mean,
                (\(RatingSummary.weight) * \(expected) + total) / (\(RatingSummary.weight) + count) AS score
            FROM (\(tallies))
            """
    }
}
