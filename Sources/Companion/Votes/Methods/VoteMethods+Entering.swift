import Callers
import GRDB
import People
import Positioning
import RPC
import Service
import Time

/// Opening votes and admitting people.
extension VoteMethods {
    @Sendable func open(_ call: Call<Principal>, _ opening: VoteOpening) async throws -> VoteDetails {
        let draft = opening.draft
        let (viewer, origin) = (call.viewer, call.caller.origin)
        let fix = try await place(of: call)
        let now = context.now()
        let age = fix.time.map { now.milliseconds - $0.milliseconds }
        guard let age, age <= Self.oldestFix else {
            throw Refusal.unavailable(
                "The latest fix of the device that carries you is older than 10 minutes. Wait for a new one.")
        }
        guard age >= -Self.oldestFix else {
            throw Refusal.unavailable(
                "The latest fix of the device that carries you is more than 10 minutes ahead of this machine's clock. "
                    + "Wait for a new one, or let the administrator check the clock.")
        }
        // The attempt is counted before the passcode is hashed.
        try await change(call) { caller, _ in
            try RateLimits.count(.votes, by: caller.person, now: caller.now, in: caller.db)
            try RateLimits.count(.passcodes, by: caller.person, now: caller.now, in: caller.db)
            try Budget.spend(texts: [draft.subject] + draft.options, by: viewer, at: caller.now, in: caller.db)
        }
        let kept = try await passwords.hash(opening.passcode, for: origin)
        return try await change(call) { caller, consequences in
            let vote = try Vote.open(
                draft, passcode: kept, by: caller.person, at: fix.coordinate, now: caller.now, in: caller.db)
            consequences.geofences = try VoteGeofences.watching(vote, in: caller.db)
            try consequences.changed(vote, at: now, in: caller.db)
            return try VoteDetails(vote, for: caller.person, in: caller.db)
        }
    }

    @Sendable func get(_ call: Call<Principal>, _ id: String, passcode: String?) async throws -> VoteDetails {
        try await known(id, call)
        let details = try await read(call) { caller in
            let vote = try Vote.get(id, for: caller.person, in: caller.db)
            let isIn =
                try vote.initiator == caller.person || vote.plan != nil
                || Ballot.find(caller.person, in: vote, in: caller.db) != nil
            guard isIn || passcode != nil else { throw Refusal.notAdmitted(vote) }
            return isIn ? try VoteDetails(vote, for: caller.person, in: caller.db) : nil
        }
        if let details { return details }
        try await check(passcode ?? "", of: id, for: call)
        return try await change(call) { caller, _ in
            let vote = try Vote.get(id, for: caller.person, in: caller.db)
            try Ballot.admit(caller.person, to: vote, in: caller.db)
            return try VoteDetails(vote, for: caller.person, in: caller.db)
        }
    }

    /// Verifies a passcode.
    ///
    /// Every attempt is counted before it is verified, so that concurrent attempts cannot evade the limits. The
    /// initiator is notified of wrong passcodes.
    ///
    /// - Throws: `Refusal.notAllowed` if the passcode is wrong, `Refusal.unavailable` with the time to wait after too
    ///   many attempts.
    private func check(_ passcode: String, of id: String, for call: Call<Principal>) async throws {
        let (person, origin, now) = (try call.person(), call.caller.origin, context.now())
        let kept = try await context.editor.decide { db, consequences -> Result<String, Refusal> in
            let me = try People.get(person, in: db)
            let vote = try Vote.find(id, for: me.number, in: db)
            guard let vote else { return .failure(Refusal.absent("vote", id: id)) }
            do {
                try RateLimits.count(.passcodes, by: me.number, now: now, in: db)
                try RateLimits.count(.passcodesOfVote, by: 0, at: vote.id, now: now, in: db)
                try RateLimits.count(.passcode, by: me.number, at: vote.id, now: now, in: db)
            } catch let refusal as Refusal {
                Self.warn(
                    vote, of: me, "has given too many wrong passcodes and has to wait", now, &consequences, in: db)
                return .failure(refusal)
            }
            return .success(
                try String.fetchOne(
                    db.cachedStatement(sql: "SELECT passcode FROM vote WHERE number = ?"), arguments: [vote.number])
                    ?? "")
        }
        let isRight = try await passwords.verify(passcode, against: kept, for: origin).isRight
        try await context.editor.decide { db, consequences -> Result<Void, Refusal> in
            let me = try People.get(person, in: db)
            let vote = try Vote.find(id, for: me.number, in: db)
            guard let vote else { return .failure(Refusal.absent("vote", id: id)) }
            guard isRight else {
                try db.cachedStatement(sql: "UPDATE vote SET tries = tries + 1 WHERE number = ?")
                    .execute(arguments: [vote.number])
                Self.warn(vote, of: me, "has given a wrong passcode", now, &consequences, in: db)
                return .failure(
                    .notAllowed("That is not the passcode of the vote \(id). Ask the person who opened it."))
            }
            try RateLimits.forget(.passcode, by: me.number, at: vote.id, in: db)
            return .success(())
        }
    }

    /// Notifies the initiator of something that a person did, once for each person.
    private static func warn(
        _ vote: Vote, of person: Person, _ deed: String, _ now: Timestamp, _ consequences: inout Consequences,
        in db: Database
    ) {
        guard let number = vote.initiator, let initiator = try? People.find(number: number, in: db) else { return }
        var draft = NotificationDraft(
            to: initiator.id, .vote, at: now, key: "vote/\(vote.id)/\(vote.number)/\(deed)/\(person.number)",
            text: "\(bold: person.name) \(deed) for the vote \(bold: vote.subject).", destination: vote.destination)
        draft.author = .init(person.number, logText: "\(bold: person.id) \(deed) for the vote \(vote.id).")
        consequences.notifications.append(draft)
    }
}
