import Callers
import GRDB
import People
import RPC
import Service

extension PlanMethods {
    var checklists: [Method<Principal>] { changingChecklists + changingTasks }

    private static let title = Parameter<String>.required(
        "title", .string(length: 1...PlanText.longestLine), "The title.")
    private static let newTitle = Field.optional("title", .string(length: 1...PlanText.longestLine), "The title.")
    private static let taskFields: [Field] = [
        .optional(
            "person", .string(length: 0...200),
            "The username of the member who does it; an empty text for nobody. Only members see and set it."),
        .optional(
            "day", .string(length: 0...10),
            "The day by which it is to be done, such as 2026-05-01; an empty text for none."
        ),
        .optional("done", .boolean, "Whether it is done; not done at first."),
    ]

    private var changingChecklists: [Method<Principal>] {
        [
            .stored(
                "checklists.list",
                "Returns the lists of a plan that you see, such as what to pack, with their entries.",
                .plan,
                answers: AnswerShape<[ChecklistRow]>.object {
                    Member("checklists", .array(of: ChecklistRow.shape), "The lists, the oldest first.") { $0 }
                }, errors: [.notFound], right: .read
            ) { call, id in
                try await read(call) { db, person in
                    try ChecklistRow.list(of: PlanAccess.plan(id, for: person, in: db), in: db)
                }
            },
            .stored(
                "checklists.add", "Adds a list to a plan, for what to do or to pack.", .plan, Self.title,
                GivenFields.parameter([GivenFields.level]), answers: ChecklistRow.shape,
                errors: [.notFound, .notAllowed, .invalidValue, .unavailable], right: .person
            ) { call, id, title, given in
                try await change(call) { changing, consequences in
                    let access = try changing.plan(id)
                    var fields = Checklist.Fields(title: title)
                    try given.set(&fields.level)
                    try changing.spend([fields.title])
                    let number = try Checklist.create(fields, in: access, at: changing.now, in: changing.db)
                    try changing.did(.added, .checklist, number, in: access, &consequences)
                    return try ChecklistRow(number, of: access, in: changing.db)
                }
            },
            .stored(
                "checklists.update", "Changes the given fields of a list and keeps the others.", .checklist,
                GivenFields.parameter([Self.newTitle, GivenFields.level]), Parameter<Int64?>.revision,
                answers: ChecklistRow.shape,
                errors: [.notFound, .notAllowed, .conflict, .invalidValue, .unavailable], right: .person
            ) { call, id, given, revision in
                try await change(call) { changing, consequences in
                    let (access, number) = try changing.item("checklist", id)
                    var fields = try Checklist.get(number, in: changing.db).fields
                    try given.set(&fields.title, "title")
                    try given.set(&fields.level)
                    try changing.spend([fields.title])
                    try changing.changes(.checklist, number, in: access, &consequences) {
                        try given.saving(over: { try ChecklistRow(number, of: access, in: changing.db) }) {
                            try Checklist.update(number, in: access, to: fields, from: revision, in: changing.db)
                        }
                    }
                    return try ChecklistRow(number, of: access, in: changing.db)
                }
            },
            .stored(
                "checklists.remove", "Removes a list with its entries, which stay in the bin for 30 days.", .checklist,
                answers: .only("checklist", "The list's id."), errors: [.notFound, .notAllowed], right: .person,
                question: "Remove the list with its entries?"
            ) { call, id in
                try await change(call) { changing, consequences in
                    let (access, number) = try changing.item("checklist", id)
                    try changing.removes(.checklist, number, in: access, &consequences) {
                        try Checklist.remove(number, in: access, at: changing.now, in: changing.db)
                    }
                    return id
                }
            },
        ]
    }

