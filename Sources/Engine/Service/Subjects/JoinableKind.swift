public import GRDB
public import Time

/// A kind of subjects that people can join with an invitation, such as plans.
public protocol JoinableKind: Sendable {
    /// The name of the kind in a ``SubjectID``.
    var name: String { get }

    /// Returns what an invitation shows of a subject to everybody who has its code.
    ///
    /// - Parameters:
    ///   - id: The subject's id among those of this kind.
    ///   - terms: What the inviter offers.
    /// - Throws: `Refusal` if there is no such subject or the inviter may not invite people to it, or not on these
    ///   terms.
    func shown(_ id: String, on terms: InvitationTerms, in db: Database) throws -> InvitedSubject

    /// Makes a person one of those who belong to a subject, in the transaction of the caller.
    ///
    /// Whoever belongs to it already stays as they are.
    ///
    /// - Parameters:
    ///   - id: The subject's id among those of this kind.
    ///   - person: The number and the username of the person who accepts.
    /// - Throws: `Refusal` for the reasons of ``shown(_:on:in:)``, and if the subject has no room for another person.
    func join(
        _ id: String, _ person: (number: Int64, id: String), on terms: InvitationTerms, at now: Timestamp,
        in db: Database, _ consequences: inout Consequences
    ) throws
}

/// What an inviter offers to the people who join a subject.
public struct InvitationTerms: Hashable, Sendable {
    /// The inviter's number in the table `person`.
    public var inviter: Int64
    /// Whether the people who join may change the subject.
    public var edits: Bool

    /// Creates terms from their parts.
    public init(inviter: Int64, edits: Bool) {
        (self.inviter, self.edits) = (inviter, edits)
    }
}

/// What an invitation shows of a subject to people who have not joined it yet.
public struct InvitedSubject: Hashable, Sendable {
    /// The title.
    public var title: String
    /// The first day, as `2026-05-01`, if it has one.
    public var begins: String?
    /// The last day, as `2026-05-03`, if it has one.
    public var ends: String?

    /// Creates what an invitation shows from its parts.
    public init(title: String, begins: String?, ends: String?) {
        (self.title, self.begins, self.ends) = (title, begins, ends)
    }
}
