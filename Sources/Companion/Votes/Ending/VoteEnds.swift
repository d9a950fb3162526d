import GRDB
import People
import Plans
import Service
import Store
import Time

/// Timed work that ends votes.
///
/// A vote ends at its limit, or once it has as many counted ballots as participants and no open name conflict.
struct VoteEnds: TimedWork {
    let name = "votes"

    /// The largest number of votes that one transaction ends.
    private static let batch = 50
    /// The SQL condition for open votes that have as many counted ballots as participants and no open name conflict.
    private static let full = """
        ended IS NULL AND voted >= participants
            AND NOT EXISTS (SELECT 1 FROM vote_conflict WHERE vote_conflict.vote = vote.number)
        """

    func due(at now: Timestamp, in db: Database) throws -> Timestamp? {
        let isDue = try Bool.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT EXISTS (SELECT 1 FROM vote WHERE \(Self.full))
                        OR EXISTS (SELECT 1 FROM vote WHERE ended IS NULL AND ends - span > ?)
                        OR EXISTS (SELECT 1 FROM vote_gone)
                    """), arguments: [now.milliseconds])
        guard isDue == false else { return now }
        return try Int64.fetchOne(db.cachedStatement(sql: "SELECT min(ends) FROM vote WHERE ended IS NULL"))
            .map { Timestamp(milliseconds: $0) }
    }

    func work(at now: Timestamp, in db: Database, _ consequences: inout Consequences) throws {
        try Self.forgetGone(at: now, in: db, &consequences)
        // A vote never has more time left than its whole limit, even if the clock was set back.
        try db.cachedStatement(sql: "UPDATE vote SET ends = ?1 + span WHERE ended IS NULL AND ends - span > ?1")
            .execute(arguments: [now.milliseconds])
        let numbers = try Int64.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT number FROM vote WHERE ended IS NULL AND ends <= :now
                    UNION SELECT number FROM vote WHERE \(Self.full)
                    LIMIT :batch
                    """), arguments: ["now": now.milliseconds, "batch": Self.batch])
        for number in numbers {
            let vote = try Vote.get(number, in: db)
            try Self.end(vote, at: min(now, vote.ends), in: db, &consequences)
        }
    }

    /// Ends a vote if it has as many counted ballots as participants and no open name conflict.
    static func endIfFull(
        _ number: Int64, at now: Timestamp, in db: Database, _ consequences: inout Consequences
    ) throws {
        let vote = try Vote.get(number, in: db)
        guard vote.ended == nil, vote.voted >= vote.participants, !vote.hasConflict else { return }
        try end(vote, at: now, in: db, &consequences)
    }

    /// Computes and stores the result of an open vote, and notifies the initiator and everybody who voted.
    static func end(
        _ vote: Vote, at time: Timestamp, in db: Database, _ consequences: inout Consequences
    ) throws {
        let options = try vote.options(in: db)
        let seal = try vote.seal(in: db)
        var result = VoteResult(counts: options.map { _ in 0 })
        for ballot in try Ballot.counted(in: vote, in: db) {
            if let option = ballot.option(seal), options.indices.contains(option - 1) {
                result.counts[option - 1] += 1
            } else {
                // This ballot was changed in the database file. Its owner sees that it is not counted.
                try db.cachedStatement(sql: "UPDATE vote_ballot SET state = 'removed' WHERE vote = ? AND person = ?")
                    .execute(arguments: [vote.number, ballot.person])
            }
        }
        for (index, count) in result.counts.enumerated() {
            try db.cachedStatement(sql: "UPDATE vote_option SET count = ? WHERE vote = ? AND place = ?")
                .execute(arguments: [count, vote.number, index + 1])
        }
        try db.cachedStatement(sql: "UPDATE vote SET ended = ? WHERE number = ?")
            .execute(arguments: [time.milliseconds, vote.number])
        // Choices that were never submitted are erased.
        try db.cachedStatement(sql: "UPDATE vote_ballot SET choice = NULL WHERE vote = ? AND state = 'open'")
            .execute(arguments: [vote.number])
        try db.cachedStatement(sql: "DELETE FROM vote_conflict WHERE vote = ?").execute(arguments: [vote.number])
        if vote.plan == nil { consequences.geofences.append(try VoteGeofences.removal(of: vote.id, in: db)) }
        try consequences.changed(vote, at: time, in: db)
        try notify(vote, options, result, at: time, in: db, &consequences)
    }

    private static func notify(
        _ vote: Vote, _ options: [String], _ result: VoteResult, at time: Timestamp, in db: Database,
        _ consequences: inout Consequences
    ) throws {
        let winners = result.winners.map { options[$0 - 1] }
        let text: NotificationText =
            switch winners.count {
            case 0: "The vote \(bold: vote.subject) has ended. Nobody has voted."
            case 1: "The vote \(bold: vote.subject) has ended. \(bold: winners[0]) has won."
            default:
                "The vote \(bold: vote.subject) has ended. It is a tie of \(winners.joined(separator: " and "))."
            }
        let people = try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT id FROM person WHERE number = :initiator OR number IN (
                        SELECT person FROM vote_ballot WHERE vote = :vote AND state <> 'open')
                    ORDER BY id
                    """), arguments: ["initiator": vote.initiator, "vote": vote.number])
        let circle = try vote.plan.map { try PlanCircle.people(of: $0, in: db) }
        for person in people where circle?.contains(person) ?? true {
            var draft = NotificationDraft(
                to: person, .vote, at: time, key: "\(vote.keys)end",
                text: text, destination: vote.destination)
            draft.author = vote.initiator.map { .init($0, logText: "The vote \(vote.id) has ended.") }
            consequences.notifications.append(draft)
        }
    }

    /// Removes the geofences of votes that were deleted with their initiator's account, and notifies the people who had
    /// voted.
    private static func forgetGone(at now: Timestamp, in db: Database, _ consequences: inout Consequences) throws {
        let ids = try String.fetchAll(db.cachedStatement(sql: "SELECT vote FROM vote_gone ORDER BY vote"))
        guard !ids.isEmpty else { return }
        for id in ids {
            let people = try String.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT person.id FROM vote_gone_person JOIN person ON person.number = vote_gone_person.person
                        WHERE vote = ? ORDER BY person.id
                        """), arguments: [id])
            for person in people {
                consequences.notifications.append(
                    NotificationDraft(
                        to: person, .vote, at: now, key: "vote/\(id)/gone",
                        text: "The vote \(id), in which you have voted, is gone with the account of its initiator.",
                        destination: SubjectID(kind: Vote.kind, id: id).destination))
            }
            consequences.geofences.append(try VoteGeofences.removal(of: id, in: db))
            consequences.changedSome(Vote.kind, at: now)
        }
        try db.cachedStatement(sql: "DELETE FROM vote_gone").execute()
    }
}

extension NotificationDraft.Kind {
    /// The kind of notifications about a vote that is open nearby, has ended, or needs its initiator.
    static let vote = NotificationDraft.Kind(rawValue: "vote")
    /// The kind of notifications that the person's ballot was removed from the count.
    static let ballot = NotificationDraft.Kind(rawValue: "ballot")
    /// The kind of notifications that somebody has opened a vote in a plan of the person.
    static let question = NotificationDraft.Kind(
        "question",
        .init(
            one: "has asked something in", several: "have asked something in", "a plan",
            logText: "Something was asked in a plan."))
}

extension Consequences {
    /// Announces a change of a vote to those who are in it, and to all that there is something new of votes around them.
    ///
    /// A change of a vote of a plan is announced to the people of the plan alone.
    mutating func changed(_ vote: Vote, at time: Timestamp, in db: Database) throws {
        changed(SubjectID(kind: Vote.kind, id: vote.id), at: time)
        guard let plan = vote.plan else { return changedSome(Vote.kind, at: time) }
        try PlanCircle.pagesChange(of: plan, at: time, in: db, &self)
    }
}
