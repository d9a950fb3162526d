import GRDB
import Positioning
import Store
import TextCoding

/// The notifications in the store, within a transaction of its caller.
enum Notifications {
    static let migration = StoreMigration(
        name: "companion.notifications.1",
        sql: """
            -- Notifications. The key is what makes two of them one; the state is new until it was shown, unread until
            -- it was opened, then read.
            CREATE TABLE notification (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
                key TEXT NOT NULL,
                kind TEXT NOT NULL,
                time INTEGER NOT NULL,
                text TEXT NOT NULL,
                destination TEXT NOT NULL,
                state TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'unread', 'read')),
                UNIQUE (person, key)
            ) STRICT;
            """)

    /// Tells a person something, as far as they wish to be told such things; once for each key.
    ///
    /// - Returns: whether it was told.
    @discardableResult
    static func tell(
        _ draft: NotificationDraft, in db: Database, _ consequences: inout Consequences
    ) throws -> Bool {
        guard let person = try People.find(draft.person, in: db) else { return false }
        try db.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO notification (person, key, kind, time, text, destination) VALUES (?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            person.number, draft.key, draft.kind.rawValue, draft.time.milliseconds, draft.text, draft.destination,
        ])
        guard db.changesCount > 0 else { return false }
        let id = String(db.lastInsertedRowID)
        var json = JSONWriter()
        json.member("type", "notification")
        json.member("time", draft.time.description)
        json.member("to", person.id)
        json.object("notification") { json in
            json.member("id", id)
            json.member("kind", draft.kind.rawValue)
            json.member("text", draft.text)
            json.member("destination", draft.destination)
        }
        consequences.events.append(
            EventRecord(
                time: draft.time, type: "notification", device: nil, subject: nil, recipient: person.id,
                members: json.bytes))
        return true
    }
}
