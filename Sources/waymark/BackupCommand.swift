import ArgumentParser
import Daemon
import Foundation
import Media
import RPC
import Store

/// `waymark backup`: a consistent copy of the store.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the store, as it is at one moment; the daemon goes on meanwhile.",
        discussion:
            "The copy is a store like any other: name it with --store. Photos are copied to FILE.photos beside it.")

    @Argument(help: ArgumentHelp("The copy, which must not be there yet.", valueName: "file"))
    var file: String

    @OptionGroup var source: SourceOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await Failure.printing { output in
            let path = try await storePath()
            guard !FileManager.default.fileExists(atPath: file) else {
                Failure.tell("\(file): there is something already, and nothing is overwritten; name another file")
                throw Failure.exit
            }
            var photos: Int64 = 0
            do {
                photos = try PhotoFiles.backUp(store: path, to: file) {
                    try Storehouse.openForReading(at: path).backup(to: file)
                }
            } catch let error as StoreError where Self.isForbidden(path) {
                Failure.tell("\(error). Only its owner reads a store: run this as the owner, or with sudo.")
                throw Failure.exit
            }
            let bytes = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int64 ?? 0
            if json {
                let result: JSONValue = [
                    "store": .string(path), "file": .string(file), "bytes": .integer(bytes),
                    "photos": .integer(photos),
                ]
                try output.line(result.line)
            } else {
                try output.line(EventLines.printable("\(path) copied to \(file), \(Amounts.bytes(bytes))"))
                if photos > 0 {
                    let line = "Its photos, \(Amounts.bytes(photos)), are copied to \(file).photos."
                    try output.line(EventLines.printable(line))
                }
            }
        }
    }

    private func storePath() async throws -> String {
        if let store = source.store { return store }
        let path = try await source.daemon.connect { try await $0.call("server.info").text("store") }
        guard let path else {
            Failure.tell("the daemon keeps no store on a disk; name one with --store")
            throw Failure.exit
        }
        return path
    }

    /// Whether this user may not read a store, or not look into its folder.
    private static func isForbidden(_ path: String) -> Bool { !FileManager.default.isReadableFile(atPath: path) }
}
