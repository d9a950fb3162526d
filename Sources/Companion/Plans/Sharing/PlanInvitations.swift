import GRDB
import People
import RPC
import Service
import Time

/// The invitations to plans, with which people become members without having been friends before.
struct PlanInvitations: JoinableKind {
    let name = Plan.kind

    func shown(_ id: String, on terms: InvitationTerms, in db: Database) throws -> InvitedSubject {
        let access = try access(to: id, on: terms, in: db)
        let fields = try Plan.get(access.plan, in: db).fields
        return InvitedSubject(
            title: fields.title, begins: fields.span.start?.clock.date.text,
            ends: fields.span.end?.clock.date.text)
    }

    func join(
        _ id: String, _ person: (number: Int64, id: String), on terms: InvitationTerms, at now: Timestamp,
        in db: Database, _ consequences: inout Consequences
    ) throws {
        let access = try access(to: id, on: terms, in: db)
        try PlanMember.join(access, person.number, edits: terms.edits, at: now, in: db)
        consequences.withdrawn.append(.init(of: person.id, keys: PlanMethods.keys(ofRequestsFor: id)))
        consequences.changed(SubjectID(kind: Plan.kind, id: id), at: now)
    }

    /// Returns the inviter's access to a plan.
    ///
    /// - Throws: ``Refusal`` of kind `notFound` if there is no such plan, or if the inviter may no longer invite people
    ///   to it.
    private func access(to id: String, on terms: InvitationTerms, in db: Database) throws -> PlanAccess {
        do {
            let access = try PlanAccess.plan(id, for: terms.inviter, in: db)
            try PlanMember.checkInviting(to: access, edits: terms.edits, in: db)
            return access
        } catch is Refusal {
            throw Refusal.notFound(
                "The plan was removed, or the person who invited you may not invite people to it any more. Ask for "
                    + "another invitation.")
        }
    }
}
