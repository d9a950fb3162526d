import Foundation
import GRDB
import RPC
import Service
import Store
import Time

/// The boards of a centre, and their logs.
enum Boards {
    /// The step that creates the tables.
    static let migration = StoreMigration(
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

    /// The step that adds how far the events of boards were told, and how far the traces are.
    static let tellingMigration = StoreMigration(
        at: 80, name: "uplink.boards.2",
        sql: """
            -- The last event that is in this machine's own log as well, with its device, trip or stop.
            ALTER TABLE board_log ADD COLUMN told INTEGER NOT NULL DEFAULT 0;
            -- The last event whose trip's trace is here; the event whose trip's trace is here in part, and the time of the
            -- last point of that part.
            ALTER TABLE board_log ADD COLUMN traced INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE board_log ADD COLUMN tracing INTEGER;
            ALTER TABLE board_log ADD COLUMN tracing_time INTEGER;
            """)

    /// The longest name of a board, in bytes; it stands before the names of its devices.
    static let longestName = 32
    /// The most logs of one board: more mean that its store is lost again and again.
    static let mostLogs = 64
    /// The most devices of one board: its secret must not fill this machine.
    static let mostDevices = 10_000

    /// A log of a board.
    struct Log: Sendable {
        var board: String
        var number: Int64
        var chain: EventChain
        /// When the last batch of the board came.
        var seen: Timestamp?
        /// The number of events that the board had no longer.
        var missing: Int64
    }

    /// Makes a board, or gives one a new secret.
    ///
    /// - Returns: The secret, of which only the digest is kept.
    static func makeSecret(of name: String, in db: Database) throws -> String {
        let secret = Secret.token()
        try db.execute(
            sql: """
                INSERT INTO board (name, secret) VALUES (?, ?)
                ON CONFLICT (name) DO UPDATE SET secret = excluded.secret
                """,
            arguments: [name, Secret.digest(secret)])
        return secret
    }

    /// Returns whether there is a board with a name.
    static func exists(_ name: String, in db: Database) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM board WHERE board.name = ?)"), arguments: [name]
        ) ?? false
    }

    /// Returns the number of the board with a secret; `nil` if there is none.
    static func number(secret: String, in db: Database) throws -> Int64? {
        try StoredRow.integer(
            db.cachedStatement(sql: "SELECT board.number FROM board WHERE board.secret = ?"),
            arguments: [Secret.digest(secret)])
    }

    /// Returns all logs of all boards, a board without a log not among them, by name and age.
    ///
    /// - Complexity: O(*n*) for *n* logs and gaps.
    static func logs(in db: Database) throws -> [Log] {
        let rows = try StoredRow.fetchAll(
            db,
            sql: """
                SELECT board.name, board_log.number, board_log.name, board_log.seq, board_log.chain, board.seen,
                    (SELECT coalesce(sum(board_event.missing), 0) FROM board_event
                     WHERE board_event.log = board_log.number AND board_event.missing IS NOT NULL)
                FROM board_log JOIN board ON board.number = board_log.board
                ORDER BY board.name, board_log.number
                """)
        return rows.map { row in
            let seen: Int64? = row[5]
            return Log(
                board: row[0], number: row[1],
                chain: EventChain(log: row[2], seq: row[3], digest: Array(row[4] as Data)),
                seen: seen.map { Timestamp(milliseconds: $0) }, missing: row[6])
        }
    }

    /// Returns the names of boards that have sent nothing yet.
    static func silent(in db: Database) throws -> [String] {
        try String.fetchAll(
            db,
            sql: """
                SELECT board.name FROM board
                WHERE NOT EXISTS (SELECT 1 FROM board_log WHERE board_log.board = board.number) ORDER BY board.name
                """)
    }

    /// Returns at most `limit` items of a log after a number, with the numbers at which they begin.
    static func items(
        of log: Int64, after seq: Int64, limit: Int, in db: Database
    ) throws -> [(seq: Int64, item: UplinkBatch.Item)] {
        try StoredRow.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT board_event.seq, board_event.bytes, board_event.digest, board_event.missing FROM board_event
                    WHERE board_event.log = ? AND board_event.seq > ? ORDER BY board_event.seq LIMIT ?
                    """), arguments: [log, seq, limit]
        ).map { row in
            let (bytes, digest, missing): (Data?, Data?, Int64?) = (row[1], row[2], row[3])
            let item: UplinkBatch.Item =
                if let bytes {
                    .event(Array(bytes))
                } else if let digest {
                    .digest(Array(digest))
                } else {
                    .missing(min(max(missing ?? 1, 1), UplinkBatch.mostMissing))
                }
            return (row[0], item)
        }
    }
}