    private var changingTasks: [Method<Principal>] {
        [
            .stored(
                "tasks.add", "Adds an entry at the end of a list of a plan.", .checklist, Self.title,
                GivenFields.parameter(Self.taskFields), answers: TaskRow.shape,
                errors: [.notFound, .notAllowed, .invalidValue, .unavailable], right: .person
            ) { call, id, title, given in
                try await change(call) { changing, consequences in
                    let (access, checklist) = try changing.item("checklist", id)
                    let fields = try given.made(
                        to: ChecklistTask.Fields(title: title), in: checklist, of: access, in: changing.db)
                    try changing.spend([fields.title])
                    let number = try ChecklistTask.create(
                        fields, in: checklist, of: access, at: changing.now, in: changing.db)
                    try changing.did(.added, .task, number, in: access, &consequences)
                    try changing.assign(fields.member, unless: nil, in: access, &consequences)
                    return try TaskRow(number, of: access, in: changing.db)
                }
            },
            .stored(
                "tasks.update", "Changes the given fields of an entry of a list, such as done, and keeps the others.",
                .task, GivenFields.parameter([Self.newTitle] + Self.taskFields), Parameter<Int64?>.revision,
                answers: TaskRow.shape,
                errors: [.notFound, .notAllowed, .conflict, .invalidValue, .unavailable], right: .person
            ) { call, id, given, revision in
                try await change(call) { changing, consequences in
                    let (access, number) = try changing.item("task", id)
                    let old = try ChecklistTask.get(number, in: changing.db)
                    let fields = try given.made(to: old.fields, in: old.checklist, of: access, in: changing.db)
                    try changing.spend([fields.title])
                    try changing.changes(.task, number, in: access, &consequences) {
                        try given.saving(over: { try TaskRow(number, of: access, in: changing.db) }) {
                            try ChecklistTask.update(number, in: access, to: fields, from: revision, in: changing.db)
                        }
                    }
                    try changing.assign(fields.member, unless: old.fields.member, in: access, &consequences)
                    return try TaskRow(number, of: access, in: changing.db)
                }
            },
            .stored(
                "tasks.move", "Moves an entry in the order of its list, directly before or after another one.", .task,
                Parameter<String?>.optional(
                    "before", .string(length: 1...64), "The id of the entry before which it is placed."),
                Parameter<String?>.optional(
                    "after", .string(length: 1...64), "The id of the entry after which it is placed."),
                answers: TaskRow.shape, errors: [.notFound, .notAllowed, .invalidValue], right: .person
            ) { call, id, before, after in
                guard (before == nil) != (after == nil) else {
                    throw Refusal.invalid(
                        before == nil ? "before" : "after", "give either before or after, not both")
                }
                return try await change(call) { changing, consequences in
                    let (access, number) = try changing.item("task", id)
                    let anchor = try changing.item("task", before ?? after ?? "").number
                    try changing.moves(.task, number, in: access, &consequences) {
                        try ChecklistTask.move(
                            number, in: access, to: before == nil ? .after(anchor) : .before(anchor), in: changing.db)
                    }
                    return try TaskRow(number, of: access, in: changing.db)
                }
            },
            .stored(
                "tasks.remove", "Removes an entry of a list, which stays in the bin for 30 days.", .task,
                answers: .only("task", "The entry's id."), errors: [.notFound, .notAllowed], right: .person,
                question: "Remove the entry?"
            ) { call, id in
                try await change(call) { changing, consequences in
                    let (access, number) = try changing.item("task", id)
                    try changing.removes(.task, number, in: access, &consequences) {
                        try ChecklistTask.remove(number, in: access, at: changing.now, in: changing.db)
                    }
                    return id
                }
            },
        ]
    }
}

extension Parameter where Value == String {
    fileprivate static var checklist: Parameter { .id("checklist", "The list's id.") }
    fileprivate static var task: Parameter { .id("task", "The entry's id.") }
}

extension PlanMethods.ChangeContext {
    /// Notifies a member who was given an entry, unless they had it before.
    fileprivate func assign(
        _ member: Int64?, unless old: Int64?, in access: PlanAccess, _ consequences: inout Consequences
    ) throws {
        guard let member, member != old else { return }
        let recipient = try PlanMember.list(of: access.plan, in: db).first { $0.number == member }?.id
        guard let recipient, recipient != person.id else { return }
        consequences.acts.append(
            Act(.task, by: person.number, to: recipient, of: SubjectID(kind: Plan.kind, id: access.id), at: now))
    }
}

extension NotificationDraft.Kind {
    /// The kind of notifications that somebody has given the person an entry of a list of a plan.
    static let task = NotificationDraft.Kind(
        "task",
        .init(
            one: "has given you something to do in", several: "have given you something to do in", "a plan",
            logText: "You were given something to do in a plan."))
}

extension GivenFields {
    /// Returns `old` with the given fields applied.
    fileprivate func made(
        to old: ChecklistTask.Fields, in checklist: Int64, of access: PlanAccess, in db: Database
    ) throws -> ChecklistTask.Fields {
        var fields = old
        try set(&fields.title, "title")
        try set(&fields.day, "day")
        try set(&fields.isDone, "done")
        guard let person: String = try value("person") else { return fields }
        try access.checkMember()
        fields.member = try person.isEmpty ? nil : self.member(person, in: checklist, of: access, in: db)
        return fields
    }

    /// Returns the number of the member with a username, who must see the list.
    private func member(_ id: String, in checklist: Int64, of access: PlanAccess, in db: Database) throws -> Int64 {
        let member = try PlanMember.named(id, "person", of: access.plan, in: db)
        guard member.state == .member else { throw Refusal.invalid("person", "must be a member of the plan") }
        let list = try Checklist.get(checklist, in: db)
        guard list.fields.level > .me || member.person == list.person else {
            throw Refusal.invalid("person", "must be yourself, because only you see the list")
        }
        return member.number
    }
}
