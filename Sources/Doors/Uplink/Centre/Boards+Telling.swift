import Foundation
import GRDB
import Store
import Time

extension Boards {
    /// How far the events of a log were told.
    struct Telling: Sendable {
        /// The number of the log's row.
        var log: Int64
        /// The number of the board's row, and its name.
        var number: Int64
        var board: String
        /// The last event that is here with all before it, and the last one that was told.
        var seq: Int64
        var told: Int64

        /// Reads how far the log with a number was told; `nil` if there is none.
        init?(of log: Int64, in db: Database) throws {
            let row = try StoredRow.fetchOne(
                db.cachedStatement(sql: "\(Self.columns) WHERE board_log.number = ?"), arguments: [log])
            guard let row else { return nil }
            self.init(row)
        }

        /// Reads how far the log of a board with a name was told; `nil` if there is none.
        init?(of name: String, ofBoard board: Int64, in db: Database) throws {
            let row = try StoredRow.fetchOne(
                db.cachedStatement(sql: "\(Self.columns) WHERE board_log.name = ? AND board_log.board = ?"),
                arguments: [name, board])
            guard let row else { return nil }
            self.init(row)
        }

        private init(_ row: StoredRow) {
            (log, number, board, seq, told) = (row[0], row[1], row[2], row[3], row[4])
        }

        private static let columns = """
            SELECT board_log.number, board.number, board.name, board_log.seq, board_log.told
            FROM board_log JOIN board ON board.number = board_log.board
            """
    }

    /// Returns the numbers of the logs of which not all events were told.
    static func untold(in db: Database) throws -> [Int64] {
        try Int64.fetchAll(
            db,
            sql: "SELECT board_log.number FROM board_log WHERE board_log.told < board_log.seq ORDER BY board_log.number"
        )
    }

    /// Stores the last event that was told.
    static func setTold(_ seq: Int64, of log: Int64, in db: Database) throws {
        try db.cachedStatement(sql: "UPDATE board_log SET told = ? WHERE board_log.number = ?")
            .execute(arguments: [seq, log])
    }

    /// Stores when a board sent something.
    static func note(_ board: Int64, at time: Timestamp, in db: Database) throws {
        try db.cachedStatement(sql: "UPDATE board SET seen = ? WHERE board.number = ?")
            .execute(arguments: [time.milliseconds, board])
    }

    /// Returns whether another log of the board has an event with the same number and bytes, as after the board's store
    /// was restored from a backup.
    static func isRepeated(_ bytes: [UInt8], _ seq: Int64, of telling: Telling, in db: Database) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT EXISTS (
                        SELECT 1 FROM board_log JOIN board_event ON board_event.log = board_log.number
                        WHERE board_log.board = ? AND board_log.number <> ? AND board_log.told >= ?
                            AND board_event.seq = ? AND board_event.bytes = ?)
                    """), arguments: [telling.number, telling.log, seq, seq, Data(bytes)]) ?? false
    }

    /// Returns the names of a board's devices in the store.
    static func devices(of board: String, in db: Database) throws -> Set<String> {
        // "0" follows "/".
        try String.fetchSet(
            db.cachedStatement(sql: "SELECT device.name FROM device WHERE device.name > ? AND device.name < ?"),
            arguments: ["\(board)/", "\(board)0"])
    }

    /// Returns the chain up to the last event of a log; `nil` if there is no such log.
    static func chain(of log: Int64, in db: Database) throws -> EventChain? {
        try StoredRow.fetchOne(
            db.cachedStatement(
                sql: "SELECT board_log.name, board_log.seq, board_log.chain FROM board_log WHERE board_log.number = ?"),
            arguments: [log]
        ).map { EventChain(log: $0[0], seq: $0[1], digest: Array($0[2] as Data)) }
    }

    /// Returns how far the traces of a log's trips are.
    static func traces(of log: Int64, in db: Database) throws -> TracePlace {
        let row = try StoredRow.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT board_log.traced, board_log.tracing, board_log.tracing_time FROM board_log
                    WHERE board_log.number = ?
                    """), arguments: [log])
        guard let row else { return TracePlace(done: 0) }
        var place = TracePlace(done: row[0])
        if let next: Int64 = row[1], let time: Int64 = row[2] {
            (place.next, place.time) = (next, Timestamp(milliseconds: time))
        }
        return place
    }

    /// Stores how far the traces of a log's trips are.
    static func setTraces(_ place: TracePlace, of log: Int64, in db: Database) throws {
        try db.cachedStatement(
            sql: "UPDATE board_log SET traced = ?, tracing = ?, tracing_time = ? WHERE board_log.number = ?"
        ).execute(arguments: [place.done, place.next, place.time?.milliseconds, log])
    }
}
