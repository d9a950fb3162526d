package import GRDB
import RPC
package import Service
package import Time

/// The people of a plan: its owner, its members, and the friends who may change it.
///
/// Rooms above this one ask it who may see what belongs to those people alone. Friends of the owner and readers of a
/// published plan are not among them.
package enum PlanCircle {
    /// Returns the SQL condition that the person with the number `:me` is of a plan.
    ///
    /// - Parameter plan: The SQL expression of the plan's id.
    package static func contains(_ plan: String) -> String {
        """
        EXISTS (SELECT 1 FROM plan WHERE plan.id = \(plan) AND (plan.owner = :me
            OR plan.level > 0 AND (\(PlanAccessRules.isMember) OR \(PlanAccessRules.isGranted))))
        """
    }

    /// Returns whether a person is of the plan with an id; `false` if there is no such plan.
    package static func contains(_ person: Int64, plan: String, in db: Database) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT \(contains(":plan"))"), arguments: ["plan": plan, "me": person]) ?? false
    }

    /// Returns the usernames of the people of the plan with an id, sorted; empty if there is no such plan.
    ///
    /// If only the owner sees the plan, only the owner is returned.
    package static func people(of plan: String, in db: Database) throws -> [String] {
        try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT person.id FROM plan JOIN person ON person.number = plan.owner
                    WHERE plan.id = :plan
                    UNION SELECT person.id FROM plan
                        JOIN plan_member ON plan_member.plan = plan.number AND plan_member.state = 'member'
                        JOIN person ON person.number = plan_member.person
                    WHERE plan.id = :plan AND plan.level > 0
                    UNION SELECT person.id FROM plan JOIN plan_grant ON plan_grant.plan = plan.number
                        JOIN person ON person.number = plan_grant.person
                    WHERE plan.id = :plan AND plan.level > 0
                    ORDER BY 1
                    """), arguments: ["plan": plan])
    }

    /// Refuses a person who is not of the plan with an id.
    ///
    /// - Throws: ``Refusal`` of kind `notFound` if the person sees no such plan, and `notAllowed` if they see it as a
    ///   friend or a reader does.
    package static func check(_ person: Int64, plan: String, in db: Database) throws {
        let access = try PlanAccess.plan(plan, for: person, in: db)
        guard access.reach <= Level.members.rawValue else {
            throw Refusal.notAllowed("You are not a member of the plan \(plan). Only members can do this.")
        }
    }

    /// Refuses a person who may not change the plan with an id, as ``check(_:plan:in:)`` does.
    package static func checkEdits(_ person: Int64, plan: String, in db: Database) throws {
        try PlanAccess.plan(plan, for: person, in: db).checkEdits()
    }

    /// Returns whether a person owns the plan with an id.
    package static func owns(_ person: Int64, plan: String, in db: Database) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM plan WHERE plan.id = ? AND plan.owner = ?)"),
            arguments: [plan, person]) ?? false
    }

    /// Tells the pages of the people of a plan, and nobody else, that something of theirs has changed.
    package static func pagesChange(
        of plan: String, at now: Timestamp, in db: Database, _ consequences: inout Consequences
    ) throws {
        consequences.changed(
            SubjectID(kind: Plan.kind, id: plan), at: now, onlyFor: try people(of: plan, in: db))
    }

    /// Returns the beginning of the keys of notifications that only people of a plan may have.
    ///
    /// They are withdrawn from whoever leaves the plan.
    package static func keys(of plan: String) -> String { "plan-circle/\(plan)/" }
}
