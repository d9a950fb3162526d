import GRDB
import People
import Service
import Store
import Time
import Tracking

/// Notifications that gather the people who did the same with one subject.
extension Notifications {
    /// The maximum number of people that one notification gathers; those who come later are not counted.
    static let maximumPeople = 1000

    /// A notification that gathers people, as far as an act needs it.
    private struct Group {
        var number: Int64
        var grouping: Int64
        var people: Int
        var isRead: Bool
    }

    /// Tells a person what somebody did: their notification of it that is not read gains the person, or there is a new
    /// one.
    ///
    /// Nobody is told of what they did themselves, of what they cannot see, or twice of the same person before they have
    /// read it. An act that was taken back takes the person away; a notification without people is deleted.
    ///
    /// - Complexity: O(log *n*) for *n* notifications of all people, and for each that has the same subject if the act was
    ///   taken back.
    static func gather(
        _ act: Act, among subjects: Subjects, in db: Database, _ consequences: inout Consequences
    ) throws {
        guard let person = try People.find(act.recipient, in: db), person.number != act.person else { return }
        guard !act.isUndone else { return try withdraw(act, from: person.number, in: db) }
        let rules = try NotificationRules.of(person.number, in: db)
        guard let sentence = act.kind.sentence, rules.isEnabled(act.kind) else { return }
        let viewer = Viewer(person: person.id, isAdmin: act.isForAdministrator)
        guard try subjects.find(act.subject, for: viewer, in: db) != nil else { return }
        let isSilent = rules.quiet?.contains(act.time) ?? false
        let number: Int64
        if let group = try last(act, of: person.number, in: db), !group.isRead {
            guard group.people < maximumPeople, try join(group.grouping, act.person, in: db) else { return }
            number = try renew(group, at: act.time, isSilent: isSilent, in: db)
        } else {
            number = try begin(act, sentence, for: person.number, isSilent: isSilent, in: db)
            _ = try join(number, act.person, in: db)
            try prune(person.number, in: db)
        }
        guard !isSilent else { return }
        let draft = NotificationDraft(
            to: person.id, act.kind, at: act.time, key: Act.keys(act.kind, of: act.subject), text: sentence.logText,
            destination: act.subject.destination)
        consequences.events.append(EventRecord(draft, id: String(number), to: person.id))
    }

    private static func withdraw(_ act: Act, from person: Int64, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                DELETE FROM notification_person WHERE notification_person.person = ? AND notification_person.grouping IN (
                    SELECT notification.grouping FROM notification
                    WHERE notification.grouping IS NOT NULL AND notification.person = ? AND notification.kind = ?
                        AND notification.subject = ?)
                """
        ).execute(arguments: [act.person, person, act.kind.rawValue, act.subject.description])
    }

    /// Returns the last notification of the kind and the subject of an act.
    private static func last(_ act: Act, of person: Int64, in db: Database) throws -> Group? {
        try NamedRow.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT notification.number, notification.grouping, notification.people, notification.state
                    FROM notification
                    WHERE notification.grouping IS NOT NULL AND notification.person = ? AND notification.kind = ?
                        AND notification.subject = ?
                    ORDER BY notification.number DESC LIMIT 1
                    """), arguments: [person, act.kind.rawValue, act.subject.description]
        ).map { row in
            let state: String = row["state"]
            return Group(
                number: row["number"], grouping: row["grouping"], people: row["people"],
                isRead: state == Notification.State.read.rawValue)
        }
    }

    /// Adds a person to a notification.
    ///
    /// - Returns: Whether the person was not there before.
    private static func join(_ grouping: Int64, _ person: Int64, in db: Database) throws -> Bool {
        let known = try Bool.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT EXISTS (SELECT 1 FROM notification_person
                        WHERE notification_person.grouping = ? AND notification_person.person = ?)
                    """), arguments: [grouping, person])
        guard known == false else { return false }
        try db.cachedStatement(sql: "INSERT INTO notification_person (grouping, person) VALUES (?, ?)")
            .execute(arguments: [grouping, person])
        return true
    }

    /// Stores a notification without people yet.
    ///
    /// - Returns: Its number, which is also its grouping.
    private static func begin(
        _ act: Act, _ sentence: NotificationDraft.Sentence, for person: Int64, isSilent: Bool, in db: Database
    ) throws -> Int64 {
        let key = Act.keys(act.kind, of: act.subject)
        try db.cachedStatement(
            sql: """
                INSERT INTO notification (person, key, kind, time, text, destination, silent, subject)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            person, key, act.kind.rawValue, act.time.milliseconds, sentence.logText.markup,
            act.subject.destination, isSilent, act.subject.description,
        ])
        let number = db.lastInsertedRowID
        try db.cachedStatement(
            sql: "UPDATE notification SET grouping = number, key = key || number WHERE number = ?"
        ).execute(arguments: [number])
        return number
    }

    /// Makes a notification new again, after all others.
    ///
    /// - Returns: Its new number.
    private static func renew(_ group: Group, at time: Timestamp, isSilent: Bool, in db: Database) throws -> Int64 {
        let number = try Int64.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT 1 + max(coalesce((SELECT max(notification.number) FROM notification), 0), coalesce(
                        (SELECT sqlite_sequence.seq FROM sqlite_sequence WHERE sqlite_sequence.name = 'notification'), 0))
                    """))
        guard let number else { return group.number }
        try db.cachedStatement(
            sql: "UPDATE notification SET number = ?, time = ?, state = 'new', silent = ? WHERE number = ?"
        ).execute(arguments: [number, time.milliseconds, isSilent, group.number])
        return number
    }
}
