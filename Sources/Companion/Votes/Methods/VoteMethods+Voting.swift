import Callers
import GRDB
import People
import RPC
import Service

/// Voting, and resolving name conflicts.
extension VoteMethods {
    var voting: [Method<Principal>] {
        [
            .stored(
                "votes.choose", "Chooses an option of a vote; replaces your earlier choice.", .vote,
                Parameter<Int>.required(
                    "option", .integer(in: 1...Int64(Vote.options.upperBound)), "The number of the option, from 1."),
                answers: OwnBallot.shape, errors: [.notFound, .notAllowed, .conflict, .invalidValue], right: .person
            ) { call, id, option in
                try await known(id, call)
                return try await change(call) { caller, _ in
                    let vote = try Vote.get(id, for: caller.person, in: caller.db)
                    try Ballot.choose(option, by: caller.person, in: vote, at: caller.now, in: caller.db)
                    return try OwnBallot(caller.person, in: vote, db: caller.db)
                }
            },
            .stored(
                "votes.done", "Submits your ballot: it is counted under your name, and cannot be changed any more.",
                .vote, answers: VoteDetails.shape, errors: [.notFound, .notAllowed, .conflict], right: .person,
                handler: finish),
            .stored(
                "votes.choice", "Returns your choice in a vote; no other method shows it, and nobody else sees it.",
                .vote,
                answers: OwnBallot.shape, errors: [.notFound, .notAllowed], right: .person
            ) { call, id in
                try await known(id, call)
                return try await read(call) { caller in
                    try OwnBallot(caller.person, in: Vote.get(id, for: caller.person, in: caller.db), db: caller.db)
                }
            },
        ]
    }

    var looking: [Method<Principal>] {
        let email = Parameter<String>.required(
            "email", .string(length: 1...254), "The address of the person whose ballot it is.")
        return [
            .stored(
                "votes.conflicts",
                "Lists the names under which several addresses voted in a vote of yours, the next to settle first.",
                .vote, answers: ConflictList.shape, errors: [.notFound, .notAllowed], right: .person
            ) { call, id in
                try await known(id, call)
                return try await read(call) { try ConflictList($0.own(id), in: $0.db) }
            },
            .stored(
                "votes.exclude", "Removes the ballot of an address from the count of a vote of yours.", .vote, email,
                answers: ConflictList.shape, errors: [.notFound, .notAllowed, .conflict], right: .person
            ) { call, id, email in
                try await look(call, id) { vote, caller, consequences in
                    try Conflict.setRemoved(true, email: email, in: vote, in: caller.db)
                    try Self.tell(email, isRemoved: true, from: vote, caller, &consequences)
                }
            },
            .stored(
                "votes.include", "Counts a ballot again that you have removed, while its name is not settled.", .vote,
                email,
                answers: ConflictList.shape, errors: [.notFound, .notAllowed, .conflict], right: .person
            ) { call, id, email in
                try await look(call, id) { vote, caller, consequences in
                    try Conflict.setRemoved(false, email: email, in: vote, in: caller.db)
                    try Self.tell(email, isRemoved: false, from: vote, caller, &consequences)
                }
            },
            .stored(
                "votes.settle", "Settles a name, so that the next one comes first.", .vote,
                Parameter<String?>.optional("name", .string(length: 1...500), "The name; the first one by default."),
                answers: ConflictList.shape, errors: [.notFound, .notAllowed, .conflict], right: .person
            ) { call, id, name in
                try await look(call, id) { vote, caller, _ in try Conflict.settle(name, in: vote, in: caller.db) }
            },
        ]
    }

    @Sendable private func finish(_ call: Call<Principal>, _ id: String) async throws -> VoteDetails {
        try await known(id, call)
        return try await change(call) { caller, consequences in
            let vote = try Vote.get(id, for: caller.person, in: caller.db)
            if try Ballot.finish(by: caller.me, in: vote, at: caller.now, in: caller.db) {
                try Self.warn(vote, ofNameOf: caller.me, caller, &consequences)
            }
            try consequences.changed(vote, at: caller.now, in: caller.db)
            try vote.countPeople(in: caller.db)
            try VoteEnds.endIfFull(vote.number, at: caller.now, in: caller.db, &consequences)
            return try VoteDetails(Vote.get(vote.number, in: caller.db), for: caller.person, in: caller.db)
        }
    }

    /// Notifies the initiator that several people have voted under the same name.
    private static func warn(
        _ vote: Vote, ofNameOf person: Person, _ caller: VoteContext, _ consequences: inout Consequences
    ) throws {
        guard let number = vote.initiator, let initiator = try People.find(number: number, in: caller.db) else {
            return
        }
        var draft = NotificationDraft(
            to: initiator.id, .vote, at: caller.now, key: "vote/\(vote.id)/\(vote.number)/name/\(person.number)",
            text:
                "Something is wrong with the vote \(bold: vote.subject): several people are called \(bold: person.name).",
            destination: vote.destination)
        draft.author = .init(person.number, logText: "Something is wrong with the vote \(vote.id).")
        consequences.notifications.append(draft)
    }

    /// Tells a person that their ballot was removed from the count, or no longer that it was.
    private static func tell(
        _ email: String, isRemoved: Bool, from vote: Vote, _ caller: VoteContext, _ consequences: inout Consequences
    ) throws {
        let owner = try String.fetchOne(
            caller.db.cachedStatement(sql: "SELECT person.id FROM person WHERE person.email = ?"),
            arguments: [email.lowercased()])
        guard let owner, owner != caller.me.id else { return }
        let keys = "ballot/\(vote.id)/\(vote.number)/"
        consequences.withdrawn.append(.init(of: owner, keys: keys))
        guard isRemoved else { return }
        var draft = NotificationDraft(
            to: owner, .ballot, at: caller.now, key: "\(keys)\(caller.now)",
            text: "Your ballot was removed from the vote \(bold: vote.subject) and is not counted.",
            destination: vote.destination)
        draft.author = .init(
            caller.person, logText: "Your ballot was removed from the vote \(vote.id) and is not counted.")
        consequences.notifications.append(draft)
    }

    /// Runs a change to a name conflict in an open vote of the caller's.
    private func look(
        _ call: Call<Principal>, _ id: String,
        _ body: @escaping @Sendable (_ vote: Vote, _ caller: VoteContext, inout Consequences) throws -> Void
    ) async throws -> ConflictList {
        try await known(id, call)
        return try await change(call) { caller, consequences in
            let vote = try caller.ownOpen(id)
            try body(vote, caller, &consequences)
            try consequences.changed(vote, at: caller.now, in: caller.db)
            try VoteEnds.endIfFull(vote.number, at: caller.now, in: caller.db, &consequences)
            return try ConflictList(Vote.get(vote.number, in: caller.db), in: caller.db)
        }
    }
}
