import GRDB
import RPC
import Service

/// A list of a plan with its entries, as the caller sees it.
struct ChecklistRow: Sendable, Answerable {
    var checklist: Checklist
    /// The id of the plan.
    var plan: String
    var tasks: [TaskRow]

    static let shape = AnswerShape<ChecklistRow>.object {
        Member("id", .text, "The id.") { $0.checklist.id }
        Member("plan", .text, "The plan's id.") { $0.plan }
        Member("revision", .integer, "The revision, which starts at 1 and grows by 1 with each change of the list.") {
            $0.checklist.revision
        }
        Member("title", .text, "The title.") { $0.checklist.fields.title }
        Member("level", .level, "The level: who sees it, among those who see the plan.") { $0.checklist.fields.level }
        Member("done", .integer, "The number of entries that are done.") { row in
            row.tasks.count { $0.task.fields.isDone }
        }
        Member("tasks", .array(of: TaskRow.shape), "The entries, in their order.") { $0.tasks }
    }

    /// Returns the lists of a plan that the caller sees, with three queries.
    static func list(of access: PlanAccess, in db: Database) throws -> [ChecklistRow] {
        let members = try PlanMember.list(of: access.plan, in: db)
        let tasks = Dictionary(grouping: try ChecklistTask.list(of: access, in: db), by: \.checklist)
        return try Checklist.list(of: access, in: db).map { list in
            ChecklistRow(list, (tasks[list.number] ?? []), of: access, among: members)
        }
    }

    /// Creates the row of the list with a number, which the caller must be able to see.
    init(_ number: Int64, of access: PlanAccess, in db: Database) throws {
        self.init(
            try Checklist.get(number, in: db), try ChecklistTask.list(ofList: number, in: db), of: access,
            among: try PlanMember.list(of: access.plan, in: db))
    }

    private init(_ list: Checklist, _ tasks: [ChecklistTask], of access: PlanAccess, among members: [PlanMember]) {
        (checklist, plan) = (list, access.id)
        self.tasks = tasks.map { TaskRow($0, of: list, in: access, among: members) }
    }
}

/// An entry of a list, as the caller sees it.
struct TaskRow: Sendable, Answerable {
    var task: ChecklistTask
    /// The id of the list.
    var checklist: String
    /// The username of who does it; `nil` if the caller is not a member.
    var person: String?

    static let shape = AnswerShape<TaskRow>.object {
        Member("id", .text, "The id.") { $0.task.id }
        Member("checklist", .text, "The list's id.") { $0.checklist }
        Member("revision", .integer, "The revision, which starts at 1 and grows by 1 with each change.") {
            $0.task.revision
        }
        Member("title", .text, "The title.") { $0.task.fields.title }
        Member("done", .boolean, "Whether it is done.") { $0.task.fields.isDone }
        Member.optional("person", .text, "The username of who does it; present only for members.") { $0.person }
        Member.optional("day", .text, "The day by which it is to be done.") { $0.task.fields.day }
    }

    /// Creates the row of the entry with a number, which the caller must be able to see.
    init(_ number: Int64, of access: PlanAccess, in db: Database) throws {
        let task = try ChecklistTask.get(number, in: db)
        self.init(
            task, of: try Checklist.get(task.checklist, in: db), in: access,
            among: try PlanMember.list(of: access.plan, in: db))
    }

    /// - Parameter members: The members of the plan.
    fileprivate init(
        _ task: ChecklistTask, of list: Checklist, in access: PlanAccess, among members: [PlanMember]
    ) {
        (self.task, checklist) = (task, list.id)
        person = access.seesPrivate ? members.first { $0.number == task.fields.member }?.id : nil
    }
}
