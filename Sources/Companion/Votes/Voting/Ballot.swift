import Foundation
import GRDB
import People
import RPC
import Service
import Time

/// A person's ballot in a vote.
struct Ballot: Hashable, Sendable {
    /// The state of a ballot.
    enum State: String, CaseIterable, Sendable {
        /// The person may choose an option and change the choice.
        case open
        /// The person has submitted the ballot, and it counts.
        case counted
        /// The person has submitted the ballot, but it does not count because the initiator has removed it.
        case removed
    }

    var vote: Int64
    var person: Int64
    var state: State
    /// The sealed choice; `nil` before the person has chosen.
    private var choice: Data?

    private init(_ row: NamedRow) {
        vote = row["vote"]
        person = row["person"]
        state = State(rawValue: row["state"]) ?? .removed
        choice = row["choice"]
    }

    /// Returns the ballot of a person; `nil` if the person has not been admitted.
    static func find(_ person: Int64, in vote: Vote, in db: Database) throws -> Ballot? {
        try NamedRow.fetchOne(
            db.cachedStatement(
                sql: "SELECT vote, person, state, choice FROM vote_ballot WHERE vote = ? AND person = ?"),
            arguments: [vote.number, person]
        ).map(Ballot.init)
    }

    /// Admits a person who has given the passcode, or who has opened the vote.
    static func admit(_ person: Int64, to vote: Vote, in db: Database) throws {
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO vote_ballot (vote, person) VALUES (?, ?)")
            .execute(arguments: [vote.number, person])
    }

    /// Returns the ballot of a person who may vote.
    ///
    /// - Throws: ``Refusal/notAllowed(_:)`` if the person has not been admitted, ``Refusal/conflict(_:)`` if the vote
    ///   has ended or the person has submitted the ballot.
    private static func voting(_ person: Int64, in vote: Vote, at now: Timestamp, in db: Database) throws -> Ballot {
        // Whoever knows of a vote of a plan may vote.
        if vote.initiator == person || vote.plan != nil { try admit(person, to: vote, in: db) }
        guard let ballot = try find(person, in: vote, in: db) else { throw Refusal.notAdmitted(vote) }
        guard vote.isOpen(at: now) else { throw Refusal.conflict("The vote \(vote.id) has ended.") }
        guard ballot.state == .open else {
            throw Refusal.conflict(
                "You have already voted in the vote \(vote.id). A submitted ballot cannot be changed.")
        }
        return ballot
    }

    /// Stores the choice of an option by its number, and replaces an earlier choice.
    static func choose(_ option: Int, by person: Int64, in vote: Vote, at now: Timestamp, in db: Database) throws {
        _ = try voting(person, in: vote, at: now, in: db)
        let count = try vote.options(in: db).count
        guard (1...max(1, count)).contains(option) else { throw Refusal.invalid("option", "must be 1 to \(count)") }
        let sealed = try vote.seal(in: db).seal(option, vote: vote.number, person: person)
        try db.cachedStatement(sql: "UPDATE vote_ballot SET choice = ? WHERE vote = ? AND person = ?")
            .execute(arguments: [sealed, vote.number, person])
    }

    /// Submits the ballot of a person under their current name.
    ///
    /// It cannot be changed afterwards.
    ///
    /// - Returns: Whether the ballot caused a new name conflict, which the initiator must be notified of.
    static func finish(by person: Person, in vote: Vote, at now: Timestamp, in db: Database) throws -> Bool {
        let ballot = try voting(person.number, in: vote, at: now, in: db)
        guard ballot.choice != nil else {
            throw Refusal.conflict("You have not chosen an option. Call votes.choose first.")
        }
        let key = VoteText.key(ofName: person.name)
        let others = try Int.fetchOne(
            db.cachedStatement(
                sql: "SELECT count(*) FROM vote_ballot WHERE vote = ? AND name_key = ? AND state = 'counted'"),
            arguments: [vote.number, key])
        try db.cachedStatement(
            sql: "UPDATE vote_ballot SET state = 'counted', name = ?, name_key = ? WHERE vote = ? AND person = ?"
        ).execute(arguments: [person.name, key, vote.number, person.number])
        // The people of a plan are known by their accounts.
        guard vote.plan == nil, others ?? 0 > 0 else { return false }
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO vote_conflict (vote, name_key) VALUES (?, ?)")
            .execute(arguments: [vote.number, key])
        return db.changesCount > 0
    }

    /// Returns the number of the chosen option; `nil` before a choice, or if the ballot was tampered with.
    func option(_ seal: BallotSeal) -> Int? { choice.flatMap { seal.open($0, vote: vote, person: person) } }

    /// Returns the counted ballots of a vote.
    static func counted(in vote: Vote, in db: Database) throws -> [Ballot] {
        try NamedRow.list(
            db.cachedStatement(
                sql: "SELECT vote, person, state, choice FROM vote_ballot WHERE vote = ? AND state = 'counted'"),
            arguments: [vote.number], Ballot.init)
    }
}

extension Vote {
    /// Returns the seal of the vote's ballots.
    func seal(in db: Database) throws -> BallotSeal {
        let key = try Data.fetchOne(
            db.cachedStatement(sql: "SELECT seal FROM vote WHERE number = ?"), arguments: [number])
        return BallotSeal(key ?? Data())
    }

    /// Returns the names on the counted ballots, sorted by name.
    ///
    /// Ballots of deleted accounts are gone.
    func names(in db: Database) throws -> [String] {
        try String.fetchAll(
            db.cachedStatement(
                sql: "SELECT name FROM vote_ballot WHERE vote = ? AND state = 'counted' ORDER BY name_key, number"),
            arguments: [number])
    }
}

extension Refusal {
    /// Creates the refusal for a person who has not been admitted.
    static func notAdmitted(_ vote: Vote) -> Refusal {
        .notAllowed("The vote \(vote.id) requires its passcode. Ask its initiator for it, and give it to votes.get.")
    }
}
