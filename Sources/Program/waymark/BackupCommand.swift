import ArgumentParser
import Daemon
import Foundation
import RPC
import SocketServer
import Store
import TextCoding

#if Companion
import Photos
#endif

/// The command `waymark backup`, which makes a consistent copy of the store.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the store as it is at one moment, while the daemon keeps running.",
        discussion: """
            The copy is a complete store, which other commands read with --store. Photos are copied to FILE.photos next to \
            it. If you may not read the store's file but are an administrator of the daemon, the daemon sends you the copy.
            """,
        examples: [
            "waymark backup copy.sqlite",
            "waymark backup copy-of-boat.sqlite --store boat.sqlite",
        ])

    @Argument(help: ArgumentHelp("The copy; the file must not exist yet.", valueName: "file"))
    var file: String

    @OptionGroup var source: SourceOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await Failure.printing { output in
            let path = try await storePath()
            try OutputFile.checkIsNew(file)
            let photos = try await copy(path, output)
            let bytes = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int64 ?? 0
            if json {
                let result: JSONValue = [
                    "store": .string(path), "file": .string(file), "bytes": .integer(bytes),
                    "photos": .integer(photos),
                ]
                try output.line(result.line)
            } else {
                try output.line(EventFormatter.printable("\(path) copied to \(file), \(Amounts.bytes(bytes))"))
                if photos > 0 {
                    let line = "Its photos, \(Amounts.bytes(photos)), are copied to \(file).photos."
                    try output.line(EventFormatter.printable(line))
                }
            }
        }
    }

    #if Companion
    /// Makes the copy, and returns the number of bytes of the photos copied with it.
    private func copy(_ path: String, _ output: StandardOutput) async throws -> Int64 {
        guard Self.isForbidden(path) else {
            let progress = Progress()
            defer { progress.clear() }
            return try PhotoFiles.backUp(store: path, to: file) {
                try Stores.openForReading(at: path).backup(to: file) { share in
                    progress.show("\(file): \(DecimalText.string(share * 100, decimals: 0)) % copied")
                }
            }
        }
        let refusal =
            "\(path): only its owner and the daemon's administrators may copy it; run this as one of them, or with sudo."
        guard source.store == nil else {
            Failure.report(refusal)
            throw Failure.exit
        }
        do {
            return try await source.daemon.connect { try await fetch(from: $0, output) }
        } catch let error as RPCError where error.code == .notAllowed || error.code == .methodNotFound {
            Failure.report(refusal)
            throw Failure.exit
        }
    }

    /// Requests a copy from the daemon, downloads it, and returns the number of bytes of its photos.
    private func fetch(from daemon: SocketClient, _ output: StandardOutput) async throws -> Int64 {
        let backup = try await daemon.call("backup.begin")["backup"] ?? .null
        try await OutputFile.write(to: file, or: output, reportsSize: false) { write in
            try await daemon.receive(["backup": backup], write)
        }
        var hasPhotos = false
        do {
            defer { for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + suffix) } }
            let copy = try Stores.openForReading(at: file)
            let photos = try await PhotoFiles.fetch(for: copy) { digest in
                var bytes: [UInt8] = []
                do {
                    try await daemon.receive(["backup": backup, "photo": .string(digest)]) { bytes += $0 }
                } catch let error as RPCError where error.code == .notFound {
                    // The photo was removed after the copy was made.
                    return nil
                }
                return bytes
            }
            hasPhotos = photos > 0
            try copy.close()
            _ = try await daemon.call("backup.end", ["backup": backup])
            return photos
        } catch {
            try? FileManager.default.removeItem(atPath: file)
            if hasPhotos { try? FileManager.default.removeItem(atPath: file + ".photos") }
            // End the backup, so that the next attempt need not wait until the daemon forgets it.
            _ = try? await daemon.call("backup.end", ["backup": backup])
            throw error
        }
    }
    #else
    /// Makes the copy of a store without its photos, and returns 0.
    private func copy(_ path: String, _ output: StandardOutput) async throws -> Int64 {
        guard !Self.isForbidden(path) else {
            Failure.report("\(path): only its owner may copy it; run this as its owner, or with sudo.")
            throw Failure.exit
        }
        let progress = Progress()
        defer { progress.clear() }
        try Stores.openForReading(at: path).backup(to: file) { share in
            progress.show("\(file): \(DecimalText.string(share * 100, decimals: 0)) % copied")
        }
        if FileManager.default.fileExists(atPath: path + ".photos") {
            Failure.note("Photos are not copied, because this Waymark is the engine alone: \(path).photos")
        }
        return 0
    }
    #endif

    private func storePath() async throws -> String {
        if let store = source.store { return store }
        let path = try await source.daemon.connect { try await $0.call("server.info").text("store") }
        guard let path else {
            Failure.report("the daemon has no store on disk; name one with --store")
            throw Failure.exit
        }
        return path
    }

    /// Whether this user may not read a store, or not enter its folder.
    private static func isForbidden(_ path: String) -> Bool { !FileManager.default.isReadableFile(atPath: path) }
}

#if Companion
extension SocketClient {
    /// Reads a file of a backup to its end, piece by piece.
    fileprivate nonisolated(nonsending) func receive(
        _ parameters: JSONObject, _ write: ([UInt8]) throws -> Void
    ) async throws {
        var parameters = parameters
        repeat {
            let piece = try await call("backup.read", parameters)
            try write(Array(Data(base64Encoded: piece.text("data") ?? "") ?? Data()))
            parameters["offset"] = piece["next"]
        } while parameters["offset"] != nil
    }
}
#endif
