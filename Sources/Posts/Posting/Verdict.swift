import GRDB
import RPC

/// How many would wear what a post shows, and how many would change it.
struct Verdict: Hashable, Sendable {
    /// What one person says.
    enum Choice: String, CaseIterable, Sendable {
        case wear
        case change
    }

    /// What most say.
    enum Outcome: String, CaseIterable, Sendable {
        case wear = "wear it"
        case change = "change it"
        /// As many say the one as the other.
        case tie
    }

    var wears = 0
    var changes = 0

    /// What most say; nil where nobody has said anything.
    var outcome: Outcome? {
        guard wears + changes > 0 else { return nil }
        return wears == changes ? .tie : wears > changes ? .wear : .change
    }

    /// Takes down what someone says of another's post, once.
    ///
    /// - Throws: ``Refusal/notAllowed(_:)`` where it is theirs, or nobody is asked, ``Refusal/conflict(_:)`` where they
    ///   have said it already.
    static func add(_ choice: Choice, by person: Int64, on post: Post, in db: Database) throws {
        guard post.author != person else { throw Refusal.notAllowed("The post \(post.id) is yours; others say.") }
        guard post.fields.isVoting else {
            throw Refusal.notAllowed("Nobody is asked whether to wear or to change what the post \(post.id) shows.")
        }
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO post_verdict (post, person, wears) VALUES (?, ?, ?)")
            .execute(arguments: [post.number, person, choice == .wear])
        guard db.changesCount > 0 else {
            throw Refusal.conflict("You have said already whether to wear it or to change it.")
        }
    }
}
