import GRDB
import People
import RPC
import Service
import Time

/// A member of a plan, or a person who is asked to be one.
struct PlanMember: Hashable, Sendable {
    /// The state of a membership.
    enum State: String, Sendable {
        /// The person has not answered the request yet, and sees what a friend sees.
        case asked
        /// The person is a member.
        case member
        /// The person is no longer a member, but expenses or repayments of the plan refer to them.
        case left
    }

    /// The row number in the table `plan_member`.
    var number: Int64
    /// The number in the table `person`; `nil` if the account is gone.
    var person: Int64?
    /// The username; `nil` if the account is gone.
    var id: String?
    /// First and last name; `nil` if the account is gone.
    var name: String?
    /// The id of the photo that is the profile picture; `nil` if there is none.
    var picture: String?
    var state: State
    /// Whether the member owns the plan.
    var isOwner: Bool
    /// Whether the member may change the plan.
    var edits: Bool
    /// Whether the member is a traveller: travellers are counted, stamp locations, pay and owe.
    var travels: Bool

    /// The most members of a plan, in any state.
    static let maximumPerPlan = 200

    private init(_ row: NamedRow) {
        number = row["number"]
        person = row["person"]
        id = row["id"]
        let (first, last): (String?, String?) = (row["first_name"], row["last_name"])
        name = first.map { first in (last ?? "").isEmpty ? first : "\(first) \(last ?? "")" }
        picture = (row["picture"] as Int64?).map(String.init)
        state = State(rawValue: row["state"]) ?? .left
        isOwner = row["owns"]
        edits = row["edits"]
        travels = row["travels"]
    }

    private static let select = """
        SELECT plan_member.*, person.id AS id, person.first_name, person.last_name,
            \(PersonRow.picture()) AS picture,
            plan_member.person IS plan.owner AND plan_member.person IS NOT NULL AS owns
        FROM plan_member JOIN plan ON plan.number = plan_member.plan
        LEFT JOIN person ON person.number = plan_member.person
        """

    /// Returns all members of a plan in any state, in the order in which they were asked.
    static func list(of plan: Int64, in db: Database) throws -> [PlanMember] {
        try NamedRow.list(
            db.cachedStatement(sql: "\(select) WHERE plan_member.plan = ? ORDER BY plan_member.number"),
            arguments: [plan], PlanMember.init)
    }

    /// Returns a person's membership of a plan in any state, or `nil` if there is none.
    static func find(_ person: Int64, of plan: Int64, in db: Database) throws -> PlanMember? {
        try NamedRow.fetchOne(
            db.cachedStatement(sql: "\(select) WHERE plan_member.plan = ? AND plan_member.person = ?"),
            arguments: [plan, person]
        ).map(PlanMember.init)
    }

    /// Returns the membership of the person with a username, who must have joined the plan at some time.
    ///
    /// A member whose account is gone is named by the member's number in the plan's accounts.
    ///
    /// - Throws: ``Refusal/invalid(_:_:)`` for the field if there is no such member.
    static func named(_ id: String, _ field: String, of plan: Int64, in db: Database) throws -> PlanMember {
        let member =
            if let person = try People.number(of: id, in: db) { try find(person, of: plan, in: db) } else {
                try list(of: plan, in: db).first { $0.person == nil && String($0.number) == id }
            }
        guard let member, member.state != .asked else {
            throw Refusal.invalid(field, "must be members of the plan; \(id) is not")
        }
        return member
    }
}

/// Changing the members of a plan, within a transaction of the caller.
extension PlanMember {
    /// Asks a friend of the caller to be a member.
    ///
    /// - Throws: ``Refusal`` if the caller may not ask them, if they are asked or a member already, or if the plan is
    ///   full.
    static func ask(
        _ other: Person, edits: Bool, travels: Bool, in access: PlanAccess, at now: Timestamp, in db: Database
    ) throws {
        try checkInviting(to: access, edits: edits, in: db)
        if let known = try find(other.number, of: access.plan, in: db), known.state != .left {
            throw Refusal.conflict(
                known.state == .asked ? "\(other.name) has already been asked." : "\(other.name) is already a member.")
        }
        guard let person = access.person, try Friends.areFriends(person, other.number, in: db) else {
            throw Refusal.notAllowed("\(other.name) is not your friend. Call friends.request first.")
        }
        try add(other.number, as: .asked, edits: edits, travels: travels, to: access, at: now, in: db)
    }

