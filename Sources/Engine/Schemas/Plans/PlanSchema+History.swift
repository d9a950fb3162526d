import Store

extension PlanSchema {
    static let historyMigration = StoreMigration(
        at: 69, name: "plans.history.1",
        sql: """
            -- The last changes of each plan, the later the higher the number; times are in milliseconds since 1970. Level
            -- and author are those of the subject as it is now, or was before it was removed: 0 is for its author alone.
            -- Private is a change of what only members see. Content is what it takes to undo the change, NULL if it cannot
            -- be undone; fields are the names of the changed ones, one a line.
            CREATE TABLE plan_change (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                plan INTEGER NOT NULL REFERENCES plan (number) ON DELETE CASCADE,
                size INTEGER NOT NULL,
                time INTEGER NOT NULL,
                person INTEGER REFERENCES person (number) ON DELETE SET NULL,
                author INTEGER REFERENCES person (number) ON DELETE SET NULL,
                level INTEGER NOT NULL CHECK (level BETWEEN 0 AND 3),
                private INTEGER NOT NULL CHECK (private IN (0, 1)),
                kind TEXT NOT NULL CHECK (kind IN ('plan', 'location', 'activity', 'expense', 'repayment')),
                subject TEXT NOT NULL,
                deed TEXT NOT NULL CHECK (deed IN ('added', 'changed', 'moved', 'removed', 'restored')),
                title TEXT NOT NULL,
                fields TEXT NOT NULL,
                undone INTEGER NOT NULL DEFAULT 0 CHECK (undone IN (0, 1)),
                content TEXT
            ) STRICT;
            CREATE INDEX plan_change_by_plan ON plan_change (plan, number, size);
            CREATE INDEX plan_change_by_subject ON plan_change (plan, subject);
            CREATE INDEX plan_change_by_person ON plan_change (person) WHERE person IS NOT NULL;
            CREATE INDEX plan_change_by_author ON plan_change (author) WHERE author IS NOT NULL;
            """)
}
