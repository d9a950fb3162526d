import Accounts
import GRDB
package import Positioning
package import RPC
package import Service

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

    package static let shape = Shape<Review>.object {
        Member("id", .text, "What it is known by.") { $0.id }
        Member("subject", .text, "What it is about, as KIND/ID.") { $0.subject.description }
        Member("author", PersonRow.shape, "Who wrote it.") { $0.author }
        Member("rating", .integer(ratingSchema), "How good, 5 being best.") { $0.rating }
        Member.optional("text", .text, "What they say besides.") { $0.text }
        Member("time", .time, "When it was written, or last changed.") { $0.time }
        Member("agrees", .integer, "How many people agree with it.") { $0.agrees }
        Member.optional("agreed", .boolean, "Whether you agree; left out where nobody is signed in.") { $0.isAgreed }
        Member.optional("flagged", .boolean, "Whether you have flagged it; left out where nobody is signed in.") {
            $0.isFlagged
        }
        Member.optional("flags", .integer, "How many flags are to be decided upon; only for who decides.") { $0.flags }
        Member.flag("hidden", "True where only its author and those who decide see it.") { $0.isHidden }
    }

    static let ratingSchema = Schema.integer(in: 1...5)
}
