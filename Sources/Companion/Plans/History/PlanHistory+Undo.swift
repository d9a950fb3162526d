import GRDB
import RPC
import Service
import Time

/// Undoing single changes, whatever came after them.
extension PlanHistory {
    /// Undoes a change.
    ///
    /// An addition is moved to the bin, and a removal comes back from it. Of changed fields, each gets the value that it had
    /// before, if it still has the value that the change gave it. What was moved goes back to its place in the order.
    ///
    /// - Throws: ``Refusal`` of kind `conflict` if the change was undone, cannot be undone, or if somebody has changed one
    ///   of its fields since.
    static func undo(
        _ entry: Entry, in access: PlanAccess, by person: Int64, at now: Timestamp, in db: Database
    ) throws {
        try access.checkEdits()
        guard !entry.isUndone else { throw Refusal.conflict("The change \(entry.number) was undone already.") }
        guard entry.mayUndo else { throw Refusal.conflict("The change \(entry.number) cannot be undone any more.") }
        switch entry.deed {
        case .added, .restored:
            let item = try item(entry, in: access, in: db)
            switch entry.kind {
            case .plan: throw Refusal.conflict("The change \(entry.number) cannot be undone.")
            case .location: try Location.remove(item, in: access, at: now, in: db)
            case .activity: try Activity.remove(item, in: access, at: now, in: db)
            case .checklist: try Checklist.remove(item, in: access, at: now, in: db)
            case .task: try ChecklistTask.remove(item, in: access, at: now, in: db)
            case .expense, .repayment:
                try Accounting.remove(item, from: entry.kind.rawValue, in: access, at: now, in: db)
            }
        case .removed: _ = try PlanBin.restore(entry.subject, by: person, at: now, in: db)
        case .changed: try putBack(entry, in: access, in: db)
        case .moved: try moveBack(entry, in: access, in: db)
        }
        try db.cachedStatement(sql: "UPDATE plan_change SET undone = 1 WHERE plan_change.number = ?")
            .execute(arguments: [entry.number])
    }

    /// Returns the number of the subject of a change, which the caller must be able to see.
    static func item(_ entry: Entry, in access: PlanAccess, in db: Database) throws -> Int64 {
        guard let id = SubjectID(entry.subject)?.id else {
            throw Refusal.absent(entry.kind.rawValue, id: entry.subject)
        }
        switch entry.kind {
        case .plan: return access.plan
        case .location, .activity, .checklist, .task:
            return try PlanAccess.item(entry.kind.rawValue, id, for: access.person, in: db).number
        case .expense, .repayment:
            return try PlanAccess.money(entry.kind.rawValue, id, for: access.person, in: db).number
        }
    }

