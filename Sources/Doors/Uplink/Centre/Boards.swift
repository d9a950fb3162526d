import Foundation
import GRDB
import RPC
import Service
import Store
import Time

/// The boards of a centre, and their logs.
package enum Boards {
    /// The longest name of a board, in bytes; it stands before the names of its devices.
    package static let longestName = 32
    /// The most logs of one board: more mean that its store is lost again and again.
    ///
    /// A fleet has one for each partition.
    package static let mostLogs = 320
    /// The most devices of one board: its secret must not fill this machine.
    package static let mostDevices = 10_000

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

    /// Returns the number of the board with a name, and its seal; `nil` if there is none.
    static func key(of name: String, in db: Database) throws -> (number: Int64, key: UplinkSeal)? {
        try StoredRow.fetchOne(
            db.cachedStatement(sql: "SELECT board.number, board.secret FROM board WHERE board.name = ?"),
            arguments: [name]
        ).map { (number: $0[0], key: UplinkSeal(digest: $0[1] as Data)) }
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
