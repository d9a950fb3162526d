import ArgumentParser
import Daemon
import EventStream
import Foundation
import RPC
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

    /// Which daemon or store is meant, as sessions are kept by.
    var place: String {
        store.map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().standardizedFileURL.path } ?? daemon.path
    }

    /// Asks whoever is meant for a method; see ``ask(_:)`` and ``change(makesStore:_:)``.
    ///
    /// A store is made where there is none by what adds to it alone: a name that is mistyped makes none.
    func use<Value: Sendable>(
        for method: Method<Principal>, writes: Bool, _ body: (any Responder) async throws -> Value
    ) async throws -> Value {
        guard writes || method.right != .read else { return try await ask(body) }
        return try await change(makesStore: method.right == .contribute, body)
    }

    /// Asks whoever is meant, for as long as `body` runs; a store is only read, where nobody is signed in.
    func ask<Value: Sendable>(_ body: (any Responder) async throws -> Value) async throws -> Value {
        guard let store else { return try await daemon.connect(body) }
        // Sessions are used up to their end, which the store keeps.
        guard SessionFile.token(at: place) == nil else { return try await change(body) }
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
            try await responder.resume(at: place)
            value = try await body(responder)
        } catch {
            try? store.close()
            throw error
        }
        try store.close()
        return value
    }
}
