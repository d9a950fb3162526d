import GRDB
import People
package import RPC
package import Service
package import Time

/// A person's review of a subject, as the caller may see it.
package struct Review: Answerable, Sendable {
    /// The row number in the table `review`.
    ///
    /// The id is the same number as text.
    package var number: Int64
    /// The subject of the review.
    package var subject: SubjectID
    /// The author's row number in the table `person`.
    var authorNumber: Int64
    /// The author.
    var author: PersonRow
    /// The number of stars, from 1 to 5.
    var rating: Int
    /// The author's words; `nil` if the review has none.
    package var text: String?
    /// The time at which it was written or last changed.
    package var time: Timestamp
    /// The number of people who agree with it.
    var agrees: Int
    /// The number of flags that await a decision; `nil` unless the caller is an administrator.
    var flags: Int?
    /// Whether only its author and administrators see it.
    var isHidden: Bool
    /// Whether the caller agrees with it; `nil` if nobody is signed in.
    var isAgreed: Bool?
    /// Whether the caller has flagged it; `nil` if nobody is signed in.
    var isFlagged: Bool?

    /// The longest text, in bytes: an article of two thousand words.
    static let longestText = 10_000

    /// The review's id.
    package var id: String { String(number) }

    package static let shape = AnswerShape<Review>.object {
        Member("id", .text, "The id.") { $0.id }
        Member("subject", .text, "The subject, as KIND/ID.") { $0.subject.description }
        Member("author", PersonRow.shape, "The author.") { $0.author }
        Member("rating", .integer(ratingSchema), "The number of stars; 5 is best.") { $0.rating }
        Member.optional("text", .text, "The author's words.") { $0.text }
        Member("time", .time, "The time at which it was written or last changed.") { $0.time }
        Member("agrees", .integer, "The number of people who agree with it.") { $0.agrees }
        Member.optional("agreed", .boolean, "Whether you agree; absent if nobody is signed in.") { $0.isAgreed }
        Member.optional("flagged", .boolean, "Whether you have flagged it; absent if nobody is signed in.") {
            $0.isFlagged
        }
        Member.optional("flags", .integer, "The number of flags that await a decision; only for administrators.") {
            $0.flags
        }
        Member.flag("hidden", "Whether only its author and administrators see it.") { $0.isHidden }
    }

    static let ratingSchema = Schema.integer(in: 1...5)
}
