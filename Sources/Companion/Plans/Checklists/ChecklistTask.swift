import GRDB
import RPC
import Service
import Store
import Time

/// An entry of a list of a plan.
struct ChecklistTask: Hashable, Sendable {
    /// The row number in the table `task`.
    var number: Int64
    /// The random id by which callers identify the entry.
    var id: String
    /// The row number of the list.
    var checklist: Int64
    /// The revision, which is 1 at first and grows by 1 with each change.
    var revision: Int64
    /// What people have written about it.
    var fields: Fields

    /// The kind of object in the bin and in the history.
    static let kind = "task"
    /// The most entries of all lists of a plan.
    static let maximumPerPlan = 500

    /// What people write about an entry.
    struct Fields: Hashable, Sendable {
        var title: String
        var isDone = false
        /// The number in the table `plan_member` of who does it; `nil` for nobody in particular.
        var member: Int64?
        /// The date by which it is to be done, such as 2026-05-01.
        var day: String?

        /// Returns the fields with trimmed texts.
        ///
        /// - Throws: ``Refusal`` if the title is empty, too long, or has several lines, or if the day is no date.
        func checked() throws(Refusal) -> Fields {
            var fields = self
            fields.title = try PlanText.title(title, "title")
            if let day, CalendarDate(text: day) == nil { throw .invalid("day", "must be a day such as 2026-05-01") }
            return fields
        }

        fileprivate var columns: ColumnValues {
            var columns = ColumnValues()
            columns["title"] = title
            columns["done"] = isDone
            columns["member"] = member
            columns["day"] = day
            return columns
        }
    }

    private init(_ row: NamedRow) {
        (number, id, checklist, revision) = (row["number"], row["id"], row["checklist"], row["revision"])
        fields = Fields(title: row["title"], isDone: row["done"], member: row["member"], day: row["day"])
    }

    /// Returns the entry with a number, which the caller must be able to see.
    static func get(_ number: Int64, in db: Database) throws -> ChecklistTask {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT task.* FROM task WHERE task.number = ?"), arguments: [number])
        guard let row else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an entry is missing") }
        return ChecklistTask(row)
    }

    /// Returns the entries of all lists of a plan that the caller sees, in the order of each list.
    static func list(of access: PlanAccess, in db: Database) throws -> [ChecklistTask] {
        try NamedRow.soundList(
            db.cachedStatement(
                sql: """
                    SELECT task.* FROM task JOIN plan ON plan.number = task.plan
                    WHERE task.plan = :plan AND \(PlanAccessRules.sees("task", reach: ":reach"))
                    ORDER BY task.checklist, task.position, task.number
                    """),
            arguments: ["plan": access.plan, "me": access.person, "reach": access.reach]
        ) { ChecklistTask($0) }
    }

    /// Returns the entries of one list, in their order.
    static func list(ofList checklist: Int64, in db: Database) throws -> [ChecklistTask] {
        try NamedRow.soundList(
            db.cachedStatement(
                sql: "SELECT task.* FROM task WHERE task.checklist = ? ORDER BY task.position, task.number"),
            arguments: [checklist]
        ) { ChecklistTask($0) }
    }
}

/// Changing entries, within a transaction of the caller.
extension ChecklistTask {
    /// Adds an entry at the end of a list.
    ///
    /// - Returns: The number of the entry.
    static func create(
        _ fields: Fields, in checklist: Int64, of access: PlanAccess, at now: Timestamp, in db: Database
    ) throws -> Int64 {
        try access.checkEdits()
        try checkRoom(in: access, for: 1, in: db)
        var columns = try fields.checked().columns
        columns["id"] = RandomID.make()
        columns["plan"] = access.plan
        columns["checklist"] = checklist
        columns["created"] = now.milliseconds
        columns["position"] = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT coalesce(max(task.position), 0) + 1 FROM task WHERE task.checklist = ?"),
            arguments: [checklist])
        return try columns.insert(into: "task", in: db)
    }

    /// Refuses more entries than ``maximumPerPlan``.
    static func checkRoom(in access: PlanAccess, for more: Int, in db: Database) throws {
        let count = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM task WHERE task.plan = ?"), arguments: [access.plan])
        guard count ?? 0 <= maximumPerPlan - more else {
            throw Refusal.unavailable(
                "The lists of the plan \(access.id) have \(maximumPerPlan) entries, the maximum. Remove one first.")
        }
    }

    /// Changes the fields of an entry.
    ///
    /// - Parameter revision: The revision that the caller has read; `nil` for any.
    static func update(
        _ number: Int64, in access: PlanAccess, to fields: Fields, from revision: Int64?, in db: Database
    ) throws {
        try access.checkEdits()
        let old = try get(number, in: db)
        try Plan.checkRevision(revision, old.revision, kind, old.id)
        try fields.checked().columns.update("task", number, in: db)
    }

    /// Moves an entry to the bin.
    static func remove(_ number: Int64, in access: PlanAccess, at now: Timestamp, in db: Database) throws {
        try access.checkEdits()
        let old = try get(number, in: db)
        let isHidden = try Checklist.get(old.checklist, in: db).fields.level == .me
        try PlanBin.keep(
            .task, number, id: old.id, titled: old.fields.title, isHidden: isHidden, in: access, at: now, in: db)
        try db.cachedStatement(sql: "DELETE FROM task WHERE task.number = ?").execute(arguments: [number])
    }

    /// Returns the numbers of the entries of the list that an entry is in, in their order.
    static func order(beside number: Int64, in db: Database) throws -> [Int64] {
        try list(ofList: get(number, in: db).checklist, in: db).map(\.number)
    }

    /// Moves an entry within the order of its list.
    ///
    /// - Parameter target: The place, next to another entry of the same list.
    static func move(_ number: Int64, in access: PlanAccess, to target: Location.Target, in db: Database) throws {
        try access.checkEdits()
        guard let order = try target.order(moving: number, in: order(beside: number, in: db)) else {
            throw Refusal.invalid("task", "must be another entry of the same list")
        }
        let statement = try db.cachedStatement(
            sql: "UPDATE task SET position = :position WHERE number = :number AND position <> :position")
        for (position, number) in order.enumerated() {
            try statement.execute(arguments: ["position": position + 1, "number": number])
        }
    }
}
