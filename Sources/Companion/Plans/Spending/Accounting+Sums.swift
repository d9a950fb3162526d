import GRDB
import Service
import Store

/// What the money of a plan comes to, as the transactions that changed it have kept it.
extension Accounting {
    /// Returns the balances of a plan by member number; they add up to zero.
    ///
    /// - Complexity: linear in the number of members; the sums are kept, see `PlanSchema.sumMigration`.
    static func balances(of plan: Int64, in db: Database) throws -> [Int64: Int64] {
        let rows = try StoredRow.fetchAll(
            db.cachedStatement(sql: "SELECT member, balance FROM plan_member_sum WHERE plan = ?"), arguments: [plan])
        return rows.reduce(into: [:]) { $0[$1[0]] = $1[1] }
    }

    /// Returns the balance of a member; 0 if the money of the plan does not know them.
    static func balance(ofMember member: Int64, in db: Database) throws -> Int64 {
        try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT balance FROM plan_member_sum WHERE member = ?"), arguments: [member]) ?? 0
    }

    /// Returns the transfers that settle a plan, largest first; see ``Settlement``.
    static func settlement(of plan: Int64, in db: Database) throws -> [Transfer] {
        Settlement.transfers(for: try balances(of: plan, in: db).sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    /// Returns the costs of a plan, including the caller's personal expenses but not those of others.
    ///
    /// - Complexity: linear in the number of sums, whatever the number of expenses.
    static func sums(of access: PlanAccess, in db: Database) throws -> Sums {
        try access.checkMember()
        let own = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT number FROM plan_member WHERE plan = ? AND person = ?"),
            arguments: [access.plan, access.person])
        var sums = Sums()
        let words = try NamedRow.list(
            db.cachedStatement(
                sql: "SELECT kind, word, amount FROM plan_sum WHERE plan = :plan AND member IN (0, :own)"),
            arguments: ["plan": access.plan, "own": own]
        ) { (kind: $0["kind"] as String, word: $0["word"] as String, amount: $0["amount"] as Int64) }
        for (kind, word, amount) in words { sums.add(amount, to: kind, word) }
        let members = try NamedRow.list(
            db.cachedStatement(
                sql: """
                    SELECT member, shared + iif(member = :own, own, 0) AS amount FROM plan_member_sum
                    WHERE plan = :plan AND shares + iif(member = :own, own_shares, 0) > 0
                    """), arguments: ["plan": access.plan, "own": own]
        ) { (member: $0["member"] as Int64, amount: $0["amount"] as Int64) }
        for (member, amount) in members { sums.add(amount, toMember: member) }
        return sums
    }
}
