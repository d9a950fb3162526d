import Service
import Store

/// The table of suggestions that people send each other.
///
/// All functions run in the caller's transaction.
public enum Suggestions {
    static let migration = StoreMigration(
        at: 18, name: "companion.suggestions.1",
        sql: """
            -- What people suggest to each other; times in milliseconds since 1970. near is when the recipient was told
            -- that they had come near it. One that its sender took back stays for a day, so that taking back and
            -- sending again cannot outwit the limit; one that its recipient put away stays, so that it cannot be sent
            -- again.
            CREATE TABLE suggestion (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                sender INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
                recipient INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
                subject INTEGER NOT NULL REFERENCES subject (number) ON DELETE CASCADE,
                text TEXT CHECK (text <> ''),
                time INTEGER NOT NULL,
                near INTEGER,
                state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'withdrawn', 'dismissed')),
                CHECK (sender <> recipient)
            ) STRICT;
            CREATE INDEX suggestion_by_sender ON suggestion (sender, recipient, time);
            CREATE INDEX suggestion_sent ON suggestion (sender, number) WHERE state <> 'withdrawn';
            CREATE INDEX suggestion_received ON suggestion (recipient, number) WHERE state = 'open';
            CREATE UNIQUE INDEX suggestion_once ON suggestion (subject, recipient, sender) WHERE state <> 'withdrawn';
            CREATE INDEX suggestion_by_subject ON suggestion (subject);
            CREATE INDEX suggestion_by_recipient ON suggestion (recipient);
            """)
}
