import Callers
import GRDB
import People
import RPC
import Service

extension PlanMethods {
    private static let entries = AnswerShape<[PlanBin.Entry]>.object {
        Member("removed", .array(of: PlanBin.Entry.shape), "What was removed, the last first.") { $0 }
    }

    var bin: [Method<Principal>] {
        [
            .stored(
                "plans.bin",
                """
                Lists what you removed from a plan in the last 30 days, or the plans that you removed. If you own the \
                plan, it also lists what others removed.
                """,
                Parameter<String?>.optional(
                    "plan", .string(length: 1...64), "The id of the plan; without it, the plans that you removed."),
                answers: Self.entries, errors: [.notFound], right: .person
            ) { call, id in
                _ = try call.person()
                let now = context.now()
                return try await read(call) { db, person in
                    if let id {
                        return try PlanBin.list(of: PlanAccess.plan(id, for: person, in: db), at: now, in: db)
                    }
                    return try person.map { try PlanBin.plans(of: $0, at: now, in: db) } ?? []
                }
            },
            .stored(
                "plans.restore", "Puts back what was removed from a plan, or a plan, as it was.",
                Parameter<String>.required(
                    "removed", .string(length: 1...80), "Its kind and id, as plans.bin lists it: activity/ID."),
                answers: PlanBin.Entry.shape, errors: [.notFound, .notAllowed, .conflict, .unavailable], right: .person
            ) { call, removed in
                try await change(call) { changing, consequences in
                    let entry = try PlanBin.restore(
                        removed, by: changing.person.number, at: changing.now, in: changing.db)
                    try changing.restored(entry, &consequences)
                    return entry
                }
            },
        ]
    }
}

extension PlanMethods.ChangeContext {
    /// Records that something was put back, and tells the others.
    fileprivate func restored(_ entry: PlanBin.Entry, _ consequences: inout Consequences) throws {
        let table = entry.kind.rawValue
        let number = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT \(table).number FROM \(table) WHERE \(table).id = ?"),
            arguments: [SubjectID(entry.subject)?.id])
        guard let number else { return }
        try did(.restored, entry.kind, number, in: plan(entry.plan), &consequences)
    }
}

extension PlanBin.Entry: Answerable {
    static let shape = AnswerShape<PlanBin.Entry>.object {
        Member("removed", .text, "The kind and the id, by which it is put back.") { $0.subject }
        Member("kind", .choice, "The kind: plan, location, activity, expense, repayment, checklist or task.") {
            $0.kind
        }
        Member("title", .text, "The title or the name.") { $0.title }
        Member.optional("person", .text, "The username of who removed it; absent if the account is gone.") { $0.person }
        Member("time", .time, "When it was removed.") { $0.time }
        Member("until", .time, "Until when it can be put back.") { $0.until }
    }
}
