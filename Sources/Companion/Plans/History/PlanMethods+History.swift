import Callers
import GRDB
import People
import RPC
import Service
import Time

extension PlanMethods {
    var history: [Method<Principal>] {
        [
            .stored(
                "plans.history",
                """
                Lists who changed what in a plan and when, the last change first, of the last 500 changes. Only for \
                those who may change the plan, or are members.
                """, .plan,
                Parameter<PageRequest<Int64>>.page(of: "plans.history", upTo: Self.largestPage, default: 50),
                answers: .page("changes", "The changes that you see."),
                errors: [.notFound, .notAllowed, .invalidValue], right: .person
            ) { call, id, asked in
                _ = try call.person()
                let now = context.now()
                return try await read(call) { db, person in
                    let access = try PlanAccess.plan(id, for: person, in: db)
                    if !access.edits { try access.checkMember() }
                    var page = asked.page(of: PlanHistory.Entry.self)
                    for entry in try PlanHistory.list(
                        of: access, before: asked.after, limit: asked.limit + 1, at: now, in: db)
                    {
                        guard page.append(entry, at: entry.number) else { break }
                    }
                    return page
                }
            },
            .stored(
                "plans.undo",
                """
                Undoes one change of a plan: removes what was added, puts back what was removed, and gives changed fields \
                the values that they had, unless somebody has changed them since.
                """, .plan,
                Parameter<String>.required(
                    "change", .string(length: 1...20), "The number of the change, as plans.history lists it."),
                answers: PlanHistory.Entry.shape, errors: [.notFound, .notAllowed, .conflict, .unavailable],
                right: .person
            ) { call, id, change in
                try await self.change(call) { changing, consequences in
                    try changing.undo(change, in: changing.plan(id), &consequences)
                }
            },
        ]
    }
}

extension PlanHistory.Entry: Answerable {
    static let shape = AnswerShape<PlanHistory.Entry>.object {
        Member("change", .text, "The number of the change, by which it is undone.") { String($0.number) }
        Member(
            "kind", .choice, "The kind of its subject: plan, location, activity, expense, repayment, checklist or task."
        ) { $0.kind }
        Member("subject", .text, "The subject, as KIND/ID.") { $0.subject }
        Member("deed", .choice, "What was done: added, changed, moved, removed or restored.") { $0.deed }
        Member("title", .text, "The title or name that the subject had then.") { $0.title }
        Member("fields", .array(of: .text), "The names of the changed fields; empty unless it was changed.") {
            $0.fields
        }
        Member.optional("person", PlanPerson.shape, "Who changed it; absent if the account is gone.") { $0.person }
        Member("time", .time, "When it was changed.") { $0.time }
        Member.flag("may_undo", "Whether you may undo it; absent if not.") { $0.mayUndo }
        Member.flag("undone", "Whether it was undone; absent if not.") { $0.isUndone }
    }
}

extension PlanMethods.ChangeContext {
    /// Runs a change of something in a plan, records what it changed, and tells the others.
    func changes<Value>(
        _ kind: PlanBin.Kind, _ number: Int64, in access: PlanAccess, _ consequences: inout Consequences,
        _ body: () throws -> Value
    ) throws -> Value {
        let old = try PlanHistory.Item(kind, number, in: db)
        let before = try PlanHistory.snapshot(kind, number, in: db)
        let value = try body()
        let after = try PlanHistory.snapshot(kind, number, in: db)
        guard var difference = try PlanHistory.difference(kind, from: before, to: after, in: db) else { return value }
        let item = try PlanHistory.Item(kind, number, in: db)
        // Who sees a plan and in which currency it counts, only its owner decides.
        if kind == .plan, !difference.fields.filter({ $0 == "level" || $0 == "currency" }).isEmpty {
            difference.content = nil
        }
        try PlanHistory.record(.changed, item, difference, by: person.number, in: access, at: now, in: db)
        // Who saw it before looks again, too.
        try announce(item, level: max(old.level, item.level), in: access, &consequences)
        return value
    }

    /// Runs a move of something in the order of a plan, records where it was, and tells the others.
    func moves(
        _ kind: PlanBin.Kind, _ number: Int64, in access: PlanAccess, _ consequences: inout Consequences,
        _ body: () throws -> Void
    ) throws {
        let old = try PlanHistory.place(kind, number, in: access, in: db)
        try body()
        let item = try PlanHistory.Item(kind, number, in: db)
        let difference = PlanHistory.Difference(
            from: old, to: try PlanHistory.place(kind, number, in: access, in: db))
        try PlanHistory.record(.moved, item, difference, by: person.number, in: access, at: now, in: db)
        try announce(item, level: item.level, in: access, &consequences)
    }

