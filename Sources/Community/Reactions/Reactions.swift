import Service
import Store

/// What people have marked, within a transaction of its caller.
public enum Reactions {
    /// How something can be marked.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// They love it.
        case heart
        /// They like it.
        case like
        /// They want to find it again; nobody is shown who does.
        case save
    }

    static let migration = StoreMigration(
        at: 17, name: "companion.reactions.1",
        sql: """
            -- What people have marked, the later the higher the number; the time is in milliseconds since 1970.
            CREATE TABLE reaction (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                subject INTEGER NOT NULL REFERENCES subject (number) ON DELETE CASCADE,
                kind TEXT NOT NULL CHECK (kind IN ('heart', 'like', 'save')),
                person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
                time INTEGER NOT NULL,
                UNIQUE (subject, kind, person)
            ) STRICT;
            CREATE INDEX reaction_by_subject ON reaction (subject, kind, number);
            CREATE INDEX reaction_by_person ON reaction (person, kind, number);
            """)
}
