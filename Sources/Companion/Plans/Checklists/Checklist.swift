import GRDB
import RPC
import Service
import Store
import Time

/// A list of a plan: what its people have to do or to pack.
struct Checklist: Hashable, Sendable {
    /// The row number in the table `checklist`.
    var number: Int64
    /// The random id by which callers identify the list.
    var id: String
    /// The row number of the plan.
    var plan: Int64
    /// The revision, which is 1 at first and grows by 1 with each change of the list itself.
    var revision: Int64
    /// The number of the person who added it; `nil` if the account is gone.
    var person: Int64?
    /// What people have written about it.
    var fields: Fields

    /// The kind of object in the bin and in the history.
    static let kind = "checklist"
    /// The most lists of a plan.
    static let maximumPerPlan = 30

    /// What people write about a list.
    struct Fields: Hashable, Sendable {
        var title: String
        /// Who sees it, among those who see the plan.
        var level = Level.everyone

        /// Returns the fields with trimmed texts.
        ///
        /// - Throws: ``Refusal`` if the title is empty, too long, or has several lines.
        func checked() throws(Refusal) -> Fields {
            var fields = self
            fields.title = try PlanText.title(title, "title")
            return fields
        }

        fileprivate var columns: ColumnValues {
            var columns = ColumnValues()
            columns["title"] = title
            columns["level"] = level.rawValue
            return columns
        }
    }

    private init(_ row: NamedRow) throws {
        guard let level = Level(rawValue: row["level"]) else { throw row.damage("a list of a plan has no valid level") }
        (number, id, plan) = (row["number"], row["id"], row["plan"])
        (revision, person) = (row["revision"], row["person"])
        fields = Fields(title: row["title"], level: level)
    }

    /// Returns the list with a number, which the caller must be able to see.
    static func get(_ number: Int64, in db: Database) throws -> Checklist {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT checklist.* FROM checklist WHERE checklist.number = ?"),
            arguments: [number])
        guard let row else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a list of a plan is missing") }
        return try Checklist(row)
    }

    /// Returns the lists of a plan that the caller sees, in the order in which they were added.
    static func list(of access: PlanAccess, in db: Database) throws -> [Checklist] {
        try NamedRow.soundList(
            db.cachedStatement(
                sql: """
                    SELECT checklist.* FROM checklist JOIN plan ON plan.number = checklist.plan
                    WHERE checklist.plan = :plan AND \(PlanAccessRules.sees("checklist", reach: ":reach"))
                    ORDER BY checklist.number
                    """),
            arguments: ["plan": access.plan, "me": access.person, "reach": access.reach], Checklist.init)
    }
}

/// Changing lists, within a transaction of the caller.
extension Checklist {
    /// Adds a list.
    ///
    /// - Returns: The number of the list.
    static func create(
        _ fields: Fields, in access: PlanAccess, at now: Timestamp, in db: Database
    ) throws -> Int64 {
        try access.checkEdits()
        let count = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM checklist WHERE checklist.plan = ?"),
            arguments: [access.plan])
        guard count ?? 0 < maximumPerPlan else {
            throw Refusal.unavailable(
                "The plan \(access.id) has \(maximumPerPlan) lists, the maximum. Remove one first.")
        }
        var columns = try fields.checked().columns
        columns["id"] = RandomID.make()
        columns["plan"] = access.plan
        columns["person"] = access.person
        columns["created"] = now.milliseconds
        return try columns.insert(into: "checklist", in: db)
    }

    /// Changes the fields of a list.
    ///
    /// - Parameter revision: The revision that the caller has read; `nil` for any.
    static func update(
        _ number: Int64, in access: PlanAccess, to fields: Fields, from revision: Int64?, in db: Database
    ) throws {
        try access.checkEdits()
        let old = try get(number, in: db)
        try Plan.checkRevision(revision, old.revision, kind, old.id)
        try fields.checked().columns.update("checklist", number, in: db)
    }

    /// Moves a list with its entries to the bin.
    static func remove(_ number: Int64, in access: PlanAccess, at now: Timestamp, in db: Database) throws {
        try access.checkEdits()
        let old = try get(number, in: db)
        try PlanBin.keep(
            .checklist, number, id: old.id, titled: old.fields.title, isHidden: old.fields.level == .me, in: access,
            at: now, in: db)
        try db.cachedStatement(sql: "DELETE FROM checklist WHERE checklist.number = ?").execute(arguments: [number])
    }
}
