import GRDB
import RPC
import Service
import Time

/// Who may enter and change what in the money of a plan.
///
/// Whoever may change the plan may enter and change everything. Any other traveller may enter what they alone have paid,
/// and change and remove what they have entered.
extension Accounting {
    /// Refuses an expense with payers for whom the caller may not enter one.
    static func checkMayEnter(_ payers: [Split.Part], in access: PlanAccess, in db: Database) throws {
        try access.checkMember()
        guard !access.edits else { return }
        let own = try access.person.flatMap { try PlanMember.find($0, of: access.plan, in: db) }
        guard let own, own.state == .member, own.travels, payers.map(\.member) == [own.number] else {
            throw Refusal.notAllowed(
                "In the plan \(access.id) you can only enter what you yourself have paid as a traveller. Ask its owner "
                    + "to let you change it.")
        }
    }

    /// Refuses a change of an expense that the caller may not change.
    static func checkMayChange(_ expense: Expense, in access: PlanAccess, in db: Database) throws {
        try access.checkMember()
        guard try expense.mayChange(access, among: PlanMember.list(of: access.plan, in: db)) else {
            throw Refusal.notAllowed(
                "In the plan \(access.id) you can only change expenses that you have entered and paid yourself. Ask its "
                    + "owner to let you change it.")
        }
    }

    /// Moves an expense or a repayment to the bin.
    ///
    /// - Parameter table: `expense` or `repayment`.
    static func remove(
        _ number: Int64, from table: String, in access: PlanAccess, at now: Timestamp, in db: Database
    ) throws {
        if table == "expense" {
            let old = try expense(number, of: access, in: db)
            try checkMayChange(old, in: access, in: db)
            try PlanBin.keep(
                .expense, number, id: old.id, titled: old.title, isHidden: old.isPersonal, in: access, at: now, in: db)
        } else {
            try access.checkMember()
            try access.checkEdits()
            if let old = try repayments(of: access.plan, after: number - 1, limit: 1, in: db).first {
                try PlanBin.keep(
                    .repayment, number, id: old.id, titled: old.note ?? "Repayment", isHidden: false, in: access,
                    at: now, in: db)
            }
        }
        try db.cachedStatement(sql: "DELETE FROM \(table) WHERE number = ?").execute(arguments: [number])
    }
}

extension Expense {
    /// Whether the caller may change the expense.
    ///
    /// - Parameter members: the members of the plan.
    func mayChange(_ access: PlanAccess, among members: [PlanMember]) -> Bool {
        guard access.seesPrivate, !access.edits else { return access.seesPrivate }
        guard let person = access.person, author == person else { return false }
        let own = members.first { $0.person == person && $0.state == .member && $0.travels }
        return own.map { distribution.payments.map(\.member) == [$0.number] } ?? false
    }
}
