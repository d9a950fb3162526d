import Accounts
import Foundation
import GRDB
import Positioning
import RPC
import Service

/// What one person has to say in a vote.
struct Ballot: Hashable, Sendable {
    /// How far it is.
    enum State: String, CaseIterable, Sendable {
        /// They may choose, and choose otherwise.
        case open
        /// They are done, and it counts.
        case counted
        /// They are done, and the initiator has removed it: it does not count.
        case removed
    }

    var vote: Int64
    var person: Int64
    var state: State
    /// What was chosen, sealed; nil before that.
    private var choice: Data?

    private init(_ row: NamedRow) {
        vote = row["vote"]
        person = row["person"]
        state = State(rawValue: row["state"]) ?? .removed
        choice = row["choice"]
    }

    /// The ballot of a person; nil where they were not let in.
    static func find(_ person: Int64, in vote: Vote, in db: Database) throws -> Ballot? {
        try NamedRow.fetchOne(
            db.cachedStatement(
                sql: "SELECT vote, person, state, choice FROM vote_ballot WHERE vote = ? AND person = ?"),
            arguments: [vote.number, person]
        ).map(Ballot.init)
    }

    /// Lets a person in, who has given the passcode, or opened the vote.
    static func admit(_ person: Int64, to vote: Vote, in db: Database) throws {
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO vote_ballot (vote, person) VALUES (?, ?)")
            .execute(arguments: [vote.number, person])
    }

    /// The ballot of a person who may vote.
    ///
    /// - Throws: ``Refusal/notAllowed(_:)`` where they were not let in, ``Refusal/conflict(_:)`` where the vote has
    ///   ended or they are done.
    private static func voting(_ person: Int64, in vote: Vote, at now: Timestamp, in db: Database) throws -> Ballot {
        if vote.initiator == person { try admit(person, to: vote, in: db) }
        guard let ballot = try find(person, in: vote, in: db) else { throw Refusal.shut(vote) }
        guard vote.isOpen(at: now) else { throw Refusal.conflict("The vote \(vote.id) has ended.") }
        guard ballot.state == .open else {
            throw Refusal.conflict("You have voted already in the vote \(vote.id); a ballot cannot be changed then.")
        }
        return ballot
    }

    /// Chooses an option by its number, in place of the one chosen before.
    static func choose(_ option: Int, by person: Int64, in vote: Vote, at now: Timestamp, in db: Database) throws {
        _ = try voting(person, in: vote, at: now, in: db)
        let count = try vote.options(in: db).count
        guard (1...max(1, count)).contains(option) else { throw Refusal.invalid("option", "must be 1 to \(count)") }
        let sealed = try vote.seal(in: db).seal(option, vote: vote.number, person: person)
        try db.cachedStatement(sql: "UPDATE vote_ballot SET choice = ? WHERE vote = ? AND person = ?")
            .execute(arguments: [sealed, vote.number, person])
    }

    /// Counts the ballot of a person under the name that they have now; it stays as it is from then on.
    ///
    /// - Returns: whether it has brought a name twice, which the initiator is to be told of.
    static func finish(by person: Person, in vote: Vote, at now: Timestamp, in db: Database) throws -> Bool {
        let ballot = try voting(person.number, in: vote, at: now, in: db)
        guard ballot.choice != nil else { throw Refusal.conflict("Choose an option first; votes.choose does that.") }
        let key = VoteText.key(ofName: person.name)
        let others = try Int.fetchOne(
            db.cachedStatement(
                sql: "SELECT count(*) FROM vote_ballot WHERE vote = ? AND name_key = ? AND state = 'counted'"),
            arguments: [vote.number, key])
        try db.cachedStatement(
            sql: "UPDATE vote_ballot SET state = 'counted', name = ?, name_key = ? WHERE vote = ? AND person = ?"
        ).execute(arguments: [person.name, key, vote.number, person.number])
        guard others ?? 0 > 0 else { return false }
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO vote_conflict (vote, name_key) VALUES (?, ?)")
            .execute(arguments: [vote.number, key])
        return db.changesCount > 0
    }

    /// The number of the option that was chosen; nil before that, and for a ballot that was tampered with.
    func option(_ seal: BallotSeal) -> Int? { choice.flatMap { seal.open($0, vote: vote, person: person) } }

    /// The ballots of a vote that count.
    static func counted(in vote: Vote, in db: Database) throws -> [Ballot] {
        try NamedRow.list(
            db.cachedStatement(
                sql: "SELECT vote, person, state, choice FROM vote_ballot WHERE vote = ? AND state = 'counted'"),
            arguments: [vote.number], Ballot.init)
    }
}

extension Vote {
    /// What its ballots are sealed with.
    func seal(in db: Database) throws -> BallotSeal {
        let key = try Data.fetchOne(
            db.cachedStatement(sql: "SELECT seal FROM vote WHERE number = ?"), arguments: [number])
        return BallotSeal(key ?? Data())
    }

    /// The names of those whose ballots count, by name; of accounts that are gone there is none.
    func names(in db: Database) throws -> [String] {
        try String.fetchAll(
            db.cachedStatement(
                sql: "SELECT name FROM vote_ballot WHERE vote = ? AND state = 'counted' ORDER BY name_key, number"),
            arguments: [number])
    }
}

extension Refusal {
    /// What someone is told who has not given the passcode.
    static func shut(_ vote: Vote) -> Refusal {
        .notAllowed("The vote \(vote.id) opens by its passcode, which its initiator tells; give it to votes.get.")
    }
}
