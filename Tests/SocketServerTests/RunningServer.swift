import Callers
import Foundation
import RPC
import Synchronization
import TestSupport
import Testing
import Tracking

@testable import EventStream
@testable import SocketServer

/// A server over a journal in memory, on a socket in a temporary folder.
struct RunningServer: Sendable {
    private let folder: TemporaryFolder
    let path: String
    let journal = MemoryJournal()
    let hub: EventHub
    let server: SocketServer
    /// Whether new connections get administrator rights.
    let isAdmin = Shared(false)
    /// The peers that have connected.
    let peers = Shared<[PeerCredentials]>([])

    /// Runs a server during `body`, then stops it.
    static func run(
        policy: SubscriptionPolicy = SubscriptionPolicy(), limits: SocketServer.Limits = SocketServer.Limits(),
        committed: Int = 0, methods: [Method<Principal>] = [],
        _ body: (RunningServer) async throws -> Void
    ) async throws {
        let running = try await RunningServer(TemporaryFolder(), policy, limits, committed, methods)
        defer { withExtendedLifetime(running) {} }
        let serving = Task { try await running.server.run() }
        do {
            try await body(running)
        } catch {
            serving.cancel()
            throw error
        }
        serving.cancel()
        try await serving.value
        #expect(!FileManager.default.fileExists(atPath: running.path))
        #expect(running.server.connectionCount == 0)
    }

    private init(
        _ folder: TemporaryFolder, _ policy: SubscriptionPolicy, _ limits: SocketServer.Limits, _ committed: Int,
        _ methods: [Method<Principal>]
    ) async throws {
        self.folder = folder
        path = folder.path + "/waymark.sock"
        _ = journal.commit(committed)
        hub = try await EventHub(journal: journal, policy: policy)
        var table = MethodTable<Principal>(title: "Test", version: "1")
        table.add(.info)
        table.add(hub.methods(kinds: ["sight", "location", "vote"]))
        table.declare(hub.notifications)
        table.add(methods)
        table.add([
            Method(
                "people.signIn", "Signs in.", Parameter<String>.required("name", .string, "Who."), answers: .boolean,
                right: .read
            ) { call, name in
                call.caller.identity = .init(person: name)
                return true
            },
            Method("peer.set", "Changes it.", answers: .boolean, right: .change) { _ in true },
            Method("text.long", "A long text.", answers: .text, right: .read) { _ in
                String(repeating: "a", count: 100_000)
            },
        ])
        server = try await SocketServer(path: path, methods: table, hub: hub, limits: limits) { [isAdmin, peers] peer in
            peers.add(peer)
            return isAdmin.value ? [.read, .change] : [.read]
        }
    }

    /// Commits events and publishes them.
    func publish(_ count: Int, _ make: (Int64) -> EventRecord = MemoryJournal.enter) async {
        hub.publish(journal.commit(count, make))
    }

    /// Connects a client during `body`.
    @discardableResult func connect<Value: Sendable>(_ body: (SocketClient) async throws -> Value) async throws -> Value
    {
        try await SocketClient.connect(to: path, body)
    }
}

/// A value that tasks share.
final class Shared<Value: Sendable>: Sendable {
    private let guarded: Mutex<Value>

    init(_ value: Value) { guarded = Mutex(value) }

    var value: Value {
        get { guarded.withLock { $0 } }
        set { guarded.withLock { $0 = newValue } }
    }

    func add<Element>(_ element: Element) where Value == [Element] { guarded.withLock { $0.append(element) } }
}

extension SocketClient {
    /// Reads the next line as a JSON value.
    nonisolated(nonsending) func value() async throws -> JSONValue {
        let line = try #require(try await line())
        return try JSONValue(parsing: line.span)
    }

    /// Returns the numbers of the next `count` durable events, or fewer if the connection ends.
    nonisolated(nonsending) func events(_ count: Int) async throws -> [Int64] {
        var numbers: [Int64] = []
        while numbers.count < count {
            if waiting.isEmpty {
                guard let line = try await line() else { break }
                if let seq = Self.seq(line) { numbers.append(seq) }
            } else if let seq = try await notification()?.parameters["event"]?["seq"].flatMap(Int64.init(json:)) {
                numbers.append(seq)
            }
        }
        return numbers
    }

    /// Returns the number in the line of an event without parsing the whole line, because there are many events.
    private static func seq(_ line: [UInt8]) -> Int64? {
        let opening = #"{"jsonrpc":"2.0","method":"event","params":{"subscription":"s"#.utf8
        let member = #"","event":{"seq":"#.utf8
        guard line.starts(with: opening) else { return nil }
        let rest = line.dropFirst(opening.count).drop { $0 != UInt8(ascii: "\"") }
        guard rest.starts(with: member) else { return nil }
        let digits = rest.dropFirst(member.count).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return Int64(String(decoding: digits, as: UTF8.self))
    }

    /// Returns the error of a call, or `nil` if it succeeds.
    nonisolated(nonsending) func error(
        _ method: String, _ parameters: JSONObject = JSONObject()
    ) async throws -> RPCError? {
        do throws(any Error) {
            _ = try await call(method, parameters)
            return nil
        } catch let error as RPCError {
            return error
        }
    }
}

extension JSONValue {
    /// The elements of an array; `nil` for any other value.
    var elements: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }
}

extension Method where Identity == Principal {
    /// A stand-in for the method that names the server.
    static var info: Method {
        Method("server.info", "Which program answers.", answers: .value(), right: .read) { _ in ["name": "test"] }
    }
}
