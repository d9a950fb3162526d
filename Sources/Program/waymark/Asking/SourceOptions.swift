import ArgumentParser
import Callers
import Daemon
import Foundation
import RPC
import Store

/// The options `--socket` and `--store`: the daemon to call, or a store.
///
/// While a daemon writes the store, it can be opened for reading only.
struct SourceOptions: ParsableArguments {
    @OptionGroup var daemon: SocketOption

    @Option(help: ArgumentHelp("The store to use, instead of the daemon.", valueName: "file"))
    var store: String?

    func validate() throws {
        guard store == nil || daemon.socket == nil else {
            throw ValidationError("Give either --store or --socket, not both.")
        }
    }

    /// The path of the daemon's socket or of the store, which is the key of its session.
    var place: String {
        store.map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().standardizedFileURL.path } ?? daemon.path
    }

    /// Runs `body` with the daemon or store that a method needs; see ``ask(_:)`` and ``change(makesStore:_:)``.
    ///
    /// Only a method that adds to a store creates a missing one, so a mistyped name creates none.
    func use<Value: Sendable>(
        for method: Method<Principal>, writes: Bool, _ body: (any Responder) async throws -> Value
    ) async throws -> Value {
        guard writes || method.right != .read else { return try await ask(body) }
        return try await change(makesStore: method.right == .contribute, body)
    }

    /// Connects to the daemon, or opens the store, while `body` runs.
    ///
    /// The store is opened for reading only, unless somebody is signed in there.
    func ask<Value: Sendable>(_ body: (any Responder) async throws -> Value) async throws -> Value {
        guard let store else { return try await daemon.connect(body) }
        // Resuming a session extends it, which is written to the store.
        guard SessionFile.token(at: place) == nil else { return try await change(body) }
        return try await body(StoreResponder(telling(Stores.openForReading(at: store))))
    }

    /// Connects to the daemon, or opens the store for writing, while `body` runs.
    ///
    /// - Parameter makesStore: Whether to create a missing store.
    func change<Value: Sendable>(
        makesStore: Bool = false, _ body: (any Responder) async throws -> Value
    ) async throws -> Value {
        guard let path = store else { return try await daemon.connect(body) }
        guard makesStore || FileManager.default.fileExists(atPath: path) else { throw StoreError.missing(path: path) }
        let store = try telling(Stores.open(at: path))
        let value: Value
        do {
            let responder = StoreResponder(store)
            try await responder.catchUp()
            try await responder.resume(at: place)
            value = try await body(responder)
        } catch {
            try? store.close()
            throw error
        }
        try store.close()
        return value
    }

    /// Returns a store that reports on standard error what it finds damaged, because lists leave it out.
    private func telling(_ store: LocationDatabase) -> LocationDatabase {
        let place = place
        store.damage.observe { detail in
            Failure.report(
                "\(place) is damaged: \(detail). Lists leave such rows out. Restore a backup, or save what can be read with \"waymark recover\"."
            )
        }
        return store
    }
}
