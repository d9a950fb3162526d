/// The rules of who may see and do what in plans, for single objects and for lists alike.
///
/// The rules are SQL conditions on a row of `plan`, and on a row of `location` or `activity` joined to it. The argument
/// `:me` is the caller's number in the table `person`, or NULL for nobody. For a caller who does not meet a condition,
/// the object does not exist. Administrators see no more of other people's plans than anybody else.
enum PlanAccessRules {
    /// Whether the caller is a member.
    static let isMember = """
        EXISTS (SELECT 1 FROM plan_member WHERE plan_member.plan = plan.number AND plan_member.person = :me
            AND plan_member.state = 'member')
        """

    /// Whether the caller may change the plan without being a member.
    static let isGranted = """
        EXISTS (SELECT 1 FROM plan_grant WHERE plan_grant.plan = plan.number AND plan_grant.person = :me)
        """

    /// The lowest step of the ladder that the caller reaches in a plan, as a raw value of ``Level``.
    static let reach = """
        CASE
            WHEN plan.owner = :me THEN 0
            WHEN \(isMember) OR \(isGranted) THEN 1
            WHEN EXISTS (SELECT 1 FROM friend WHERE friend.person = plan.owner AND friend.other = :me)
                OR EXISTS (SELECT 1 FROM plan_member WHERE plan_member.plan = plan.number
                    AND plan_member.person = :me AND plan_member.state = 'asked') THEN 2
            ELSE 3
        END
        """

    /// Whether the caller sees a plan.
    static let seesPlan = "(plan.level >= (\(reach)))"

    /// Returns the condition that the caller sees a location or an activity, given that they see its plan.
    ///
    /// - Parameters:
    ///   - table: `location` or `activity`.
    ///   - reach: the value of ``reach``, if a query has computed it already.
    static func seesItem(_ table: String, reach: String = PlanAccessRules.reach) -> String {
        """
        (CASE \(table).level WHEN 0 THEN coalesce(\(table).person, plan.owner) = :me ELSE \(table).level >= (\(reach)) END)
        """
    }

    /// Returns the condition that the caller sees a location or an activity, and its plan.
    ///
    /// - Parameters:
    ///   - table: `location` or `activity`.
    ///   - reach: the value of ``reach``, if it is known already.
    static func sees(_ table: String, reach: String = PlanAccessRules.reach) -> String {
        "(plan.level >= (\(reach)) AND \(seesItem(table, reach: reach)))"
    }

    /// Whether the caller sees what only members see at any level: money, bookings and contacts.
    static let seesPrivate = "(plan.owner = :me OR \(isMember))"

    /// Whether the caller sees an expense of a plan whose money they see: another member's personal expense is hidden.
    static let seesExpense = """
        (expense.personal = 0 OR EXISTS (
            SELECT 1 FROM expense_payer JOIN plan_member ON plan_member.number = expense_payer.member
            WHERE expense_payer.expense = expense.number AND plan_member.person = :me))
        """

    /// Whether the caller may change a plan that they see, and the items in it that they see.
    static let edits = """
        (plan.owner = :me OR \(isGranted) OR EXISTS (SELECT 1 FROM plan_member
            WHERE plan_member.plan = plan.number AND plan_member.person = :me AND plan_member.state = 'member'
                AND plan_member.edits = 1))
        """

    /// Returns the effective level of an item in a plan: its own or the plan's, whichever is narrower.
    static func level(of table: String) -> String { "min(plan.level, \(table).level)" }
}
