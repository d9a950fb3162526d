import Service
import Store

/// The marks that people put on subjects.
///
/// All functions run in the caller's transaction.
public enum Reactions {
    /// The kind of a mark.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The person loves the subject.
        case heart
        /// The person likes the subject.
        case like
        /// The person wants to find the subject again.
        ///
        /// Nobody else is shown who saved it.
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
