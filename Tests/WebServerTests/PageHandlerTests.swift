import Foundation
import NIOCore
import NIOEmbedded
import NIOHTTP1
import TestSupport
import Testing

@testable import WebServer

/// The requests that the event loop answers itself, and those that it passes on.
@Suite struct PageHandlerTests {
    /// The answer to a page on the event loop is, byte for byte, that of a connection's task.
    @Test(.slow) func bothWaysToAPageGiveTheSameAnswer() async throws {
        try await RunningDoor.run { door in
            let version = try #require(
                try await door.ask("GET /").text.firstMatch(of: /assets\/([0-9a-f]{16})\/main.js/)?.1)
            let tag = try #require(try await door.ask("GET /").fields["etag"])
            // The first request of each file compresses it, which the event loop leaves to a task.
            for path in ["/", "/assets/\(version)/main.js"] {
                _ = try await door.ask("GET \(path)", ["Accept-Encoding: gzip"])
            }
            let paths = [
                "/", "/?a=b", "/now", "/plans/3/money", "/favicon.svg", "/service-worker.js",
                "/assets/\(version)/main.js", "/assets/\(version)/images/dot.png",
            ]
            let wishes: [[String]] = [
                [], ["Accept-Encoding: gzip"], ["Accept-Encoding: br, gzip;q=0.5"], ["Accept-Encoding: gzip;q=0"],
                ["If-None-Match: \(tag)"], ["If-None-Match: \"x\"", "If-None-Match: W/\(tag)"], ["If-None-Match: *"],
                ["Cookie: waymark=x", "User-Agent: a"],
            ]
            for method in ["GET", "HEAD"] {
                for path in paths {
                    for wish in wishes {
                        let fields = ["Host: \(door.host)"] + wish
                        let page = Self.head(method, path, fields)
                        #expect(door.door.router.page(for: page) != nil, "\(method) \(path) \(wish)")
                        let prompt = try await Self.exchange([(method, path, fields)], door)
                        let usual = try await Self.exchange([(method, path, fields + ["Connection: close"])], door)
                        #expect(prompt == usual, "\(method) \(path) \(wish)")
                    }
                }
            }
        }
    }

    @Test(arguments: [
        ("GET", "/healthz", []), ("GET", "/rpc", []), ("GET", "/events", []), ("GET", "/metrics", []),
        ("GET", "/tiles/0/0/0", []), ("GET", "/tiles.json", []), ("GET", "/in", []), ("GET", "/in/x", []),
        ("GET", "/in/waymark", []), ("GET", "/nothing.png", []), ("GET", "/assets/0/main.js", []),
        ("GET", "/%00", []), ("GET", "http://localhost/", []), ("POST", "/", []), ("DELETE", "/", []),
        ("GET", "/", ["Connection: close"]), ("GET", "/", ["Connection: upgrade"]), ("GET", "/", ["Content-Length: 1"]),
        ("GET", "/", ["Transfer-Encoding: chunked"]), ("GET", "/", ["Host: evil.example"]),
        ("GET", "/", ["Host: localhost"]),
    ])
    func theTaskAnswersWhatIsNoPage(_ method: String, _ path: String, _ fields: [String]) async throws {
        try await RunningDoor.run { door in
            #expect(door.door.router.page(for: Self.head(method, path, ["Host: \(door.host)"] + fields)) == nil)
        }
    }

    @Test(.slow) func oneConnectionGetsItsAnswersInOrder() async throws {
        try await RunningDoor.run { door in
            let call = #"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#
            let kinds: [(String, String, [String])] = [
                ("GET", "/favicon.svg", []), ("GET", "/healthz", []), ("HEAD", "/", []),
                ("POST", "/rpc", ["Content-Type: application/json", "Content-Length: \(call.utf8.count)", "", call]),
                ("GET", "/", ["Accept-Encoding: gzip"]), ("GET", "/nothing.png", []), ("GET", "/now", []),
            ]
            var random = SeededGenerator(seed: 39)
            let requests = (0..<200).map { _ in kinds[Int.random(in: kinds.indices, using: &random)] }
            var expected: [UInt8] = []
            for (method, path, fields) in requests {
                expected += try await Self.exchange([(method, path, ["Host: \(door.host)"] + fields)], door)
            }
            let all = requests.map { ($0.0, $0.1, ["Host: \(door.host)"] + $0.2) }
            #expect(try await Self.exchange(all, door) == expected)
        }
    }

    // MARK: The handler alone

    @Test func aPageWaitsForTheAnswersBeforeIt() async throws {
        try await Self.handle { channel, connections in
            try Self.send("/", to: channel)
            #expect(try Self.isAnswered(channel) && !Self.isPassedOn(channel))
            try Self.send("/rpc", to: channel)
            #expect(try !Self.isAnswered(channel) && Self.isPassedOn(channel))
            try Self.send("/", to: channel)
            #expect(try !Self.isAnswered(channel) && Self.isPassedOn(channel))
            try Self.answer(channel)
            try Self.send("/", to: channel)
            #expect(try !Self.isAnswered(channel) && Self.isPassedOn(channel))
            try Self.answer(channel)
            try Self.answer(channel)
            try Self.send("/", to: channel)
            #expect(try Self.isAnswered(channel) && !Self.isPassedOn(channel))
            _ = connections.stop()
            try Self.send("/", to: channel)
            #expect(try !Self.isAnswered(channel) && Self.isPassedOn(channel))
        }
    }

    @Test func nothingIsAnsweredBehindTheLastAnswer() async throws {
        try await Self.handle { channel, _ in
            try Self.send("/rpc", to: channel)
            #expect(try Self.isPassedOn(channel))
            try Self.answer(channel, ["Connection": "close"])
            try Self.send("/", to: channel)
            #expect(try !Self.isAnswered(channel) && Self.isPassedOn(channel))
        }
    }

    @Test func aClientThatDoesNotReadWaitsForTheTask() async throws {
        try await Self.handle { channel, _ in
            let stop = HoldingHandler()
            try channel.pipeline.syncOperations.addHandler(stop, position: .first)
            try Self.send("/", to: channel)
            #expect(try !Self.isPassedOn(channel))
            try Self.send("/", to: channel)
            #expect(try Self.isPassedOn(channel))
            try Self.answer(channel)
            stop.release()
            #expect(try Self.isAnswered(channel))
            try Self.send("/", to: channel)
            #expect(try !Self.isPassedOn(channel))
        }
    }

    /// Its task would close the connection, and a page that is on its way would end in the middle.
    @Test func aClientThatSendsNothingMoreGetsItsPage() async throws {
        try await Self.handle { channel, _ in
            let (stop, news) = (HoldingHandler(), NewsHandler())
            try channel.pipeline.syncOperations.addHandler(stop, position: .first)
            try channel.pipeline.syncOperations.addHandler(news)
            try Self.send("/", to: channel)
            channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            #expect(!news.hasEnded)
            stop.release()
            #expect(try Self.isAnswered(channel) && news.hasEnded)
        }
    }

    @Test func aConnectionWithoutRequestsEnds() async throws {
        try await Self.handle { channel, _ in
            channel.embeddedEventLoop.advanceTime(by: .seconds(40))
            try Self.send("/", to: channel)
            channel.embeddedEventLoop.advanceTime(by: .seconds(40))
            #expect(channel.isActive)
            try Self.send("/rpc", to: channel)
            // While an answer is due, the client need not send anything.
            channel.embeddedEventLoop.advanceTime(by: .seconds(1_000))
            #expect(channel.isActive)
            try Self.answer(channel)
            channel.embeddedEventLoop.advanceTime(by: .seconds(59))
            #expect(channel.isActive)
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            #expect(!channel.isActive)
        }
    }

    @Test func aRequestThatDoesNotEndEndsItsConnection() async throws {
        try await Self.handle { channel, _ in
            try channel.writeInbound(HTTPServerRequestPart.head(Self.head("POST", "/rpc", ["Host: localhost"])))
            channel.embeddedEventLoop.advanceTime(by: .seconds(60))
            #expect(!channel.isActive)
        }
    }

    // MARK: Helpers

    private static func head(_ method: String, _ path: String, _ fields: [String]) -> HTTPRequestHead {
        let pairs = fields.map { field in
            let parts = field.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            return (parts[0], parts[1])
        }
        return HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(rawValue: method), uri: path, headers: HTTPHeaders(pairs))
    }

    /// Sends requests on one connection, and returns the bytes of their answers.
    private static func exchange(
        _ requests: [(String, String, [String])], _ door: RunningDoor
    ) async throws -> [UInt8] {
        let text = requests.map { method, path, fields in
            let isWhole = fields.contains("")
            return (["\(method) \(path) HTTP/1.1"] + fields).joined(separator: "\r\n") + (isWhole ? "" : "\r\n\r\n")
        }
        // The last answer ends the connection, and is left away.
        let end = "GET /end.png HTTP/1.1\r\nHost: \(door.host)\r\nConnection: close\r\n\r\n"
        let isClosed = requests.last?.2.contains("Connection: close") ?? false
        let bytes = Array((text.joined() + (isClosed ? "" : end)).utf8)
        let answers = try await HTTPBytes.exchange(bytes, port: door.port)
        guard !isClosed else { return answers }
        let last = try await HTTPBytes.exchange(Array(end.utf8), port: door.port)
        #expect(answers.suffix(last.count) == last[...])
        return answers.dropLast(last.count)
    }

    /// Runs `body` with a connection that is admitted, of a door with pages.
    private static func handle(_ body: (EmbeddedChannel, OpenConnections) throws -> Void) async throws {
        try await RunningDoor.run { door in
            var limits = WebServer.Limits()
            limits.addressOfPeer = { _ in IPAddress("127.0.0.1") }
            let connections = OpenConnections(limits, isSecure: false)
            let responder = RequestResponder(router: door.door.router, connections: connections, limits: limits)
            let channel = EmbeddedChannel()
            try channel.pipeline.syncOperations.addHandler(PageHandler(responder))
            channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
            #expect(connections.admit(channel))
            try body(channel, connections)
            _ = try? channel.finish()
        }
    }

    private static func send(_ path: String, to channel: EmbeddedChannel) throws {
        try channel.writeInbound(HTTPServerRequestPart.head(head("GET", path, ["Host: localhost"])))
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
    }

    /// Answers a request as the task of a connection does.
    private static func answer(_ channel: EmbeddedChannel, _ fields: [String: String] = [:]) throws {
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: HTTPHeaders(fields.map { ($0, $1) }))
        channel.writeAndFlush(HTTPServerResponsePart.head(head), promise: nil)
        channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
        _ = try isAnswered(channel)
    }

    /// Whether something was written since the last call.
    private static func isAnswered(_ channel: EmbeddedChannel) throws -> Bool {
        var count = 0
        while try channel.readOutbound(as: HTTPServerResponsePart.self) != nil { count += 1 }
        return count > 0
    }

    /// Whether something was passed on since the last call.
    private static func isPassedOn(_ channel: EmbeddedChannel) throws -> Bool {
        var count = 0
        while try channel.readInbound(as: HTTPServerRequestPart.self) != nil { count += 1 }
        return count > 0
    }
}

/// The end of the pipeline, which learns that the client sends nothing more.
private final class NewsHandler: ChannelInboundHandler {
    typealias InboundIn = Any
    private(set) var hasEnded = false

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed { hasEnded = true }
        context.fireUserInboundEventTriggered(event)
    }
}

/// The network of a client that does not read.
private final class HoldingHandler: ChannelOutboundHandler {
    typealias OutboundIn = Any
    private var held: [() -> Void] = []
    private var isOpen = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if isOpen { return context.write(data, promise: promise) }
        held.append { context.writeAndFlush(data, promise: promise) }
    }

    func release() {
        isOpen = true
        for write in held { write() }
        held = []
    }
}
