import GRDB
import RPC
import Service

/// The caller's rights in a plan that they see.
struct PlanAccess: Hashable, Sendable {
    /// The number of the plan.
    let plan: Int64
    /// The id of the plan.
    let id: String
    /// The caller's number in the table `person`; `nil` for nobody.
    let person: Int64?
    /// Whether the caller owns the plan.
    let isOwner: Bool
    /// Whether the caller may change the plan.
    let edits: Bool
    /// Whether the caller sees money, bookings and contacts.
    let seesPrivate: Bool
    /// The lowest step of the ladder that the caller reaches; see ``PlanAccessRules/reach``.
    let reach: Int

    private static let columns = """
        plan.number, plan.id, plan.owner IS :me AND :me IS NOT NULL AS owns, (\(PlanAccessRules.edits)) IS TRUE AS edits,
            (\(PlanAccessRules.seesPrivate)) IS TRUE AS sees_private, \(PlanAccessRules.reach) AS reach
        """

    private init(_ row: NamedRow, person: Int64?) {
        plan = row["number"]
        id = row["id"]
        self.person = person
        isOwner = row["owns"]
        edits = row["edits"]
        seesPrivate = row["sees_private"]
        reach = row["reach"]
    }

    /// Creates the access of a caller who only has a link to the plan and may change nothing.
    init(guestOf plan: Plan) {
        (self.plan, id, person) = (plan.number, plan.id, nil)
        (isOwner, edits, seesPrivate) = (false, false, false)
        reach = Level.everyone.rawValue
    }

    /// Returns a person's access to the plan with an id.
    ///
    /// - Throws: ``Refusal/absent(_:id:)`` if the person sees no such plan.
    static func plan(_ id: String, for person: Int64?, in db: Database) throws -> PlanAccess {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT \(columns) FROM plan WHERE plan.id = :id AND \(PlanAccessRules.seesPlan)"),
            arguments: ["id": id, "me": person])
        guard let row else { throw Refusal.absent("plan", id: id) }
        return PlanAccess(row, person: person)
    }

    /// Returns a person's access to the plan of a location or an activity, and the number of that item.
    ///
    /// - Throws: ``Refusal/absent(_:id:)`` if the person sees no such item.
    static func item(
        _ table: String, _ id: String, for person: Int64?, in db: Database
    ) throws -> (access: PlanAccess, number: Int64) {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT \(columns), \(table).number AS item FROM \(table) JOIN plan ON plan.number = \(table).plan
                    WHERE \(table).id = :id AND \(PlanAccessRules.sees(table))
                    """), arguments: ["id": id, "me": person])
        guard let row else { throw Refusal.absent(table, id: id) }
        return (PlanAccess(row, person: person), row["item"])
    }

    /// Returns a member's access to the plan of an expense or a repayment, and the number of that entry.
    ///
    /// - Throws: ``Refusal/absent(_:id:)`` if there is no such entry, if the person is not a member, or if it is
    ///   another member's personal expense.
    static func money(
        _ table: String, _ id: String, for person: Int64?, in db: Database
    ) throws -> (access: PlanAccess, number: Int64) {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT \(columns), \(table).number AS item FROM \(table) JOIN plan ON plan.number = \(table).plan
                    WHERE \(table).id = :id AND \(PlanAccessRules.seesPlan) AND \(PlanAccessRules.seesPrivate)
                        \(table == "expense" ? "AND \(PlanAccessRules.seesExpense)" : "")
                    """), arguments: ["id": id, "me": person])
        guard let row else { throw Refusal.absent(table, id: id) }
        return (PlanAccess(row, person: person), row["item"])
    }

    /// Refuses callers who may not change the plan.
    func checkEdits() throws(Refusal) {
        guard edits else { throw .notAllowed("You may not change the plan \(id). Ask its owner to let you.") }
    }

    /// Refuses callers who are not the owner.
    ///
    /// - Parameter deed: what only the owner does, as a verb phrase for the message.
    func checkOwner(_ deed: String) throws(Refusal) {
        guard isOwner else { throw .notAllowed("Only the owner of the plan \(id) can \(deed).") }
    }

    /// Refuses callers who are not members.
    func checkMember() throws(Refusal) {
        guard seesPrivate else {
            throw .notAllowed("You are not a member of the plan \(id). Only members can do this.")
        }
    }
}