    /// Records that something was added to a plan or restored, and tells the others.
    func did(
        _ deed: PlanHistory.Deed, _ kind: PlanBin.Kind, _ number: Int64, in access: PlanAccess,
        _ consequences: inout Consequences
    ) throws {
        try did(deed, kind, [number], in: access, &consequences)
    }

    /// Records that several things of a plan were added or restored, and tells the others once.
    func did(
        _ deed: PlanHistory.Deed, _ kind: PlanBin.Kind, _ numbers: [Int64], in access: PlanAccess,
        _ consequences: inout Consequences
    ) throws {
        let difference: PlanHistory.Difference = kind == .plan ? .none : .whole
        let items = try numbers.map { try PlanHistory.Item(kind, $0, in: db) }
        for item in items {
            try PlanHistory.record(deed, item, difference, by: person.number, in: access, at: now, in: db)
        }
        guard let widest = items.max(by: { $0.level < $1.level }) else { return }
        try announce(widest, level: widest.level, in: access, &consequences)
    }

    /// Runs the removal of something from a plan, records it, and tells the others.
    func removes<Value>(
        _ kind: PlanBin.Kind, _ number: Int64, in access: PlanAccess, _ consequences: inout Consequences,
        _ body: () throws -> Value
    ) throws -> Value {
        let item = try PlanHistory.Item(kind, number, in: db)
        let value = try body()
        try PlanHistory.record(.removed, item, .none, by: person.number, in: access, at: now, in: db)
        try announce(item, level: item.level, in: access, &consequences)
        return value
    }

    /// Tells the pages of those who see a plan that something in it has changed that its history does not have.
    func pagesChange(of id: String, _ consequences: inout Consequences) {
        consequences.changed(SubjectID(kind: Plan.kind, id: id), at: now)
    }

    /// Undoes a change of a plan, which is a change itself.
    fileprivate func undo(
        _ change: String, in access: PlanAccess, _ consequences: inout Consequences
    ) throws -> PlanHistory.Entry {
        if !access.edits { try access.checkMember() }
        guard let number = Int64(change), let entry = try PlanHistory.find(number, of: access, at: now, in: db) else {
            throw Refusal.notFound("The history of the plan \(access.id) has no change \(change).")
        }
        let undo = { try PlanHistory.undo(entry, in: access, by: person.number, at: now, in: db) }
        switch entry.deed {
        case .removed:
            try undo()
            let item = try PlanHistory.item(entry, in: access, in: db)
            try did(.restored, entry.kind, item, in: access, &consequences)
        case .added, .restored:
            let item = try PlanHistory.item(entry, in: access, in: db)
            try removes(entry.kind, item, in: access, &consequences, undo)
        case .moved:
            let item = try PlanHistory.item(entry, in: access, in: db)
            try moves(entry.kind, item, in: access, &consequences) { try undo() }
        case .changed:
            let item = try PlanHistory.item(entry, in: access, in: db)
            try changes(entry.kind, item, in: access, &consequences, undo)
        }
        return try PlanHistory.find(number, of: access, at: now, in: db) ?? entry
    }

    /// Tells those who see an item of a change: their pages at once, and the members in their notifications.
    ///
    /// - Parameter level: Who sees it; of a personal expense, ``Level/me``.
    private func announce(
        _ item: PlanHistory.Item, level: Level, in access: PlanAccess, _ consequences: inout Consequences
    ) throws {
        let plan = SubjectID(kind: Plan.kind, id: access.id)
        guard level > .me else {
            let author = try item.author.flatMap { try People.find(number: $0, in: db)?.id }
            return consequences.changed(plan, at: now, onlyFor: author.map { [$0] } ?? [])
        }
        let members = try PlanMember.list(of: access.plan, in: db).filter { $0.state == .member }.compactMap(\.id)
        if item.kind.isMoney {
            consequences.changed(plan, at: now, onlyFor: members)
        } else if try level >= Plan.get(access.plan, in: db).fields.level {
            consequences.changed(plan, at: now)
        } else {
            let granted = try String.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT person.id FROM plan_grant JOIN person ON person.number = plan_grant.person
                        WHERE plan_grant.plan = ? ORDER BY person.id
                        """), arguments: [access.plan])
            consequences.changed(plan, at: now, onlyFor: members + granted)
        }
        consequences.acts += members.filter { $0 != person.id }.map {
            Act(.change, by: person.number, to: $0, of: plan, at: now)
        }
    }
}

extension NotificationDraft.Kind {
    /// The kind of notifications that somebody has changed a plan of which the person is a member.
    static let change = NotificationDraft.Kind(
        "change",
        .init(
            one: "has changed", several: "have changed", "a plan of yours", logText: "A plan of yours was changed."))
}
