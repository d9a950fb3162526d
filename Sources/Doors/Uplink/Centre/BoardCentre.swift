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
    public func receive(_ body: [UInt8], of board: Int64) async throws -> Answer {
        guard !TraceBatch.begins(body) else { return try await receiveTrace(body, of: board) }
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
        } catch let error as UplinkBatch.Contradiction {
            return Answer(status: 409, body: Array(error.text.utf8))
        }
        guard let log else { return Answer(status: 200, body: UplinkAnswer(chain: chain, traces: nil).bytes) }
        try await tell(log)
        let place = try await context.store.read { try Boards.traces(of: log, in: $0) }
        return Answer(status: 200, body: UplinkAnswer(chain: chain, traces: place).bytes)
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
        let news = try batch.continuation(of: chain)
        guard !news.items.isEmpty else { return chain }
        chain = news.chain
        let number: Int64 = try row.map { $0[0] } ?? add(log, of: board, in: db)
        let insertion = try db.cachedStatement(sql: "INSERT INTO board_event VALUES (?, ?, ?, ?, ?)")
        for (seq, item) in news.items {
            let (bytes, digest, missing): (Data?, Data?, Int64?) =
                switch item {
                case .event(let bytes): (Data(bytes), nil, nil)
                case .digest(let digest): (nil, Data(digest), nil)
                case .missing(let count): (nil, nil, count)
                }
            try insertion.execute(arguments: [number, seq, bytes, digest, missing])
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
            throw UplinkBatch.Contradiction.tooManyLogs
        }
        let start = EventChain(log: log)
        try db.execute(
            sql: "INSERT INTO board_log (board, name, seq, chain) VALUES (?, ?, 0, ?)",
            arguments: [board, log, Data(start.digest)])
        return db.lastInsertedRowID
    }
}
