import GRDB
import Money
import People
import RPC
import Service
import Store
import Time

/// The bin of plans: what people have removed, which comes back as it was within ``days``.
///
/// A removed object leaves its tables at once, so that nothing else needs to know of the bin. Its rows are kept as JSON.
/// Its photos and reviews stay where they are, and nobody sees them, because their subject does not exist meanwhile.
enum PlanBin {
    /// The kinds of objects that the bin keeps.
    enum Kind: String, Sendable, CaseIterable {
        /// A plan with all that it contains.
        case plan
        case location
        /// An activity with its expenses.
        case activity
        case expense
        case repayment
        /// A list with its entries.
        case checklist
        /// An entry of a list.
        case task

        /// Whether only members see it.
        var isMoney: Bool { self == .expense || self == .repayment }
        /// The most objects of this kind in a plan, or plans of a person.
        fileprivate var most: Int {
            switch self {
            case .plan: Plan.maximumPerPerson
            case .location: Location.maximumPerPlan
            case .activity: Activity.maximumPerPlan
            case .expense, .repayment: Amount.maximumEntries
            case .checklist: Checklist.maximumPerPlan
            case .task: ChecklistTask.maximumPerPlan
            }
        }
    }

    /// An object in the bin.
    struct Entry: Sendable {
        var number: Int64
        var plan: Int64
        var kind: Kind
        /// The kind and the id, as in `activity/ID`.
        var subject: String
        /// The username of who removed it; `nil` if that account is gone.
        var person: String?
        var time: Timestamp
        var title: String

        /// The moment from which it cannot be put back any more.
        var until: Timestamp { time.advanced(byMilliseconds: PlanBin.span) }
    }

    /// How many days the bin keeps what was removed.
    static let days = 30
    /// The most objects that the bin keeps of one person; the oldest go first.
    static let maximumPerPerson = 500
    static let span = Int64(days) * Timestamp.millisecondsPerDay

