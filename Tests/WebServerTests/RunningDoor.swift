import Callers
import EventStream
import Foundation
import Logging
import NIOCore
import NIOPosix
import RPC
import Synchronization
import TestSupport
import Testing
import Tracking

@testable import WebServer

/// A door over an empty journal, at a port that the system chooses.
struct RunningDoor: Sendable {
    let folder: TemporaryFolder
    let door: WebServer
    var port: Int { door.port }
    var host: String { "127.0.0.1:\(port)" }

    /// The pages that the door serves.
    static let pages = [
        "index.html": "<!doctype html>\n<script type=module src=/assets/@VERSION@/main.js></script>\n",
        "main.js": "export const words = '\(String(repeating: "a small page ", count: 200))'\n",
        "favicon.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>\n",
        "service-worker.js": "const version = '@VERSION@'\n",
        "images/dot.png": "no picture",
    ]

    /// Runs a door during `body`.
    static func run(
        limits: WebServer.Limits = WebServer.Limits(), clock: any Clock<Duration> = .continuous,
        pages: [String: String] = pages, services: WebServer.Services? = nil,
        settings change: (inout WebSettings, TemporaryFolder) throws -> Void = { _, _ in },
        _ body: (RunningDoor) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        for (name, text) in pages {
            let path = folder.file("pages/\(name)")
            try FileManager.default.createDirectory(
                atPath: String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex)),
                withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        }
        var settings = WebSettings(listen: try #require(WebAddress("127.0.0.1:0")))
        settings.pages = folder.file("pages")
        try change(&settings, folder)
        let usual = WebServer.Services(
            methods: MethodTable(title: "Test", version: "1"), hub: try await EventHub(journal: NoJournal()),
            sessions: nil)
        let door = try await WebServer(
            settings, to: services ?? usual, limits: limits, clock: clock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let serving = Task { try await door.run() }
        do {
            try await body(RunningDoor(folder: folder, door: door))
        } catch {
            serving.cancel()
            throw error
        }
        serving.cancel()
        try await serving.value
        #expect(door.connectionCount == 0)
    }

    /// Sends a request on a connection of its own and returns the answer.
    ///
    /// Adds `Host` and `Connection: close`.
    func ask(_ line: String, _ fields: [String] = [], body: [UInt8] = []) async throws -> HTTPAnswer {
        var fields = fields
        if !fields.contains(where: { $0.lowercased().hasPrefix("host:") }) { fields.append("Host: \(host)") }
        if !fields.contains(where: { $0.lowercased().hasPrefix("connection:") }) { fields.append("Connection: close") }
        if !body.isEmpty { fields.append("Content-Length: \(body.count)") }
        let head = ([line + " HTTP/1.1"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
        return try HTTPAnswer(
            try await HTTPBytes.exchange(Array(head.utf8) + body, port: port), isHead: line.hasPrefix("HEAD"))
    }
}

/// An answer of the door.
struct HTTPAnswer: Sendable {
    let status: Int
    let fields: [String: String]
    let body: [UInt8]

    struct Malformed: Error { let bytes: String }

    /// Parses an answer after which the connection was closed.
    init(_ bytes: [UInt8], isHead: Bool = false) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { throw Malformed(bytes: text) }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        guard let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw Malformed(bytes: text)
        }
        self.status = status
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[parts[0].lowercased()] = parts.count < 2 ? "" : parts[1].trimmingCharacters(in: .whitespaces)
        }
        self.fields = fields
        var rest = Array(bytes[end.upperBound...])
        if fields["transfer-encoding"] == "chunked" {
            var whole: [UInt8] = []
            while let line = rest.firstRange(of: [13, 10]),
                let count = Int(String(decoding: rest[..<line.lowerBound], as: UTF8.self), radix: 16), count > 0
            {
                whole += rest[line.upperBound..<min(rest.count, line.upperBound + count)]
                rest.removeFirst(min(rest.count, line.upperBound + count + 2))
            }
            body = whole
        } else {
            if let length = fields["content-length"].flatMap({ Int($0) }), !isHead, status != 304 {
                guard rest.count == length else { throw Malformed(bytes: text) }
            }
            body = rest
        }
    }

    var text: String { String(decoding: body, as: UTF8.self) }
}

/// A connection as a stream of bytes.
struct HTTPBytes {
    /// Sends bytes, and returns everything received until the other side closes.
    static func exchange(_ bytes: [UInt8], port: Int) async throws -> [UInt8] {
        try await open(port: port) { inbound, outbound in
            // The door may refuse a request before all of it is sent.
            try? await outbound.write(ByteBuffer(bytes: bytes))
            var all: [UInt8] = []
            do {
                for try await piece in inbound { all += piece.readableBytesView }
            } catch  where !all.isEmpty {}
            return all
        }
    }

    /// Connects during `body`.
    static func open<Value: Sendable>(
        port: Int,
        _ body: (NIOAsyncChannelInboundStream<ByteBuffer>, NIOAsyncChannelOutboundWriter<ByteBuffer>) async throws ->
            Value
    ) async throws -> Value {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
                }
            }
        return try await channel.executeThenClose(body)
    }
}

/// An event log that stays empty.
struct NoJournal: EventJournal {
    func bounds() async throws -> JournalBounds { JournalBounds(log: "none", first: 1, last: 0) }
    func read(after seq: Int64, limit: Int, for principal: Principal) async throws -> [EventRecord] { [] }
}
