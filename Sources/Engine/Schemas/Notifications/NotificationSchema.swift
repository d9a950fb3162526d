package import Store

/// The tables of the notification centre.
package enum NotificationSchema {
    /// All steps.
    package static let migrations = [migration, authorMigration, kindMigration, groupMigration]

    private static let migration = StoreMigration(
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

    /// The step that names who did what a notification tells.
    package static let authorMigration = StoreMigration(
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

    private static let kindMigration = StoreMigration(
        at: 65, name: "companion.notifications.3",
        sql: "CREATE INDEX notification_by_kind ON notification (person, kind, number)")

    private static let groupMigration = StoreMigration(
        at: 68, name: "companion.notifications.4",
        sql: """
            -- A notification that gathers people has a grouping: its first number, which stays where the number changes
            -- because it has gained somebody. People counts them, and is kept by triggers. The subject is KIND/ID.
            ALTER TABLE notification ADD COLUMN grouping INTEGER;
            ALTER TABLE notification ADD COLUMN subject TEXT;
            ALTER TABLE notification ADD COLUMN people INTEGER NOT NULL DEFAULT 0;
            CREATE UNIQUE INDEX notification_by_grouping ON notification (grouping);
            CREATE INDEX notification_by_subject ON notification (person, kind, subject, number)
                WHERE grouping IS NOT NULL;

            -- Who did what a notification tells, the later the higher the number.
            CREATE TABLE notification_person (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                grouping INTEGER NOT NULL REFERENCES notification (grouping) ON DELETE CASCADE,
                person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
                UNIQUE (grouping, person)
            ) STRICT;
            CREATE INDEX notification_person_in_order ON notification_person (grouping, number);
            CREATE INDEX notification_person_by_person ON notification_person (person);
            CREATE TRIGGER notification_gained AFTER INSERT ON notification_person BEGIN
                UPDATE notification SET people = people + 1 WHERE grouping = NEW.grouping;
            END;
            CREATE TRIGGER notification_lost AFTER DELETE ON notification_person BEGIN
                UPDATE notification SET people = people - 1 WHERE grouping = OLD.grouping;
                DELETE FROM notification WHERE grouping = OLD.grouping AND people = 0;
            END;
            """)
}
