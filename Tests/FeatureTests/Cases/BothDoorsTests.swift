import Callers
import FeatureSupport
import Foundation
import Logging
import NIOCore
import NIOPosix
import RPC
import TestSupport
import Testing
import Tracking

@testable import EventStream
@testable import Service
@testable import SocketServer
@testable import WebServer

/// The Unix socket and the browser's door give the same answers.
@Suite(.slow) struct BothDoorsTests {
    /// Replaces what differs by nature: random names and secrets.
    private static func blurred(_ text: String) -> String {
        text.replacing(
            /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[A-Za-z0-9_-]{22,}|\b[0-9a-z]{12}\b|"id":"[0-9]{7}"|\b[0-9a-z]{4}(-[0-9a-z]{4}){3}\b/,
            with: "…")
    }

    /// The methods that only a user of this machine may call.
    private static let ofUsers: Set = [
        "people.linkUser", "people.unlinkUser", "people.admin", "backup.begin", "backup.read", "backup.end",
    ]

    /// The most methods of which a case of the same error code is compared.
    ///
    /// The doors carry errors without knowing the method.
    private static let methodsOfACode = 12

    /// For each method an answer, and for each error code a few methods, or all cases in a soak test.
    private static let cases = {
        let methods = Dictionary(grouping: MethodCaseTests.all, by: \.method).sorted { $0.key < $1.key }.map(\.value)
        guard !TestTier.isSoak else { return methods }
        var methodsOfCode: [Int?: Int] = [:]
        return methods.map { cases in
            var codes: Set<Int?> = []
            return cases.filter { one in
                let code = one.outcome.code
                guard codes.insert(code).inserted else { return false }
                methodsOfCode[code, default: 0] += 1
                return code == nil || methodsOfCode[code, default: 0] <= methodsOfACode
            }
        }
    }()

    @Test(arguments: cases)
    func bothDoorsGiveTheSameAnswers(_ cases: [MethodCase]) async throws {
        for one in cases {
            let ways: [MethodTable<Principal>.Way] = [Self.socket, Self.web]
            var answers: [String] = []
            // A refused call changes nothing, so the second door can refuse it in the same world. Only a damaged upload
            // is discarded, and a browser that is gone.
            let changes = one.outcome == .answer || ["uploads.finish", "push.test"].contains(one.method)
            let first = try await one.prepare()
            for (number, way) in ways.enumerated() {
                let (core, parameters) = number > 0 && changes ? try await one.prepare() : first
                let request = Request(id: .integer(1), method: one.method, parameters: .named(parameters))
                let answer = try await way(core.table, one.caller, request.line)
                answers.append(String(decoding: answer, as: UTF8.self))
            }
            guard !Self.ofUsers.contains(one.method) else {
                // A call that does not fit its declaration is refused for that first.
                #expect(answers[1].contains(#""code":2,"#) || answers[1].contains(#""code":4,"#))
                continue
            }
            // Only a user of the machine has a number, and only the socket returns a token to keep.
            let expected = answers[0].replacing(#/"user":\d+,/#, with: "").replacing(#/"token":"[^"]+",?/#, with: "")
            let got = answers[1].replacing(#/"token":"[^"]+",?/#, with: "")
            let isSame =
                expected == got
                || Self.blurred(expected) == Self.blurred(got)
            #expect(isSame, "\(one.method) \(one.outcome):\n\(expected)\(got)")
        }
    }

    private static func rights(_ caller: MethodCase.Caller) -> Set<AccessRight> {
        caller == .admin ? [.read, .change] : [.read]
    }

    private static func identity(_ caller: MethodCase.Caller) -> Principal.Identity? {
        switch caller {
        case .guest, .admin: nil
        case .person(let id): Principal.Identity(person: id)
        case .session(let id): Principal.Identity(person: id, session: "1")
        }
    }

    @Sendable private static func socket(
        _ table: MethodTable<Principal>, _ caller: MethodCase.Caller, _ line: [UInt8]
    ) async throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let server = try await SocketServer(
            path: folder.file("socket"), methods: table, hub: try await EventHub(journal: NothingTold())
        ) { _ in
            rights(caller)
        } identify: {
            $0.identity = identity(caller)
        }
        return try await serving({ try await server.run() }) {
            try await SocketClient.connect(to: folder.file("socket")) { client in
                try await client.send(line)
                return try #require(try await client.line()) + [LineFraming.end]
            }
        }
    }

    @Sendable private static func web(
        _ table: MethodTable<Principal>, _ caller: MethodCase.Caller, _ line: [UInt8]
    ) async throws -> [UInt8] {
        var services = WebServer.Services(
            methods: table, hub: try await EventHub(journal: NothingTold()),
            sessions: SessionResumption(methods: []) { _, principal in
                principal.identity = identity(caller)
                return principal.identity != nil
            })
        services.rights = rights(caller)
        var settings = WebSettings(listen: try #require(WebAddress("127.0.0.1:0")))
        // Reading the real pages when the door opens would take longer than a call.
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        _ = try folder.file("index.html", "")
        settings.pages = folder.path
        let door = try await WebServer(
            settings, to: services,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return try await serving(door.run) {
            let host = "127.0.0.1:\(door.port)"
            let head = [
                "POST /rpc HTTP/1.1", "Host: \(host)", "Origin: http://\(host)", "Content-Type: application/json",
                "Connection: close", "Cookie: waymark=a", "Content-Length: \(line.count)", "", "",
            ].joined(separator: "\r\n")
            let bytes = try await exchange(Array(head.utf8) + line, port: door.port)
            let end = try #require(bytes.firstRange(of: Array("\r\n\r\n".utf8)))
            return Array(bytes[end.upperBound...])
        }
    }

    static func serving<Value: Sendable>(
        _ run: @escaping @Sendable () async throws -> Void, _ body: () async throws -> Value
    ) async throws -> Value {
        let task = Task { try await run() }
        do {
            let value = try await body()
            task.cancel()
            try await task.value
            return value
        } catch {
            task.cancel()
            throw error
        }
    }

    static func exchange(_ bytes: [UInt8], port: Int) async throws -> [UInt8] {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(bytes: bytes))
            var all: [UInt8] = []
            for try await piece in inbound { all += piece.readableBytesView }
            return all
        }
    }
}

extension MethodTable<Principal> {
    /// Sends a request line to a table of methods and returns the line of the answer.
    fileprivate typealias Way = @Sendable (MethodTable<Principal>, MethodCase.Caller, [UInt8]) async throws -> [UInt8]
}

/// An event log that stays empty.
private struct NothingTold: EventJournal {
    func bounds() async throws -> JournalBounds { JournalBounds(log: "none", first: 1, last: 0) }
    func read(after seq: Int64, limit: Int, for principal: Principal) async throws -> [EventRecord] { [] }
}
