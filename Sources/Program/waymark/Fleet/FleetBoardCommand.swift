#if Fleet
import ArgumentParser
import FleetStore
import Service
import TextCoding
import Uplink

/// The command `waymark fleet board`, which lets a board send its events, and lists the boards.
struct FleetBoardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "board",
        abstract: "Make the secret with which a board sends its events to a door, or list the boards.",
        discussion: """
            Without a name, it lists the boards, the last event of each that is here with all before it, and the chain \
            of digests up to it. "waymark uplink status" on the board prints the same chain if no event was lost, \
            doubled, changed or moved.
            """)

    @Argument(help: ArgumentHelp("The name of the board, which gets a new secret.", valueName: "name"))
    var board: String?

    @OptionGroup var servers: FleetDatabaseOption

    @Flag(help: "Compute the chains again from the stored events.")
    var verify = false

    @Flag(help: "Print one JSON object per log.")
    var json = false

    /// The most events of one read.
    private static let eventsAtOnce = 500

    func validate() throws {
        guard let board else { return }
        guard UplinkFeature.isName(of: board) else {
            throw ValidationError("A board's name has 1 to 32 letters, digits, hyphens and underscores.")
        }
        guard !verify, !json else { throw ValidationError("--verify and --json belong to the list of boards.") }
    }

    func run() throws {
        let database = try FleetDatabase(at: servers.databaseAddress(), limit: .seconds(60))
        guard let board else { return try list(database) }
        let secret = Secret.token()
        guard try database.setSecret(digest: FleetDoor.digest(of: secret), ofBoard: board) else {
            throw ValidationError("There are devices whose names begin with \(board)/. Choose another name.")
        }
        try Failure.printing { output in try output.line(secret) }
    }

    private func list(_ database: FleetDatabase) throws {
        let boards = try database.boards()
        var proofs: [Bool?] = []
        for board in boards { proofs.append(verify ? try Self.isProven(board, in: database) : nil) }
        try Failure.printing { output in
            if json {
                for (board, proof) in zip(boards, proofs) { try output.line(Self.line(board, proof)) }
                return
            }
            var table = TextTable(["board", "last batch", "events", "missing", "proven", "chain"])
            for (board, proof) in zip(boards, proofs) {
                table.add([
                    .text(board.board), .key(board.seen ?? "never"), .number("\(board.log?.seq ?? 0)"),
                    .number("\(board.missing)"), .text(proof.map { $0 ? "yes" : "no" } ?? ""),
                    .key(board.chain?.text ?? ""),
                ])
            }
            try output.table(table)
        }
        if proofs.contains(false) { throw ExitCode.failure }
    }

    /// Returns whether the chain of a log follows from its events; `nil` for a board without a log.
    private static func isProven(_ board: BoardLogStatus, in database: FleetDatabase) throws -> Bool? {
        guard let log = board.log, let known = board.chain else { return nil }
        var chain = EventChain(log: known.log)
        while chain.seq < known.seq {
            let items = try database.items(of: log, after: chain.seq, limit: eventsAtOnce)
            guard !items.isEmpty else { return false }
            for item in items where chain.seq < known.seq {
                guard item.seq == chain.seq + 1 else { return false }
                item.item.extend(&chain)
            }
        }
        return chain == known
    }

    private static func line(_ board: BoardLogStatus, _ proof: Bool?) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("board", board.board)
            json.member("log", board.name)
            json.member("seq", board.log?.seq)
            json.member("chain", board.chain?.text)
            json.member("missing", board.missing)
            json.member("seen", board.seen)
            json.member("proven", proof)
        }
        return json.bytes
    }
}

extension BoardLogStatus {
    /// The chain up to the last event that is here; `nil` for a board without a log.
    fileprivate var chain: EventChain? {
        guard let log, let name else { return nil }
        return EventChain(log: name, seq: log.seq, digest: log.chain)
    }
}
#endif
