import Accounts
import GRDB
import Service
import Store
import TextCoding
import Time
import Tracking

/// The notifications in the store.
///
/// All functions run within the caller's transaction.
package enum Notifications {
    static let migration = StoreMigration(
        at: 14, name: "companion.notifications.1",
        sql: """
            -- Notifications. The key is what makes two of them one; the state is new until it was shown, unread until
            -- it was opened, then read. Silent is one that was made in quiet hours, and not announced. The target of
            -- a button is a link, or with parameters a method; done is when that was called. Times are in
            -- milliseconds since 1970.
            CREATE TABLE notification (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
                key TEXT NOT NULL,
                kind TEXT NOT NULL,
                time INTEGER NOT NULL,
                text TEXT NOT NULL,
                destination TEXT NOT NULL,
                state TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'unread', 'read')),
                silent INTEGER NOT NULL CHECK (silent IN (0, 1)),
                button TEXT,
                target TEXT,
                parameters TEXT,
                done INTEGER,
                UNIQUE (person, key),
                CHECK ((button IS NULL) = (target IS NULL) AND (parameters IS NULL OR target IS NOT NULL))
            ) STRICT;
            CREATE INDEX notification_by_person ON notification (person, number);
            CREATE INDEX notification_by_state ON notification (person, state, number);

            -- What people wish to be told, as a JSON object; who has no row has never chosen.
            CREATE TABLE notification_rules (
                person INTEGER PRIMARY KEY REFERENCES person (number) ON DELETE CASCADE,
                rules TEXT NOT NULL
            ) STRICT;

            -- When people were last told of something near, and whose visit to it that was of: one that is ahead,
            -- goes on or has ended.
            CREATE TABLE visit (
                person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
                subject TEXT NOT NULL,
                device TEXT NOT NULL,
                time INTEGER NOT NULL,
                phase TEXT NOT NULL CHECK (phase IN ('ahead', 'inside', 'ended')),
                PRIMARY KEY (person, subject)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX visit_by_device ON visit (device, subject) WHERE phase <> 'ended';

            -- Since which event, and until before which, a device has carried a person. Who is taken away and put back
            -- before there is another event has not been away.
            CREATE TABLE carrying (
                device TEXT NOT NULL,
                person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
                since INTEGER NOT NULL,
                until INTEGER,
                PRIMARY KEY (device, person)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX carrying_by_person ON carrying (person);
            CREATE TRIGGER carrying_begins AFTER INSERT ON carried BEGIN
                UPDATE carrying SET
                    since = CASE WHEN until < (SELECT next_seq FROM log) THEN (SELECT next_seq FROM log) ELSE since END,
                    until = NULL
                WHERE device = new.device AND person = new.person;
                INSERT INTO carrying SELECT new.device, new.person, next_seq, NULL FROM log WHERE NOT EXISTS (
                    SELECT 1 FROM carrying WHERE device = new.device AND person = new.person);
            END;
            CREATE TRIGGER carrying_ends AFTER DELETE ON carried BEGIN
                UPDATE carrying SET until = (SELECT next_seq FROM log)
                WHERE device = old.device AND person = old.person;
            END;
            """)

    static let authorMigration = StoreMigration(
        at: 27, name: "companion.notifications.2",
        sql: """
            -- Who did what it is about, whose name the text has: it is removed with their account.
            ALTER TABLE notification ADD COLUMN author INTEGER REFERENCES person (number) ON DELETE CASCADE;
            CREATE INDEX notification_by_author ON notification (author) WHERE author IS NOT NULL;
            UPDATE notification SET author = (
                SELECT person.number FROM person
                WHERE destination = 'waymark://person/' || person.id AND person.number <> notification.person)
            WHERE kind = 'friend';
            UPDATE notification SET author = (
                SELECT sender FROM suggestion
                WHERE suggestion.number = CAST(substr(key, length('suggestion/') + 1) AS INTEGER))
            WHERE kind = 'suggestion' AND key LIKE 'suggestion/%';
            -- Those about people whose account was removed before.
            DELETE FROM notification WHERE author IS NULL AND kind = 'friend' AND destination LIKE 'waymark://person/%';
            DELETE FROM notification WHERE author IS NULL AND kind = 'suggestion';
            """)

    static let kindMigration = StoreMigration(
        at: 65, name: "companion.notifications.3",
        sql: "CREATE INDEX notification_by_kind ON notification (person, kind, number)")

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