    /// Moves something back to its place in the order, unless somebody has moved it elsewhere since.
    private static func moveBack(_ entry: Entry, in access: PlanAccess, in db: Database) throws {
        let number = try item(entry, in: access, in: db)
        let row = try NamedRow.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT plan_change.content ->> '$.place[0]' AS old, plan_change.content ->> '$.place[1]' AS new,
                        EXISTS (
                            SELECT 1 FROM plan_change AS later
                            WHERE later.plan = plan_change.plan AND later.subject = plan_change.subject
                                AND later.deed = 'moved' AND later.number > plan_change.number AND later.undone = 0
                        ) AS moved
                    FROM plan_change WHERE plan_change.number = ?
                    """), arguments: [entry.number])
        guard let row, let old: Int = row["old"], let new: Int = row["new"] else {
            throw Refusal.conflict("The change \(entry.number) cannot be undone.")
        }
        // What came after it may have made it another place, without that anybody has moved it.
        guard try !row["moved"] || place(entry.kind, number, in: access, in: db) == new else {
            throw Refusal.conflict("Somebody has moved \(entry.title) since.")
        }
        switch entry.kind {
        case .location: try Location.move(number, in: access, to: .at(old), in: db)
        case .task: try ChecklistTask.move(number, in: access, to: .at(old), in: db)
        default: throw Refusal.conflict("The change \(entry.number) cannot be undone.")
        }
    }

    private static func putBack(_ entry: Entry, in access: PlanAccess, in db: Database) throws {
        let number = try item(entry, in: access, in: db)
        let content = try String.fetchOne(
            db.cachedStatement(sql: "SELECT plan_change.content FROM plan_change WHERE plan_change.number = ?"),
            arguments: [entry.number])
        guard let content else { throw Refusal.conflict("The change \(entry.number) cannot be undone.") }
        do {
            if entry.kind.isMoney {
                try putBackMoney(content, number, in: access, in: db)
            } else {
                try putBackFields(content, entry, number, in: access, in: db)
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            throw Refusal.conflict("\(entry.title) has changed since, so that the old values do not fit any more.")
        }
    }

    private static func putBackFields(
        _ content: String, _ entry: Entry, _ number: Int64, in access: PlanAccess, in db: Database
    ) throws {
        let (kind, now) = (entry.kind, try snapshot(entry.kind, number, in: db))
        let newer = try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT was.key FROM json_each(:content) AS was
                    LEFT JOIN json_each(:now) AS present ON present.key = was.key
                    WHERE present.value IS NOT (was.value ->> 1)
                    """), arguments: ["content": content, "now": now])
        guard newer.isEmpty else {
            let fields = Set(newer.map { field($0, of: kind) }).sorted().joined(separator: ", ")
            throw Refusal.conflict("Somebody has changed \(fields) of \(entry.title) since.")
        }
        let changed = try Set(
            String.fetchAll(db.cachedStatement(sql: "SELECT key FROM json_each(?)"), arguments: [content]))
        let columns = try columns(of: kind, in: db).filter(changed.contains)
        if !columns.isEmpty {
            let values = columns.map { "\($0) = :content ->> '$.\($0)[0]'" }.joined(separator: ", ")
            try db.cachedStatement(sql: "UPDATE \(kind.rawValue) SET \(values) WHERE number = :number")
                .execute(arguments: ["content": content, "number": number])
        }
        for list in lists(of: kind) where changed.contains(list.name) {
            try db.cachedStatement(sql: "DELETE FROM \(list.table) WHERE \(list.owner) = ?").execute(arguments: [number]
            )
            try db.cachedStatement(sql: insertion(of: list))
                .execute(arguments: ["content": content, "number": number, "path": "$.\(list.name)[0]"])
        }
        try save(kind, number, changed, in: access, in: db)
    }

    /// Returns the SQL that inserts the old values of a list, without those that are gone.
    private static func insertion(of list: (name: String, table: String, owner: String, value: String)) -> String {
        let source = "json_each(:content ->> :path) AS old"
        return switch list.table {
        case "plan_postal_code":
            "INSERT INTO plan_postal_code (plan, place, code) SELECT :number, old.key, old.value FROM \(source)"
        case "activity_link":
            """
            INSERT INTO activity_link (activity, target)
            SELECT :number, activity.number FROM \(source) JOIN activity ON activity.number = old.value
            """
        default:
            """
            INSERT INTO activity_member (activity, member)
            SELECT :number, plan_member.number FROM \(source) JOIN plan_member ON plan_member.number = old.value
            """
        }
    }

    /// Saves a subject with the fields that it has, so that they are checked and what depends on them is kept.
    private static func save(
        _ kind: PlanBin.Kind, _ number: Int64, _ changed: Set<String>, in access: PlanAccess, in db: Database
    ) throws {
        switch kind {
        case .plan:
            let plan = try Plan.get(number, in: db)
            try Plan.update(access, to: plan.fields, from: nil, at: plan.changed, in: db)
        case .location:
            let fields = try Location.get(number, in: db).fields
            try Location.update(number, in: access, to: fields, from: nil, in: db)
            if changed.contains("level"), fields.level != .everyone { try PlanLink.endAll(to: number, in: db) }
        case .activity:
            let fields = try Activity.get(number, in: access, in: db).fields
            try Activity.update(number, in: access, to: fields, from: nil, in: db)
        case .checklist:
            try Checklist.update(number, in: access, to: Checklist.get(number, in: db).fields, from: nil, in: db)
        case .task:
            let fields = try ChecklistTask.get(number, in: db).fields
            try ChecklistTask.update(number, in: access, to: fields, from: nil, in: db)
        case .expense, .repayment: break
        }
    }

    private static func putBackMoney(
        _ content: String, _ number: Int64, in access: PlanAccess, in db: Database
    ) throws {
        let old = try Accounting.expense(number, of: access, in: db)
        try Accounting.checkMayChange(old, in: access, in: db)
        let isSame = try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT (:content -> 'after') = json(:now)"),
            arguments: ["content": content, "now": snapshot(.expense, number, in: db)])
        guard isSame ?? false else { throw Refusal.conflict("Somebody has changed \(old.title) since.") }
        let columns = try String.fetchAll(
            db.cachedStatement(sql: "SELECT name FROM pragma_table_info('expense') ORDER BY cid"))
        let values = columns.filter {
            !["number", "id", "plan", "revision", "turn", "activity", "person"].contains($0)
        }
        .map { "\($0) = :content ->> '$.before.expense[0].\($0)'" }
        try db.cachedStatement(
            sql: """
                UPDATE expense SET revision = revision + 1, \(values.joined(separator: ", ")), activity = (
                    SELECT activity.number FROM activity
                    WHERE activity.number = :content ->> '$.before.expense[0].activity')
                WHERE number = :number
                """
        ).execute(arguments: ["content": content, "number": number])
        for table in BinTable.tables(of: .expense) where table.name != "expense" {
            try db.cachedStatement(sql: "DELETE FROM \(table.name) WHERE expense = ?").execute(arguments: [number])
            let rows = try String.fetchOne(
                db.cachedStatement(sql: "SELECT :content -> ('$.before.' || :name)"),
                arguments: ["content": content, "name": table.name])
            try table.insert(rows ?? "[]", in: db)
        }
    }
}
