/// Who may see and do what in plans: the one place that decides it, for one object and for lists alike.
///
/// These are conditions of SQL over a row of `plan`, and of `location` or `activity` beside it; `:me` is the number of
/// whoever asks in the table `person`, NULL for nobody. What they do not hold for is absent for the caller, as if it did
/// not exist. An administrator sees no more of others' plans than anybody else.
enum Ladder {
    /// Whether the caller is a member.
    static let isMember = """
        EXISTS (SELECT 1 FROM plan_member WHERE plan_member.plan = plan.number AND plan_member.person = :me
            AND plan_member.state = 'member')
        """

    /// Whether the caller may change it without being a member.
    static let isGranted = """
        EXISTS (SELECT 1 FROM plan_grant WHERE plan_grant.plan = plan.number AND plan_grant.person = :me)
        """

    /// The lowest step of the ladder that the caller reaches in a plan, by the numbers of ``Level``.
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

    /// Whether the caller sees a location or an activity, given that they see its plan.
    ///
    /// - Parameters:
    ///   - table: `location` or `activity`.
    ///   - reach: what ``reach`` has come to, where a query has asked for it already.
    static func seesItem(_ table: String, reach: String = Ladder.reach) -> String {
        """
        (CASE \(table).level WHEN 0 THEN coalesce(\(table).person, plan.owner) = :me ELSE \(table).level >= (\(reach)) END)
        """
    }

    /// Whether the caller sees a location or an activity and its plan.
    ///
    /// - Parameter reach: what ``reach`` has come to, where it is known already.
    static func sees(_ table: String, reach: String = Ladder.reach) -> String {
        "(plan.level >= (\(reach)) AND \(seesItem(table, reach: reach)))"
    }

    /// Whether the caller sees what is for members alone, whatever the level: money, bookings, contacts.
    static let seesPrivate = "(plan.owner = :me OR \(isMember))"

    /// Whether the caller may change a plan that they see, and what they see in it.
    static let edits = """
        (plan.owner = :me OR \(isGranted) OR EXISTS (SELECT 1 FROM plan_member
            WHERE plan_member.plan = plan.number AND plan_member.person = :me AND plan_member.state = 'member'
                AND plan_member.edits = 1))
        """

    /// Who sees the level of something in a plan: that of the plan where it is narrower.
    static func level(of table: String) -> String { "min(plan.level, \(table).level)" }
}
