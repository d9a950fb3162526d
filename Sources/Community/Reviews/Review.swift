import Accounts
import GRDB
package import Positioning
import RPC
package import Service
import TextCoding

/// What someone says of a subject, as someone who may see it sees it.
package struct Review: Sendable {
    /// Its number in the table `review`, which is its id as text.
    package var number: Int64
    /// What it is about.
    package var subject: SubjectID
    /// The number of who wrote it.
    var authorNumber: Int64
    /// Who wrote it.
    var author: Person.RowMembers
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
    /// Whether who asks agrees with it; nil where nobody is signed in.
    var isAgreed: Bool?
    /// Whether who asks has flagged it; nil where nobody is signed in.
    var isFlagged: Bool?

    /// The longest text, in bytes: two thousand words are an article.
    static let longestText = 10_000

    /// Its id.
    package var id: String { String(number) }

    /// Writes all of it.
    func writeMembers(to json: inout JSONWriter) {
        json.member("id", id)
        json.member("subject", subject.description)
        json.object("author") { author.write(to: &$0) }
        json.member("rating", rating)
        json.member("text", text)
        json.member("time", time.description)
        json.member("agrees", agrees)
        json.member("agreed", isAgreed)
        json.member("flagged", isFlagged)
        json.member("flags", flags)
        json.member("hidden", isHidden ? true : nil)
    }

    static let schema = Schema.object([
        .required("id", .string, "What it is known by."),
        .required("subject", .string, "What it is about, as KIND/ID."),
        .required("author", .object(Person.row), "Who wrote it."),
        .required("rating", ratingSchema, "How good, 5 being best."),
        .optional("text", .string, "What they say besides."),
        .required("time", Parameter.time, "When it was written, or last changed."),
        .required("agrees", .integer, "How many people agree with it."),
        .optional("agreed", .boolean, "Whether you agree; left out where nobody is signed in."),
        .optional("flagged", .boolean, "Whether you have flagged it; left out where nobody is signed in."),
        .optional("flags", .integer, "How many flags are to be decided upon; only for who decides."),
        .optional("hidden", .boolean, "True where only its author and those who decide see it."),
    ])

    static let ratingSchema = Schema.integer(in: 1...5)
}
