import GRDB
import RPC

/// The votes of others on whether to wear or to change what a post shows.
struct Verdict: Hashable, Sendable {
    /// One person's vote.
    enum Choice: String, CaseIterable, Sendable {
        case wear
        case change
    }

    /// The choice of the majority.
    enum Outcome: String, CaseIterable, Sendable {
        case wear = "wear it"
        case change = "change it"
        /// Both choices have the same number of votes.
        case tie
    }

    var wears = 0
    var changes = 0

    /// The choice of the majority; `nil` if nobody has voted.
    var outcome: Outcome? {
        guard wears + changes > 0 else { return nil }
        return wears == changes ? .tie : wears > changes ? .wear : .change
    }

    /// Stores a person's vote on another person's post.
    ///
    /// It cannot be changed.
    ///
    /// - Throws: ``Refusal/notAllowed(_:)`` if the person is the author or the post does not ask for votes,
    ///   ``Refusal/conflict(_:)`` if the person has voted before.
    static func add(_ choice: Choice, by person: Int64, on post: Post, in db: Database) throws {
        guard post.author != person else { throw Refusal.notAllowed("You cannot vote on your own post \(post.id).") }
        guard post.fields.isVoting else {
            throw Refusal.notAllowed("The post \(post.id) does not ask whether to wear it or to change it.")
        }
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO post_verdict (post, person, wears) VALUES (?, ?, ?)")
            .execute(arguments: [post.number, person, choice == .wear])
        guard db.changesCount > 0 else {
            throw Refusal.conflict("You have already voted on the post \(post.id).")
        }
    }
}
