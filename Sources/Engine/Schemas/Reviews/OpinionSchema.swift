import Service
package import Store

/// The tables of reviews, reactions, suggestions and flags.
package enum OpinionSchema {
    /// All steps.
    package static let migrations = [ReviewSchema.migration, reactions, suggestions, flags]

    private static let reactions = StoreMigration(
        at: 17, name: "companion.reactions.1",
        sql: Subjects.reactionTable)

    private static let suggestions = StoreMigration(
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

    private static let flags = StoreMigration(
        at: 40, name: "companion.flags.1",
        sql: """
            -- What people have flagged, the first first. flags counts the open ones, and is kept by triggers.
            CREATE TABLE flagged (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                subject INTEGER NOT NULL UNIQUE REFERENCES subject (number) ON DELETE CASCADE,
                hidden INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)),
                flags INTEGER NOT NULL DEFAULT 0 CHECK (flags >= 0)
            ) STRICT;
            CREATE INDEX flagged_to_decide ON flagged (number) WHERE flags > 0;
            CREATE INDEX flagged_hidden ON flagged (number) WHERE hidden = 1;

            -- Who finds that it should not be there; settled once it was decided upon.
            CREATE TABLE flag (
                flagged INTEGER NOT NULL REFERENCES flagged (number) ON DELETE CASCADE,
                person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
                settled INTEGER NOT NULL DEFAULT 0 CHECK (settled IN (0, 1)),
                PRIMARY KEY (flagged, person)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX flag_by_person ON flag (person);

            CREATE TRIGGER flag_added AFTER INSERT ON flag BEGIN
                UPDATE flagged SET flags = flags + (NEW.settled = 0) WHERE number = NEW.flagged;
            END;
            CREATE TRIGGER flag_settled AFTER UPDATE OF settled ON flag BEGIN
                UPDATE flagged SET flags = flags + OLD.settled - NEW.settled WHERE number = NEW.flagged;
            END;
            CREATE TRIGGER flag_removed AFTER DELETE ON flag BEGIN
                UPDATE flagged SET flags = flags - (OLD.settled = 0) WHERE number = OLD.flagged;
            END;
            """)
}
