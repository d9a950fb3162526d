import GRDB
import People
import Service
import Time

/// The history of a plan: who changed what, and when.
///
/// Those who may change the plan see it, each without what they do not see in the plan itself.
enum PlanHistory {
    /// What was done with a subject.
    enum Deed: String, CaseIterable, Sendable {
        case added, changed, moved, removed, restored
    }

    /// A change of a plan.
    struct Entry: Sendable {
        var number: Int64
        var kind: PlanBin.Kind
        /// The kind and the id, as in `activity/ID`.
        var subject: String
        var deed: Deed
        /// The title or name that the subject had then.
        var title: String
        /// The names of the changed fields, as `activities.get` and the others name them.
        var fields: [String]
        /// The username and the name of who changed it; `nil` if that account is gone.
        var person: PlanPerson?
        var time: Timestamp
        /// Whether the caller may undo it.
        var mayUndo: Bool
        /// Whether it was undone.
        var isUndone: Bool
    }

    /// The most changes that are kept of a plan; the oldest go first.
    static let maximumPerPlan = 500
    /// The largest total size, in bytes, of the changes of a plan that can be undone.
    static let maximumBytes = 2_000_000
    /// The largest change, in bytes, that can be undone.
    static let maximumBytesPerChange = 100_000

    /// The subject of a change as the history needs it.
    struct Item: Hashable, Sendable {
        var kind: PlanBin.Kind
        var number: Int64
        var id: String
        var title: String
        var level: Level
        var author: Int64?

        var subject: SubjectID { SubjectID(kind: kind.rawValue, id: id) }

        /// Reads the item with a number, which must exist.
        init(_ kind: PlanBin.Kind, _ number: Int64, in db: Database) throws {
            (self.kind, self.number) = (kind, number)
            let row = try NamedRow.fetchOne(
                db.cachedStatement(sql: "\(Self.selection(kind)) WHERE \(kind.rawValue).number = ?"),
                arguments: [number])
            guard let row else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an item of a plan is missing")
            }
            (id, title, author) = (row["id"], row["title"], row["author"])
            level = Level(rawValue: row["level"]) ?? .me
        }

