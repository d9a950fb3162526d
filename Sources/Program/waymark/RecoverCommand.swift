import ArgumentParser
import Daemon
import RPC
import Store

/// The command `waymark recover`, which writes the readable part of a damaged store to a new one.
struct RecoverCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Write the readable part of a damaged store to a new one.",
        discussion: """
            The damaged store is not changed. The command reads its tables row by row, skips what it cannot read, and \
            lists that: the trips, days and sights that are lost, as far as that is known. It exits with 0 if everything was saved, with 2 if something is lost, and with 1 if nothing could \
            be saved.

            To continue with the new store, stop the daemon, move the damaged FILE away together with FILE-wal and \
            FILE-shm, and move the new store into its place. Photos stay in FILE.photos.
            """,
        examples: [
            "waymark recover damaged.sqlite",
            "waymark recover damaged.sqlite saved.sqlite",
        ])

    @Argument(help: ArgumentHelp("The damaged store.", valueName: "file"))
    var file: String

    @Argument(
        help: ArgumentHelp(
            "The new store, by default FILE.recovered; the file must not exist yet.", valueName: "new"))
    var new: String?

    @Flag(help: "Print one JSON object: for each table, what was saved and what is lost.")
    var json = false

    /// The exit code if something is lost.
    private static let withLosses = ExitCode(2)

    func run() throws {
        try Failure.printing { output in
            let target = new ?? file + ".recovered"
            try OutputFile.checkIsNew(target)
            let recovery = try Stores.recover(file, to: target)
            if json {
                let result: JSONValue = [
                    "store": .string(file), "file": .string(target),
                    "tables": .array(recovery.tables.map { $0.json }),
                ]
                try output.line(result.line)
            } else {
                for line in recovery.tables.flatMap(\.lines) { try output.line(EventFormatter.printable(line)) }
                let losses = recovery.isWhole ? "everything was saved" : "what is lost is listed above"
                try output.line(EventFormatter.printable("\(file) recovered to \(target): \(losses)"))
            }
            guard recovery.isWhole else {
                try output.flush()
                throw Self.withLosses
            }
        }
    }
}

extension StoreRecovery.Table {
    /// The result for the table as JSON.
    fileprivate var json: JSONValue {
        [
            "table": .string(name), "rows": .integer(Int64(rows)), "refused": .integer(Int64(refused)),
            "lost": .array(lost.map { .string($0) }), "names": .array(lostNames.map { .string($0) }),
        ]
    }

    /// The result for the table in words; no lines for an empty table.
    fileprivate var lines: [String] {
        guard rows > 0 || refused > 0 || !lost.isEmpty else { return [] }
        let refusals =
            switch refused {
            case 0: [] as [String]
            case 1: ["  left out: 1 row that is damaged or without the row that it belongs to"]
            default: ["  left out: \(refused) rows that are damaged or without the row that they belong to"]
            }
        return ["\(name): \(Amounts.count(rows, "row"))"]
            + (lostNames.isEmpty ? lost : lostNames).map { "  lost: \($0)" } + refusals
    }
}