    /// Makes a person whom the caller has invited a member who travels.
    ///
    /// A member stays as they are. Somebody who is asked becomes a member, who may change the plan if either the
    /// request or the invitation says so.
    ///
    /// - Parameter access: The access of the inviter, who may invite people to the plan.
    /// - Throws: ``Refusal`` if the plan is full.
    static func join(
        _ access: PlanAccess, _ person: Int64, edits: Bool, at now: Timestamp, in db: Database
    ) throws {
        let known = try find(person, of: access.plan, in: db)
        guard known?.state != .member else { return }
        let editsByRequest = known.map { $0.state == .asked && $0.edits } ?? false
        try add(person, as: .member, edits: edits || editsByRequest, travels: true, to: access, at: now, in: db)
    }

    /// Refuses callers who may not bring people into a plan.
    ///
    /// - Parameter edits: Whether those people may change the plan.
    static func checkInviting(to access: PlanAccess, edits: Bool, in db: Database) throws {
        try access.checkEdits()
        try access.checkMember()
        guard !edits || access.isOwner else {
            throw Refusal.notAllowed("Only the owner of the plan \(access.id) can let others change it.")
        }
        guard try Plan.get(access.plan, in: db).fields.level > .me else {
            throw Refusal.conflict("Only you see the plan \(access.id). Set its level to members first.")
        }
    }

    /// Adds a person, or changes the row of one who is asked or has left.
    private static func add(
        _ person: Int64, as state: State, edits: Bool, travels: Bool, to access: PlanAccess, at now: Timestamp,
        in db: Database
    ) throws {
        let count = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM plan_member WHERE plan = ?"), arguments: [access.plan])
        guard try count ?? 0 < maximumPerPlan || find(person, of: access.plan, in: db) != nil else {
            throw Refusal.unavailable("The plan \(access.id) has \(maximumPerPlan) members, the maximum.")
        }
        try db.cachedStatement(
            sql: """
                INSERT INTO plan_member (plan, person, state, edits, travels, time)
                VALUES (:plan, :person, :state, :edits, :travels, :time)
                ON CONFLICT (plan, person) DO UPDATE SET
                    state = excluded.state, edits = excluded.edits, travels = excluded.travels, time = excluded.time
                """
        ).execute(arguments: [
            "plan": access.plan, "person": person, "state": state.rawValue, "edits": edits, "travels": travels,
            "time": now.milliseconds,
        ])
    }

    /// Makes the caller, who has been asked, a member.
    ///
    /// - Returns: the number of the plan.
    static func confirm(_ plan: String, by person: Int64, in db: Database) throws -> Int64 {
        let number = try Int64.fetchOne(
            db.cachedStatement(
                sql: """
                    UPDATE plan_member SET state = 'member'
                    WHERE plan = (SELECT number FROM plan WHERE id = ?) AND person = ? AND state = 'asked'
                    RETURNING plan
                    """), arguments: [plan, person])
        guard let number else { throw Refusal.absent("request for you to join the plan", id: plan) }
        return number
    }

