import Accounts
import GRDB
import Positioning
import Service
import Store

/// Ends votes: by their limit, or when as many ballots as participants are counted and no name is to be looked at.
struct VoteEnds: TimedWork {
    let name = "votes"

    /// How many are ended in one transaction.
    private static let batch = 50
    /// The votes that have as many ballots as participants and no name to look at.
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
        // None has more left than its whole limit, even where the clock was set back since.
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

    /// Ends a vote if its last ballot is counted and no name is to be looked at.
    static func endIfFull(
        _ number: Int64, at now: Timestamp, in db: Database, _ consequences: inout Consequences
    ) throws {
        let vote = try Vote.get(number, in: db)
        guard vote.ended == nil, vote.voted >= vote.participants, !vote.hasConflict else { return }
        try end(vote, at: now, in: db, &consequences)
    }

    /// Computes the result of an open vote, once, and tells all who took part.
    private static func end(
        _ vote: Vote, at time: Timestamp, in db: Database, _ consequences: inout Consequences
    ) throws {
        let options = try vote.options(in: db)
        let seal = try vote.seal(in: db)
        var result = VoteResult(counts: options.map { _ in 0 })
        for ballot in try Ballot.counted(in: vote, in: db) {
            if let option = ballot.option(seal), options.indices.contains(option - 1) {
                result.counts[option - 1] += 1
            } else {
                // Somebody has written into the file; who it belongs to sees that it does not count.
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
        // What was never handed in is nobody's business any more.
        try db.cachedStatement(sql: "UPDATE vote_ballot SET choice = NULL WHERE vote = ? AND state = 'open'")
            .execute(arguments: [vote.number])
        try db.cachedStatement(sql: "DELETE FROM vote_conflict WHERE vote = ?").execute(arguments: [vote.number])
        consequences.geofences.append(try VoteGeofences.removal(of: vote.id, in: db))
        try tell(vote, options, result, at: time, in: db, &consequences)
    }

    private static func tell(
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
        for person in people {
            var draft = NotificationDraft(
                to: person, .vote, at: time, key: "vote/\(vote.id)/\(vote.number)/end",
                text: text, destination: vote.destination)
            draft.author = vote.initiator.map { .init($0, lasting: "The vote \(vote.id) has ended.") }
            consequences.notifications.append(draft)
        }
    }

    /// Has votes no longer watched that went with their initiator's account, and tells who had taken part.
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
        }
        try db.cachedStatement(sql: "DELETE FROM vote_gone").execute()
    }
}

extension NotificationDraft.Kind {
    /// A vote is open around here, has ended, or needs its initiator.
    static let vote = NotificationDraft.Kind(rawValue: "vote")
}
