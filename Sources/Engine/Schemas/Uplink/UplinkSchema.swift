package import Store

/// The tables of a board's way to its centre, and of a centre's boards.
package enum UplinkSchema {
    /// All steps.
    package static let migrations = [places, boards, traces, telling]

    private static let places = StoreMigration(
        at: 72, name: "uplink.places.1",
        sql: """
            -- What the centre has acknowledged of each log of this store: the number of the last event, and the chain of
            -- digests up to it.
            CREATE TABLE uplink (
                log TEXT PRIMARY KEY,
                seq INTEGER NOT NULL,
                chain BLOB NOT NULL
            ) STRICT, WITHOUT ROWID;
            -- The chain at some numbers, so that it can be computed again after old events were deleted.
            CREATE TABLE uplink_mark (
                log TEXT NOT NULL,
                seq INTEGER NOT NULL,
                chain BLOB NOT NULL,
                PRIMARY KEY (log, seq)
            ) STRICT, WITHOUT ROWID;
            """)

    private static let boards = StoreMigration(
        at: 73, name: "uplink.boards.1",
        sql: """
            -- The boards whose events come to this machine. secret is the SHA-256 of what a board sends with each batch.
            CREATE TABLE board (
                number INTEGER PRIMARY KEY,
                name TEXT NOT NULL UNIQUE,
                secret BLOB NOT NULL UNIQUE,
                -- When the last batch came.
                seen INTEGER
            ) STRICT;
            -- The logs of a board: one, and one more each time its store was replaced or restored. seq is the last event
            -- that is here with all before it, and chain the chain of digests up to it.
            CREATE TABLE board_log (
                number INTEGER PRIMARY KEY,
                board INTEGER NOT NULL REFERENCES board,
                name TEXT NOT NULL,
                seq INTEGER NOT NULL,
                chain BLOB NOT NULL,
                UNIQUE (board, name)
            ) STRICT;
            -- The events of those logs, as the boards have stored them. One that stays on its board has a digest in place
            -- of its bytes; in place of events that its board had no longer there is their number.
            CREATE TABLE board_event (
                log INTEGER NOT NULL REFERENCES board_log,
                seq INTEGER NOT NULL,
                bytes BLOB,
                digest BLOB,
                missing INTEGER,
                PRIMARY KEY (log, seq),
                CHECK ((bytes IS NULL) + (digest IS NULL) + (missing IS NULL) = 2)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX board_event_missing ON board_event (log, missing) WHERE missing IS NOT NULL;
            """)

    /// Adds how far the traces are.
    private static let traces = StoreMigration(
        at: 74, name: "uplink.places.2",
        sql: """
            -- The last event up to which the centre has the traces of the trips; NULL if it has taken none.
            ALTER TABLE uplink ADD COLUMN traces INTEGER;
            """)

    /// Adds how far the events of boards were told, and how far the traces are.
    private static let telling = StoreMigration(
        at: 75, name: "uplink.boards.2",
        sql: """
            -- The last event that is in this machine's own log as well, with its device, trip or stop.
            ALTER TABLE board_log ADD COLUMN told INTEGER NOT NULL DEFAULT 0;
            -- The last event whose trip's trace is here; the event whose trip's trace is here in part, and the time of the
            -- last point of that part.
            ALTER TABLE board_log ADD COLUMN traced INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE board_log ADD COLUMN tracing INTEGER;
            ALTER TABLE board_log ADD COLUMN tracing_time INTEGER;
            """)
}