        private static func selection(_ kind: PlanBin.Kind) -> String {
            switch kind {
            case .plan: "SELECT plan.id, plan.title, plan.owner AS author, 3 AS level FROM plan"
            case .location:
                "SELECT location.id, location.name AS title, location.person AS author, location.level FROM location"
            case .activity:
                "SELECT activity.id, activity.title, activity.person AS author, activity.level FROM activity"
            case .expense:
                """
                SELECT expense.id, expense.title, 3 * (1 - expense.personal) AS level, (
                    SELECT plan_member.person FROM expense_payer
                    JOIN plan_member ON plan_member.number = expense_payer.member
                    WHERE expense_payer.expense = expense.number ORDER BY expense_payer.place LIMIT 1) AS author
                FROM expense
                """
            case .repayment:
                """
                SELECT repayment.id, coalesce(repayment.note, 'Repayment') AS title, repayment.person AS author,
                    3 AS level FROM repayment
                """
            case .checklist, .task:
                """
                SELECT \(kind.rawValue).id, \(kind.rawValue).title, \(kind.rawValue).person AS author,
                    \(kind.rawValue).level FROM \(kind.rawValue)
                """
            }
        }
    }

    /// Records a change that was made, and keeps the last ``maximumPerPlan``.
    ///
    /// - Complexity: O(*k*) for at most ``maximumPerPlan`` kept changes.
    static func record(
        _ deed: Deed, _ item: Item, _ difference: Difference, by person: Int64, in access: PlanAccess,
        at now: Timestamp, in db: Database
    ) throws {
        let isKept = difference.content.map { $0.utf8.count <= maximumBytesPerChange } ?? false
        let content = isKept ? difference.content : nil
        try db.cachedStatement(
            sql: """
                INSERT INTO plan_change
                    (plan, size, time, person, author, level, private, kind, subject, deed, title, fields, content)
                VALUES (:plan, :size, :time, :person, :author, :level, :private, :kind, :subject, :deed, :title, :fields,
                    :content)
                """
        ).execute(arguments: [
            "plan": access.plan, "size": content?.utf8.count ?? 0, "time": now.milliseconds, "person": person,
            "author": item.author, "level": item.level.rawValue,
            "private": item.kind.isMoney || difference.isPrivate, "kind": item.kind.rawValue,
            "subject": item.subject.description, "deed": deed.rawValue, "title": item.title,
            "fields": difference.fields.joined(separator: "\n"), "content": content,
        ])
        // What was written of it before is for nobody who may no longer see it.
        try db.cachedStatement(
            sql: "UPDATE plan_change SET level = ?, author = ? WHERE plan_change.plan = ? AND plan_change.subject = ?"
        ).execute(arguments: [item.level.rawValue, item.author, access.plan, item.subject.description])
        if deed == .removed {
            try db.cachedStatement(
                sql: """
                    UPDATE plan_change SET content = NULL, size = 0
                    WHERE plan_change.plan = ? AND plan_change.subject = ? AND plan_change.deed <> 'removed'
                    """
            ).execute(arguments: [access.plan, item.subject.description])
        }
        try db.cachedStatement(
            sql: """
                DELETE FROM plan_change WHERE plan_change.number IN (
                    SELECT sized.number FROM (
                        SELECT kept.number, sum(kept.size) OVER (ORDER BY kept.number DESC) AS bytes,
                            row_number() OVER (ORDER BY kept.number DESC) AS place
                        FROM plan_change AS kept WHERE kept.plan = :plan) AS sized
                    WHERE sized.bytes > :bytes OR sized.place > :most)
                """
        ).execute(arguments: ["plan": access.plan, "bytes": maximumBytes, "most": maximumPerPlan])
    }

    /// Returns the changes that the caller sees, the last first.
    ///
    /// - Parameter number: The number of the last change of the previous page.
    static func list(
        of access: PlanAccess, before number: Int64? = nil, limit: Int, at now: Timestamp, in db: Database
    ) throws -> [Entry] {
        try entries(
            of: access, "plan_change.plan = :plan AND plan_change.number < :number",
            ["plan": access.plan, "number": number ?? Int64.max], limit: limit, at: now, in: db)
    }

    /// Returns a change that the caller sees; `nil` if there is none.
    static func find(_ number: Int64, of access: PlanAccess, at now: Timestamp, in db: Database) throws -> Entry? {
        try entries(
            of: access, "plan_change.plan = :plan AND plan_change.number = :number",
            ["plan": access.plan, "number": number], limit: 1, at: now, in: db
        ).first
    }

    private static func entries(
        of access: PlanAccess, _ condition: String, _ arguments: [String: (any DatabaseValueConvertible)?], limit: Int,
        at now: Timestamp, in db: Database
    ) throws -> [Entry] {
        let since = now.advanced(byMilliseconds: -PlanBin.span).milliseconds
        return try NamedRow.list(
            db.cachedStatement(
                sql: """
                    SELECT plan_change.number, plan_change.kind, plan_change.subject, plan_change.deed,
                        plan_change.title, plan_change.fields, plan_change.time, plan_change.undone,
                        person.id AS person_id, trim(person.first_name || ' ' || person.last_name) AS person_name,
                        plan_change.undone = 0 AND CASE WHEN plan_change.deed = 'removed' THEN EXISTS (
                            SELECT 1 FROM plan_bin WHERE plan_bin.subject = plan_change.subject
                                AND (plan_bin.person = :me OR :owns AND plan_bin.hidden = 0) AND plan_bin.time > :since)
                            ELSE plan_change.content IS NOT NULL END AS may_undo
                    FROM plan_change JOIN plan ON plan.number = plan_change.plan
                        LEFT JOIN person ON person.number = plan_change.person
                    WHERE \(condition) AND (plan_change.private = 0 OR :private)
                        AND (plan_change.level > 0 OR coalesce(plan_change.author, plan.owner) = :me)
                    ORDER BY plan_change.number DESC LIMIT :limit
                    """),
            arguments: StatementArguments(arguments) + [
                "me": access.person, "owns": access.isOwner, "private": access.seesPrivate, "since": since,
                "limit": limit,
            ]
        ) { row in
            guard let kind = PlanBin.Kind(rawValue: row["kind"]), let deed = Deed(rawValue: row["deed"]) else {
                throw row.damage("a change of a plan has no valid kind or deed")
            }
            let (fields, id, name): (String, String?, String?) = (row["fields"], row["person_id"], row["person_name"])
            return Entry(
                number: row["number"], kind: kind, subject: row["subject"], deed: deed, title: row["title"],
                fields: fields.split(separator: "\n").map(String.init),
                person: id.map { PlanPerson(id: $0, name: name ?? $0) }, time: Timestamp(milliseconds: row["time"]),
                mayUndo: row["may_undo"] && access.edits, isUndone: row["undone"])
        }
    }
}
