import GRDB
import People
import Service
import Store
import TextCoding
import Time
import Tracking

/// The notifications in the store.
///
/// All functions run within the caller's transaction.
package enum Notifications {
    /// The maximum number of stored notifications of one person, more than anybody scrolls through.
    ///
    /// Beyond it, the oldest are deleted, read ones first.
    static let maximumKept = 2000

    /// Notifies a person, unless their rules mute the kind or they have a notification with the same key.
    ///
    /// During the person's quiet hours, or if what it tells came late, the notification is stored and counted, but not
    /// announced: no event is emitted. An alarm is announced in quiet hours too, and also if its kind is muted.
    ///
    /// - Parameter isLate: Whether what it tells is so long ago that nobody should be disturbed for it.
    /// - Returns: Whether a notification was stored.
    /// - Throws: `Refusal` (`.invalidValue`) if the destination or the button's target is not allowed.
    @discardableResult
    static func add(
        _ draft: NotificationDraft, isLate: Bool = false, in db: Database, _ consequences: inout Consequences
    ) throws -> Bool {
        try draft.check()
        guard let person = try People.find(draft.person, in: db) else { return false }
        let rules = try NotificationRules.of(person.number, in: db)
        guard draft.isAlarm || rules.isEnabled(draft.kind) else { return false }
        let isQuiet = !draft.isAlarm && rules.quiet?.contains(draft.time) ?? false
        let isSilent = isLate || isQuiet
        guard let number = try insert(draft, for: person.number, isSilent: isSilent, in: db) else { return false }
        try prune(person.number, in: db)
        if !isSilent { consequences.events.append(EventRecord(draft, id: String(number), to: person.id)) }
        return true
    }

    /// Deletes notifications that are pointless now.
    ///
    /// Those whose button was used stay.
    static func withdraw(_ withdrawal: Consequences.Withdrawal, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                DELETE FROM notification
                WHERE person = (SELECT number FROM person WHERE id = ?1) AND done IS NULL
                    AND substr(key, 1, length(?2)) = ?2
                """
        ).execute(arguments: [withdrawal.person, withdrawal.keys])
    }

    /// Stores a notification.
    ///
    /// - Returns: The notification's number, or `nil` if there is one with the same key already.
    private static func insert(
        _ draft: NotificationDraft, for person: Int64, isSilent: Bool, in db: Database
    ) throws -> Int64? {
        var target: String?
        var parameters: String?
        switch draft.action?.action {
        case .open(let url): target = url
        case .call(let method, let given): (target, parameters) = (method, given)
        case nil: break
        }
        return try Int64.fetchOne(
            db.cachedStatement(
                sql: """
                    INSERT INTO notification
                        (person, key, kind, time, text, destination, silent, button, target, parameters, author)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT DO NOTHING RETURNING number
                    """),
            arguments: [
                person, draft.key, draft.kind.rawValue, draft.time.milliseconds, draft.text.markup, draft.destination,
                isSilent, draft.action?.title, target, parameters, draft.author?.person,
            ])
    }

    /// Deletes the oldest notifications beyond ``maximumKept``: first those that were read, then those that were shown,
    /// then new ones.
    static func prune(_ person: Int64, in db: Database) throws {
        let count =
            try Int.fetchOne(
                db.cachedStatement(sql: "SELECT count(*) FROM notification WHERE person = ?"), arguments: [person]) ?? 0
        var excess = count - maximumKept
        for state in [Notification.State.read, .unread, .new] where excess > 0 {
            try db.cachedStatement(
                sql: """
                    DELETE FROM notification WHERE number IN (
                        SELECT number FROM notification WHERE person = ? AND state = ? ORDER BY number LIMIT ?)
                    """
            ).execute(arguments: [person, state.rawValue, excess])
            excess -= db.changesCount
        }
    }
}

extension EventRecord {
    /// Creates the event that announces a notification to the person's subscribers.
    init(_ draft: NotificationDraft, id: String, to person: String) {
        var json = JSONWriter()
        json.member("type", "notification")
        json.member("time", draft.time.description)
        json.member("device", draft.origin?.device)
        if let place = draft.origin?.place { json.place(place) }
        json.member("to", person)
        json.object("notification") { json in
            json.member("id", id)
            json.member("kind", draft.kind.rawValue)
            json.member("text", (draft.author?.logText ?? draft.text).markup)
            json.member("destination", draft.destination)
            guard let action = draft.action else { return }
            json.object("action") { json in
                json.member("title", action.title)
                switch action.action {
                case .open(let url): json.member("url", url)
                case .call(let method, _): json.member("method", method)
                }
            }
        }
        self.init(
            time: draft.time, type: "notification", device: draft.origin?.device, subject: nil, recipient: person,
            members: json.bytes)
    }
}