    /// Keeps an object that the caller is about to delete, in the same transaction.
    ///
    /// - Parameters:
    ///   - number: the row number of the object.
    ///   - title: what people call it.
    ///   - isHidden: whether only the caller saw it.
    static func keep(
        _ kind: Kind, _ number: Int64, id: String, titled title: String, isHidden: Bool, in access: PlanAccess,
        at now: Timestamp, in db: Database
    ) throws {
        var content: [(name: String, rows: String)] = []
        for table in BinTable.tables(of: kind) {
            content.append((table.name, try table.rows(of: number, in: db)))
        }
        let text = content.map { "\"\($0.name)\":\($0.rows)" }.joined(separator: ",")
        let subjects = try String.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT json_group_array(subject) FROM (
                        SELECT :subject AS subject
                        UNION SELECT 'location/' || id FROM location WHERE :isPlan AND plan = :number
                        UNION SELECT 'activity/' || id FROM activity WHERE :isPlan AND plan = :number)
                    """),
            arguments: ["subject": "\(kind.rawValue)/\(id)", "isPlan": kind == .plan, "number": number])
        try db.cachedStatement(
            sql: """
                INSERT INTO plan_bin (plan, kind, subject, person, time, title, hidden, content, subjects)
                VALUES (:plan, :kind, :subject, :person, :time, :title, :hidden, :content, :subjects)
                """
        ).execute(arguments: [
            "plan": access.plan, "kind": kind.rawValue, "subject": "\(kind.rawValue)/\(id)", "person": access.person,
            "time": now.milliseconds, "title": title, "hidden": isHidden, "content": "{\(text)}",
            "subjects": subjects ?? "[]",
        ])
        try db.cachedStatement(
            sql: """
                DELETE FROM plan_bin WHERE person = :person AND number <= (
                    SELECT number FROM plan_bin WHERE person = :person ORDER BY number DESC LIMIT 1 OFFSET :most)
                """
        ).execute(arguments: ["person": access.person, "most": maximumPerPerson])
    }

    /// Returns what the caller can put back into a plan, the last removed first.
    ///
    /// That is what they have removed. The owner also sees what others have removed, unless only those saw it.
    static func list(of access: PlanAccess, at now: Timestamp, in db: Database) throws -> [Entry] {
        try entries(
            "plan_bin.plan = :plan AND (plan_bin.person = :me OR :isOwner AND plan_bin.hidden = 0)",
            ["plan": access.plan, "me": access.person, "isOwner": access.isOwner], at: now, in: db
        ).filter { access.seesPrivate || !$0.kind.isMoney }
    }

    /// Returns the plans that a person has removed, the last removed first.
    static func plans(of person: Int64, at now: Timestamp, in db: Database) throws -> [Entry] {
        try entries("plan_bin.kind = 'plan' AND plan_bin.person = :me", ["me": person], at: now, in: db)
    }

    /// Puts an object back, with its number, its id, and what people have said of it.
    ///
    /// - Throws: ``Refusal`` if the caller has not removed it and does not own its plan, if its plan is gone, if the
    ///   caller may not change the plan, or if a member who paid or owes is gone.
    static func restore(_ subject: String, by person: Int64, at now: Timestamp, in db: Database) throws -> Entry {
        let entry = try entries(
            """
            plan_bin.subject = :subject AND (plan_bin.person = :me OR plan_bin.hidden = 0 AND EXISTS (
                SELECT 1 FROM plan WHERE plan.number = plan_bin.plan AND plan.owner = :me))
            """, ["subject": subject, "me": person], at: now, in: db
        ).first
        guard let entry else { throw Refusal.notFound("The bin has no \(subject), or its \(days) days are over.") }
        if entry.kind != .plan { try check(entry, for: person, in: db) }
        let scope = entry.kind == .plan ? "owner" : "plan"
        let count = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM \(entry.kind.rawValue) WHERE \(scope) = ?"),
            arguments: [entry.kind == .plan ? person : entry.plan])
        guard count ?? 0 < entry.kind.most else {
            throw Refusal.unavailable("There are \(entry.kind.most) already, the maximum. Remove one first.")
        }
        do {
            for table in BinTable.tables(of: entry.kind) {
                let rows = try String.fetchOne(
                    db.cachedStatement(sql: "SELECT content -> :name FROM plan_bin WHERE number = :number"),
                    arguments: ["name": table.name, "number": entry.number])
                try table.insert(rows ?? "[]", in: db)
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            throw Refusal.conflict("\(entry.title) cannot be put back, because a member who paid or owes has left.")
        }
        if entry.kind == .checklist {
            let plan = try Plan.get(entry.plan, in: db).id
            try ChecklistTask.checkRoom(in: PlanAccess.plan(plan, for: person, in: db), for: 0, in: db)
        }
        if entry.kind == .plan {
            try db.cachedStatement(
                sql: """
                    UPDATE plan SET likes = (
                        SELECT count(*) FROM reaction JOIN subject ON subject.number = reaction.subject
                        WHERE subject.id = 'plan/' || plan.id AND reaction.kind = 'like')
                    WHERE number = ?
                    """
            ).execute(arguments: [entry.plan])
        }
        try db.cachedStatement(sql: "DELETE FROM plan_bin WHERE number = ?").execute(arguments: [entry.number])
        return entry
    }

    private static func check(_ entry: Entry, for person: Int64, in db: Database) throws {
        let plan = try String.fetchOne(
            db.cachedStatement(sql: "SELECT id FROM plan WHERE number = ?"), arguments: [entry.plan])
        guard let plan else { throw Refusal.conflict("The plan of \(entry.title) is in the bin. Put it back first.") }
        let access = try PlanAccess.plan(plan, for: person, in: db)
        if entry.kind == .task {
            let hasList = try Bool.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT EXISTS (SELECT 1 FROM checklist JOIN plan_bin
                            ON checklist.number = plan_bin.content ->> '$.task[0].checklist'
                            WHERE plan_bin.number = ?)
                        """), arguments: [entry.number])
            guard hasList ?? false else {
                throw Refusal.conflict("The list of \(entry.title) is in the bin. Put it back first.")
            }
        }
        guard entry.kind.isMoney else { return try access.checkEdits() }
        // Whoever may remove an expense may put it back; see ``Expense/mayChange(_:among:)``.
        try access.checkMember()
    }

    private static func entries(
        _ condition: String, _ arguments: [String: (any DatabaseValueConvertible)?], at now: Timestamp,
        in db: Database
    ) throws -> [Entry] {
        try NamedRow.list(
            db.cachedStatement(
                sql: """
                    SELECT plan_bin.number, plan_bin.plan, plan_bin.kind, plan_bin.subject, plan_bin.time,
                        plan_bin.title, person.id AS person_id
                    FROM plan_bin LEFT JOIN person ON person.number = plan_bin.person
                    WHERE \(condition) AND plan_bin.time > :since ORDER BY plan_bin.number DESC
                    """),
            arguments: StatementArguments(arguments) + [
                "since": now.advanced(byMilliseconds: -span).milliseconds
            ]
        ) { row in
            guard let kind = Kind(rawValue: row["kind"]) else { throw row.damage("the bin has an unknown kind") }
            return Entry(
                number: row["number"], plan: row["plan"], kind: kind, subject: row["subject"],
                person: row["person_id"], time: Timestamp(milliseconds: row["time"]), title: row["title"])
        }
    }
}

/// Timed work that empties the bin of what has been there for ``PlanBin/days``.
struct PlanBinEmptying: TimedWork {
    let name = "plans.bin"

    /// The most objects that one transaction deletes.
    private static let batch = 50

    func due(at now: Timestamp, in db: Database) throws -> Timestamp? {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT min(time) FROM plan_bin")).map {
            Timestamp(milliseconds: $0).advanced(byMilliseconds: PlanBin.span)
        }
    }

    func work(at now: Timestamp, in db: Database, _ consequences: inout Consequences) throws {
        try db.cachedStatement(
            sql: """
                DELETE FROM plan_bin WHERE number IN (
                    SELECT number FROM plan_bin WHERE time <= :time ORDER BY time LIMIT :batch)
                """
        ).execute(arguments: ["time": now.advanced(byMilliseconds: -PlanBin.span).milliseconds, "batch": Self.batch])
    }
}
