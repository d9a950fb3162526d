import GRDB
import RPC
import Service

/// A name under which several people have voted, for the initiator to check.
struct Conflict: Hashable, Sendable {
    /// A ballot under the name.
    struct Claim: Hashable, Sendable {
        var email: String
        /// Whether the initiator has removed the ballot.
        var isRemoved: Bool
    }

    var name: String
    /// The ballots, sorted by address, so that their order does not reveal who voted first.
    var claims: [Claim]

    /// Returns the open conflicts of a vote in the order in which they arose.
    static func list(of vote: Vote, in db: Database) throws -> [Conflict] {
        let rows = try NamedRow.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT vote_conflict.number AS conflict, vote_ballot.name, vote_ballot.state, person.email
                    FROM vote_conflict
                    JOIN vote_ballot ON vote_ballot.vote = vote_conflict.vote
                        AND vote_ballot.name_key = vote_conflict.name_key
                    JOIN person ON person.number = vote_ballot.person
                    WHERE vote_conflict.vote = ? ORDER BY vote_conflict.number, person.email
                    """), arguments: [vote.number])
        var conflicts: [Conflict] = []
        var last: Int64?
        while let row = try rows.next() {
            if last != row["conflict"] { conflicts.append(Conflict(name: row["name"], claims: [])) }
            last = row["conflict"]
            conflicts[conflicts.endIndex - 1].claims.append(
                Claim(email: row["email"], isRemoved: row["state"] == Ballot.State.removed.rawValue))
        }
        return conflicts
    }

    /// Removes the ballot of an address from the count or restores it, while its name conflict is open.
    ///
    /// - Throws: ``Refusal/notFound(_:)`` if no open conflict has a ballot of the address.
    static func setRemoved(_ isRemoved: Bool, email: String, in vote: Vote, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                UPDATE vote_ballot SET state = ?
                WHERE vote = ? AND person = (SELECT number FROM person WHERE email = ?) AND name_key IN (
                    SELECT name_key FROM vote_conflict WHERE vote = vote_ballot.vote)
                """
        ).execute(arguments: [
            (isRemoved ? Ballot.State.removed : .counted).rawValue, vote.number, email.lowercased(),
        ])
        guard db.changesCount > 0 else {
            throw Refusal.notFound(
                "The vote \(vote.id) has no unsettled ballot of \(email). votes.conflicts lists the unsettled ballots."
            )
        }
    }

    /// Closes a name conflict.
    ///
    /// Its ballots count, except those that were removed.
    ///
    /// - Parameter name: The name; `nil` for that of the first conflict.
    /// - Throws: ``Refusal/notFound(_:)`` if the name has no open conflict.
    static func settle(_ name: String?, in vote: Vote, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                DELETE FROM vote_conflict WHERE number = (
                    SELECT min(number) FROM vote_conflict WHERE vote = :vote AND (:key IS NULL OR name_key = :key))
                """
        ).execute(arguments: ["vote": vote.number, "key": name.map(VoteText.key)])
        guard db.changesCount > 0 else {
            throw Refusal.notFound(
                name.map { "The vote \(vote.id) has no unsettled name \($0)." }
                    ?? "The vote \(vote.id) has no unsettled names.")
        }
    }
}
