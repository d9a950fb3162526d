import Accounts
import GRDB
package import Positioning
package import RPC
package import Service

/// What someone says of a subject, as someone who may see it sees it.
package struct Review: Answerable, Sendable {
    /// Its number in the table `review`, which is its id as text.
    package var number: Int64
    /// What it is about.
    package var subject: SubjectID
    /// The number of who wrote it.
    var authorNumber: Int64
    /// Who wrote it.
    var author: PersonRow
    /// 1 to 5.
    var rating: Int
    /// What they say besides; nil where nothing.
    package var text: String?
    /// When it was written, or last changed.
    package var time: Timestamp
    /// How many agree with it.
    var agrees: Int
    /// How many flags nobody has decided upon; nil for who decides nothing.
    var flags: Int?
    /// Whether only its author and those who decide see it.
    var isHidden: Bool
    /// Whether the caller agrees with it; nil where nobody is signed in.
    var isAgreed: Bool?
    /// Whether the caller has flagged it; nil where nobody is signed in.
    var isFlagged: Bool?

    /// The longest text, in bytes: two thousand words are an article.
    static let longestText = 10_000

    /// Its id.
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