    /// Declines a request to the caller.
    static func decline(_ plan: String, by person: Int64, in db: Database) throws {
        let number = try Int64.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT plan_member.number FROM plan_member JOIN plan ON plan.number = plan_member.plan
                    WHERE plan.id = ? AND plan_member.person = ? AND plan_member.state = 'asked'
                    """), arguments: [plan, person])
        guard let number else { throw Refusal.absent("request for you to join the plan", id: plan) }
        try end(number, in: db)
    }

    /// Removes a member, who may be the caller, or withdraws a request.
    ///
    /// - Throws: ``Refusal/conflict(_:data:)`` for the owner, and for a member with a balance other than zero.
    static func remove(_ other: Person, in access: PlanAccess, in db: Database) throws {
        guard let member = try find(other.number, of: access.plan, in: db), member.state != .left else {
            throw Refusal.absent("member of the plan \(access.id) with the username", id: other.id)
        }
        if other.number != access.person {
            try access.checkEdits()
            try access.checkMember()
        }
        guard !member.isOwner else {
            throw Refusal.conflict("\(other.name) owns the plan \(access.id), which must be handed over first.")
        }
        if member.edits, member.state == .member, !access.isOwner, other.number != access.person {
            throw Refusal.notAllowed("Only the owner of the plan \(access.id) can remove members who may change it.")
        }
        guard try Accounting.balance(ofMember: member.number, in: db) == 0 else {
            throw Refusal.conflict(
                "\(other.name) has a balance in the plan \(access.id). Settle it first, or set their travels to false."
            )
        }
        try end(member.number, in: db)
    }

    /// Changes whether a member may change the plan, and whether they travel.
    ///
    /// Only the owner changes the first. Members change the second for themselves, and editors for everybody.
    static func change(
        _ other: Person, edits: Bool?, travels: Bool?, in access: PlanAccess, in db: Database
    ) throws {
        guard let member = try find(other.number, of: access.plan, in: db), member.state != .left else {
            throw Refusal.absent("member of the plan \(access.id) with the username", id: other.id)
        }
        if let edits, edits != member.edits {
            try access.checkOwner("let others change it")
            guard !member.isOwner else { throw Refusal.conflict("The owner can always change the plan.") }
        }
        if travels != nil, other.number != access.person {
            try access.checkEdits()
            try access.checkMember()
        }
        try db.cachedStatement(
            sql: "UPDATE plan_member SET edits = coalesce(?, edits), travels = coalesce(?, travels) WHERE number = ?"
        ).execute(arguments: [edits, travels, member.number])
    }

    /// Makes a member the owner; the previous owner stays a member who may change the plan.
    static func handOver(to other: Person, in access: PlanAccess, at now: Timestamp, in db: Database) throws {
        try access.checkOwner("hand it over")
        guard let member = try find(other.number, of: access.plan, in: db), member.state == .member else {
            throw Refusal.invalid("person", "must be a member of the plan")
        }
        try db.cachedStatement(sql: "UPDATE plan_member SET edits = 1 WHERE number = ?")
            .execute(arguments: [member.number])
        var columns = ColumnValues()
        columns["owner"] = other.number
        columns["changed"] = now.milliseconds
        try columns.update("plan", access.plan, in: db)
    }

    /// Allows a friend of the owner to change a plan without being a member, or ends that permission.
    static func grant(
        _ other: Person, _ isGranted: Bool, in access: PlanAccess, at now: Timestamp, in db: Database
    ) throws {
        try access.checkOwner("let others change it")
        guard isGranted else {
            return try db.cachedStatement(sql: "DELETE FROM plan_grant WHERE plan = ? AND person = ?")
                .execute(arguments: [access.plan, other.number])
        }
        guard let person = access.person, try Friends.areFriends(person, other.number, in: db) else {
            throw Refusal.notAllowed("\(other.name) is not your friend. Call friends.request first.")
        }
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO plan_grant (plan, person, time) VALUES (?, ?, ?)")
            .execute(arguments: [access.plan, other.number, now.milliseconds])
    }

    /// Ends a membership: deletes its row, or marks it as left if expenses or repayments refer to it.
    private static func end(_ number: Int64, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                DELETE FROM plan_member
                WHERE number = :number AND NOT EXISTS (SELECT 1 FROM plan_member_with_money WHERE member = :number)
                """
        ).execute(arguments: ["number": number])
        try db.cachedStatement(sql: "UPDATE plan_member SET state = 'left', edits = 0, travels = 0 WHERE number = ?")
            .execute(arguments: [number])
        try db.cachedStatement(sql: "DELETE FROM activity_member WHERE member = ?").execute(arguments: [number])
        try db.cachedStatement(sql: "UPDATE task SET member = NULL WHERE task.member = ?").execute(arguments: [number])
    }
}
