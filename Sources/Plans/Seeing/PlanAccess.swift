import GRDB
import RPC
import Service

/// What a caller may do with a plan that they see.
struct PlanAccess: Hashable, Sendable {
    /// The plan's number.
    let plan: Int64
    /// The plan's id.
    let id: String
    /// The caller's number in the table `person`; nil for nobody.
    let person: Int64?
    /// Whether it is theirs.
    let isOwner: Bool
    /// Whether they may change it.
    let edits: Bool
    /// Whether they see money, bookings and contacts.
    let seesPrivate: Bool
    /// The lowest step of the ladder that they reach; see ``Ladder/reach``.
    let reach: Int

    private static let columns = """
        plan.number, plan.id, plan.owner IS :me AND :me IS NOT NULL AS owns, (\(Ladder.edits)) IS TRUE AS edits,
            (\(Ladder.seesPrivate)) IS TRUE AS sees_private, \(Ladder.reach) AS reach
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

    /// What someone may do who has but a link to a plan: nothing.
    init(guestOf plan: Plan) {
        (self.plan, id, person) = (plan.number, plan.id, nil)
        (isOwner, edits, seesPrivate) = (false, false, false)
        reach = Level.everyone.rawValue
    }

    /// What someone may do with the plan of an id.
    ///
    /// - Throws: ``Refusal/absent(_:id:)`` where there is none that they see.
    static func plan(_ id: String, for person: Int64?, in db: Database) throws -> PlanAccess {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT \(columns) FROM plan WHERE plan.id = :id AND \(Ladder.seesPlan)"),
            arguments: ["id": id, "me": person])
        guard let row else { throw Refusal.absent("plan", id: id) }
        return PlanAccess(row, person: person)
    }

    /// What someone may do with the plan of a location or an activity, and the number of that.
    ///
    /// - Throws: ``Refusal/absent(_:id:)`` where there is none that they see.
    static func item(
        _ table: String, _ id: String, for person: Int64?, in db: Database
    ) throws -> (access: PlanAccess, number: Int64) {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT \(columns), \(table).number AS item FROM \(table) JOIN plan ON plan.number = \(table).plan
                    WHERE \(table).id = :id AND \(Ladder.sees(table))
                    """), arguments: ["id": id, "me": person])
        guard let row else { throw Refusal.absent(table, id: id) }
        return (PlanAccess(row, person: person), row["item"])
    }

    /// What someone may do with the plan of an expense or a repayment, and the number of that.
    ///
    /// - Throws: ``Refusal/absent(_:id:)`` where there is none that they see.
    static func money(
        _ table: String, _ id: String, for person: Int64?, in db: Database
    ) throws -> (access: PlanAccess, number: Int64) {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT \(columns), \(table).number AS item FROM \(table) JOIN plan ON plan.number = \(table).plan
                    WHERE \(table).id = :id AND \(Ladder.seesPlan) AND \(Ladder.seesPrivate)
                    """), arguments: ["id": id, "me": person])
        guard let row else { throw Refusal.absent(table, id: id) }
        return (PlanAccess(row, person: person), row["item"])
    }

    /// Refuses whoever may not change the plan.
    func checkEdits() throws(Refusal) {
        guard edits else { throw .notAllowed("You may not change the plan \(id); its owner can let you.") }
    }

    /// Refuses whoever is not the owner, who alone does something.
    func checkOwner(_ deed: String) throws(Refusal) {
        guard isOwner else { throw .notAllowed("The plan \(id) is someone else's, who alone \(deed).") }
    }

    /// Refuses whoever is not a member.
    func checkMember() throws(Refusal) {
        guard seesPrivate else { throw .notAllowed("Only members of the plan \(id) see its money.") }
    }
}
