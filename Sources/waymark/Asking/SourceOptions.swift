import ArgumentParser
import Daemon
import Foundation
import Store

/// `--socket` or `--store`: who is asked, the daemon or a store that no daemon has open.
struct SourceOptions: ParsableArguments {
    @OptionGroup var daemon: SocketOption

    @Option(help: ArgumentHelp("A store, instead of the daemon.", valueName: "file"))
    var store: String?

    func validate() throws {
        guard store == nil || daemon.socket == nil else {
            throw ValidationError("--store asks a store and --socket a daemon: give one of them.")
        }
    }

    /// Asks whoever is meant, for as long as `body` runs; a store is only read.
    func ask<Value: Sendable>(_ body: (any Responder) async throws -> Value) async throws -> Value {
        guard let store else { return try await daemon.connect(body) }
        return try await body(StoreResponder(Storehouse.openForReading(at: store)))
    }

    /// Asks whoever is meant for changes, for as long as `body` runs.
    ///
    /// - Parameter makesStore: whether a store is made where there is none.
    func change<Value: Sendable>(
        makesStore: Bool = false, _ body: (any Responder) async throws -> Value
    ) async throws -> Value {
        guard let path = store else { return try await daemon.connect(body) }
        guard makesStore || FileManager.default.fileExists(atPath: path) else { throw StoreError.missing(path: path) }
        let store = try Storehouse.open(at: path)
        let value: Value
        do {
            let responder = StoreResponder(store)
            try await responder.catchUp()
            value = try await body(responder)
        } catch {
            try? store.close()
            throw error
        }
        try store.close()
        return value
    }
}
