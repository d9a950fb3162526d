import Foundation
import GRDB
public import Service
import Store
import Time
import WebClient

/// The centre's side of the uplink: it takes the batches of boards.
public struct BoardCentre: Sendable {
    let context: ServiceContext

    /// What the centre answers to a batch.
    public struct Answer: Hashable, Sendable {
        /// The status of HTTP: 200; 400 for what is no batch; 409 if the events contradict those that are here.
        public var status: Int
        /// The acknowledgement, or a sentence about what is wrong.
        public var body: [UInt8]
    }

    /// Creates the centre over the store of a context.
    public init(_ context: ServiceContext) { self.context = context }

    /// Returns the number of the board with a secret; `nil` if there is none.
    ///
    /// - Throws: `StoreError`.
    public func board(secret: String) async throws -> Int64? {
        try await context.store.read { try Boards.number(secret: secret, in: $0) }
    }

    /// Takes a batch of events or a part of a trace, and returns once it is on the disk, with the chain up to the last
    /// event that is here with all before it.
    ///
    /// Events that are here already are ignored, and so is a batch that begins later than with the next event. If the chain
    /// that follows is not the sender's, nothing is stored.
    ///
    /// - Throws: `StoreError` if the store cannot be written now.
    public func take(_ body: [UInt8], of board: Int64) async throws -> Answer {
        guard !TraceBatch.begins(body) else { return try await takeTrace(body, of: board) }
        let batch: UplinkBatch
        do throws(WebFailure) {
            batch = try UplinkBatch(body)
        } catch {
            return Answer(status: 400, body: Array("The body \(error).".utf8))
        }
        let time = context.now()
        let (chain, log): (EventChain, Int64?)
        do {
            (chain, log) = try await context.store.write { db in
                let chain = try Self.store(batch, of: board, in: db)
                try Boards.note(board, at: time, in: db)
                return (chain, try Boards.Telling(of: chain.log, ofBoard: board, in: db)?.log)
            }
        } catch let error as Contradiction {
            return Answer(status: 409, body: Array(error.text.utf8))
        }
        guard let log else { return Answer(status: 200, body: UplinkAnswer(chain: chain, traces: nil).bytes) }
        try await tell(log)
        let place = try await context.store.read { try Boards.traces(of: log, in: $0) }
        return Answer(status: 200, body: UplinkAnswer(chain: chain, traces: place).bytes)
    }

    /// A batch that cannot be the continuation of a log.
    private struct Contradiction: Error {
        var text: String
    }

    private static func store(_ batch: UplinkBatch, of board: Int64, in db: Database) throws -> EventChain {
        let log = batch.chain.log
        let row = try StoredRow.fetchOne(
            db,
            sql: """
                SELECT board_log.number, board_log.seq, board_log.chain FROM board_log
                WHERE board_log.board = ? AND board_log.name = ?
                """,
            arguments: [board, log])
        var chain = row.map { EventChain(log: log, seq: $0[1], digest: Array($0[2] as Data)) } ?? EventChain(log: log)
        // An early batch is dropped, and so is one whose events are all here: the answer says what is here.
        guard batch.first <= chain.seq + 1, batch.last > chain.seq else { return chain }
        let number: Int64 = try row.map { $0[0] } ?? add(log, of: board, in: db)
        let insertion = try db.cachedStatement(sql: "INSERT INTO board_event VALUES (?, ?, ?, ?, ?)")
        var seq = batch.first
        for item in batch.items {
            let end = seq + item.count
            defer { seq = end }
            guard end > chain.seq + 1 else { continue }
            let begin = chain.seq + 1
            var new = item
            // Only missing events are several, of which the first may be here.
            if case .missing = item { new = .missing(end - begin) }
            let (bytes, digest, missing): (Data?, Data?, Int64?) =
                switch new {
                case .event(let bytes): (Data(bytes), nil, nil)
                case .digest(let digest): (nil, Data(digest), nil)
                case .missing(let count): (nil, nil, count)
                }
            new.extend(&chain)
            try insertion.execute(arguments: [number, begin, bytes, digest, missing])
        }
        guard chain == batch.chain else {
            throw Contradiction(text: "The events contradict those that are here up to \(batch.first - 1).")
        }
        try db.execute(
            sql: "UPDATE board_log SET seq = ?, chain = ? WHERE number = ?",
            arguments: [chain.seq, Data(chain.digest), number])
        return chain
    }

    private static func add(_ log: String, of board: Int64, in db: Database) throws -> Int64 {
        let count = try Int.fetchOne(
            db, sql: "SELECT count(*) FROM board_log WHERE board_log.board = ?", arguments: [board])
        guard (count ?? 0) < Boards.mostLogs else {
            throw Contradiction(text: "This board has \(Boards.mostLogs) logs, which is the most.")
        }
        let start = EventChain(log: log)
        try db.execute(
            sql: "INSERT INTO board_log (board, name, seq, chain) VALUES (?, ?, 0, ?)",
            arguments: [board, log, Data(start.digest)])
        return db.lastInsertedRowID
    }
}
