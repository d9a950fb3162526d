package import Store

/// The tables of the logbook's rules and of times over a limit of speed.
package enum ReportSchema {
    /// All steps.
    package static let migrations = [logbookPlaces, speeding]

    private static let logbookPlaces = StoreMigration(
        at: 52, name: "reports.places.1",
        sql: """
            -- What a sight is to the drivers, from which the logbook knows what trips from and to it are for.
            CREATE TABLE logbook_place (
                sight INTEGER PRIMARY KEY REFERENCES sight (number) ON DELETE CASCADE,
                role TEXT NOT NULL CHECK (role IN ('home', 'work', 'business'))
            ) STRICT;
            -- No rule is older than this, so the log up to here has nothing for the logbook.
            INSERT INTO follower SELECT 'logbook', next_seq - 1 FROM log;
            """)

    private static let speeding = StoreMigration(
        at: 53, name: "reports.speeding.1",
        sql: """
            -- When a device was faster than a limit: from when on, in milliseconds since 1970, and for how long.
            CREATE TABLE speeding (
                began INTEGER NOT NULL,
                device INTEGER NOT NULL REFERENCES device (number) ON DELETE CASCADE,
                ms INTEGER NOT NULL CHECK (ms >= 0),
                PRIMARY KEY (began, device)
            ) STRICT, WITHOUT ROWID;
            """)
}
