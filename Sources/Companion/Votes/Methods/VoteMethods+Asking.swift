import Callers
import GRDB
import People
import Plans
import RPC
import Service

/// Votes of a plan: its people see them and vote without a passcode, and nobody else knows of them.
extension VoteMethods {
    private static let plan = Parameter<String>.required("plan", .string(length: 1...64), "The plan's id.")

    var asking: [Method<Principal>] {
        [
            .stored(
                "votes.ask",
                """
                Opens a vote in a plan that you may change. Its members, and friends who may change it, vote without a \
                passcode; nobody else knows of it. It ends once all have voted.
                """, Self.plan,
                Parameter<String>.required("subject", .string(length: 1...Vote.longestText), "What is asked."),
                Parameter<[String]>.required(
                    "options", .array(of: .string(length: 1...Vote.longestText), count: Vote.options),
                    "The options, in this order; an option such as 2026-06-12/2026-06-14 stands for these days."),
                Parameter<Vote.Limit>.optional(
                    "limit", default: .week, "The longest time that it stays open; a week by default."),
                answers: VoteDetails.shape,
                errors: [.notFound, .notAllowed, .conflict, .invalidValue, .unavailable], right: .person
            ) { call, plan, subject, options, limit in
                let viewer = call.viewer
                return try await change(call) { caller, consequences in
                    try PlanCircle.check(caller.person, plan: plan, in: caller.db)
                    try PlanCircle.checkEdits(caller.person, plan: plan, in: caller.db)
                    let people = try PlanCircle.people(of: plan, in: caller.db)
                    guard Vote.participants.contains(people.count) else {
                        throw Refusal.conflict("The plan \(plan) has nobody else to ask. Invite somebody first.")
                    }
                    let draft = try Vote.Draft(
                        given: subject, options: options, participants: people.count, limit: limit, colour: .blue)
                    try RateLimits.count(.votes, by: caller.person, now: caller.now, in: caller.db)
                    try Budget.spend(texts: [draft.subject] + draft.options, by: viewer, at: caller.now, in: caller.db)
                    let vote = try Vote.open(
                        draft, passcode: "", by: caller.person, at: nil, of: plan, now: caller.now, in: caller.db)
                    try vote.forgetOldest(in: caller.db)
                    try consequences.changed(vote, at: caller.now, in: caller.db)
                    consequences.acts += people.filter { $0 != caller.me.id }.map {
                        Act(.question, by: caller.person, to: $0, of: SubjectID(kind: "plan", id: plan), at: caller.now)
                    }
                    return try VoteDetails(vote, for: caller.person, in: caller.db)
                }
            },
            .stored(
                "votes.asked", "Lists the votes of a plan with their options, latest first. Only for its people.",
                Self.plan,
                answers: AnswerShape<[VoteDetails]>.object {
                    Member("votes", .array(of: VoteDetails.shape), "The votes, latest first.") { $0 }
                }, errors: [.notFound, .notAllowed], right: .person
            ) { call, plan in
                try await read(call) { reading in
                    try PlanCircle.check(reading.person, plan: plan, in: reading.db)
                    return try Vote.list(of: plan, in: reading.db).map {
                        try VoteDetails($0, for: reading.person, in: reading.db)
                    }
                }
            },
            .stored(
                "votes.end", "Ends a vote of a plan that you have opened, once two people have voted.", .vote,
                answers: VoteDetails.shape, errors: [.notFound, .notAllowed, .conflict], right: .person,
                question: "End the vote now?"
            ) { call, id in
                try await known(id, call)
                return try await change(call) { caller, consequences in
                    let vote = try Vote.get(id, for: caller.person, in: caller.db)
                    guard vote.plan != nil, vote.initiator == caller.person else {
                        throw Refusal.notAllowed("Only the person who opened a vote of a plan can end it.")
                    }
                    guard vote.isOpen(at: caller.now) else { throw Refusal.conflict("The vote \(id) has ended.") }
                    // The result of a single ballot would reveal its choice.
                    guard vote.voted >= Vote.participants.lowerBound else {
                        throw Refusal.conflict(
                            "Fewer than two people have voted in the vote \(id), so that its result would not be secret."
                        )
                    }
                    try VoteEnds.end(vote, at: caller.now, in: caller.db, &consequences)
                    return try VoteDetails(
                        Vote.get(vote.number, in: caller.db), for: caller.person, in: caller.db)
                }
            },
            .stored(
                "votes.remove",
                "Removes a vote of a plan with its ballots, if you have opened it or own the plan. It does not come back.",
                .vote, answers: AnswerShape<String>.object { Member("vote", .text, "The vote's id.") { $0 } },
                errors: [.notFound, .notAllowed], right: .person,
                question: "Remove the vote with its ballots? It does not come back."
            ) { call, id in
                try await known(id, call)
                return try await change(call) { caller, consequences in
                    let vote = try Vote.get(id, for: caller.person, in: caller.db)
                    let mayRemove = try vote.plan.map { plan in
                        try vote.initiator == caller.person || PlanCircle.owns(caller.person, plan: plan, in: caller.db)
                    }
                    guard let plan = vote.plan, mayRemove ?? false else {
                        throw Refusal.notAllowed(
                            "Only the person who opened a vote of a plan, or the owner of the plan, can remove it.")
                    }
                    try caller.db.cachedStatement(sql: "DELETE FROM vote WHERE vote.number = ?")
                        .execute(arguments: [vote.number])
                    for person in try PlanCircle.people(of: plan, in: caller.db) {
                        consequences.withdrawn.append(.init(of: person, keys: vote.keys))
                    }
                    try PlanCircle.pagesChange(of: plan, at: caller.now, in: caller.db, &consequences)
                    return id
                }
            },
        ]
    }
}

extension Vote {
    /// The most votes that a plan keeps; the oldest that have ended go first.
    static let maximumPerPlan = 50

    /// Returns the votes of a plan, the latest first.
    static func list(of plan: String, in db: Database) throws -> [Vote] {
        try NamedRow.soundList(
            db.cachedStatement(
                sql: """
                    SELECT \(columns) FROM vote WHERE vote.plan = ? ORDER BY vote.number DESC LIMIT \(maximumPerPlan * 2)
                    """), arguments: [plan]
        ) { try Vote($0) }
    }

    /// Deletes the oldest of the ended votes of the same plan, beyond ``maximumPerPlan``.
    fileprivate func forgetOldest(in db: Database) throws {
        try db.cachedStatement(
            sql: """
                DELETE FROM vote WHERE vote.number IN (
                    SELECT old.number FROM vote AS old WHERE old.plan = ? AND old.ended IS NOT NULL
                    ORDER BY old.number DESC LIMIT -1 OFFSET ?)
                """
        ).execute(arguments: [plan, Self.maximumPerPlan])
    }

    /// Makes a vote of a plan wait for the ballots of those who are of the plan now.
    ///
    /// It waits for two at least, so that no result reveals a choice.
    func countPeople(in db: Database) throws {
        guard let plan else { return }
        let people = try PlanCircle.people(of: plan, in: db).count
        try db.cachedStatement(
            sql: "UPDATE vote SET participants = max(vote.voted, ?) WHERE vote.number = ?"
        ).execute(arguments: [max(Self.participants.lowerBound, people), number])
    }
}
