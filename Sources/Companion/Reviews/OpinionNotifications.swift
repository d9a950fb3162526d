import GRDB
import People
import Service
import Time

extension NotificationDraft.Kind {
    /// The kind of notifications that somebody loves or likes something of the person's.
    static let heart = NotificationDraft.Kind(
        "heart",
        .init(
            one: "loves", several: "love", "something of yours", logText: "Somebody loves something of yours."))
    /// The kind of notifications that somebody has reviewed something of the person's.
    static let review = NotificationDraft.Kind(
        "review",
        .init(
            one: "has reviewed", several: "have reviewed", "something of yours",
            logText: "Somebody has reviewed something of yours."))
    /// The kind of notifications that somebody has flagged something, for administrators.
    static let flag = NotificationDraft.Kind(
        "flag",
        .init(
            one: "has flagged", several: "have flagged", "something", logText: "Something was flagged.",
            isAnonymous: true))
}

extension Consequences {
    /// Tells the administrators that a person has flagged a subject, or a review of it.
    ///
    /// Only they learn of it: whoever has flagged something stays unknown.
    mutating func flagged(_ subject: SubjectID, by person: Int64, at time: Timestamp, in db: Database) throws {
        let administrators = try People.administrators(in: db)
        for administrator in administrators {
            acts.append(
                Act(.flag, by: person, to: administrator, of: subject, at: time, isForAdministrator: true))
        }
        changed(subject, at: time, onlyFor: administrators)
    }

    /// Withdraws the notifications of flags on a subject, because they were decided upon.
    mutating func decided(_ subject: SubjectID, at time: Timestamp, in db: Database) throws {
        let administrators = try People.administrators(in: db)
        for administrator in administrators {
            withdrawn.append(.init(of: administrator, keys: Act.keys(.flag, of: subject)))
        }
        changed(subject, at: time, onlyFor: administrators)
    }
}
