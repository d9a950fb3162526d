import Compression
import NIOCore
import NIOPosix
import Synchronization
import Testing
import WebClient

/// The client, with a server that answers what a test tells it.
@Suite struct WebClientTests {
    /// A server that notes each request and answers the next of some texts; without one it says nothing.
    private final class Server: Sendable {
        let requests = Mutex<[String]>([])
        let bodies = Mutex<[[UInt8]]>([])
        let connections = Mutex(0)
        private let answers: Mutex<[String]>
        private let channel = Mutex<(any Channel)?>(nil)

        init(_ answers: [String]) { self.answers = Mutex(answers) }

        func start() async throws -> WebURL {
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelInitializer { [self] channel in
                    connections.withLock { $0 += 1 }
                    return channel.pipeline.addHandler(Answering(server: self))
                }
                .bind(host: "127.0.0.1", port: 0).get()
            self.channel.withLock { $0 = channel }
            return try WebURL("http://127.0.0.1:\(channel.localAddress?.port ?? 0)/door?x=1")
        }

        func stop() async throws { try await channel.withLock { $0 }?.close().get() }

        func next() -> String? { answers.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
    }

    private final class Answering: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private let bytes = Mutex<[UInt8]>([])
        let server: Server

        init(server: Server) { self.server = server }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let request = bytes.withLock { bytes in
                bytes += unwrapInboundIn(data).readableBytesView
                guard let body = Self.body(of: bytes) else { return nil as (text: String, body: [UInt8])? }
                defer { bytes = [] }
                return (String(decoding: bytes, as: UTF8.self), body)
            }
            guard let request else { return }
            server.requests.withLock { $0.append(request.text) }
            server.bodies.withLock { $0.append(request.body) }
            guard let answer = server.next() else { return }
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
            if answer.contains("close") { context.close(promise: nil) }
        }

        /// Returns the body of a request; `nil` if it is not there as a whole.
        private static func body(of request: [UInt8]) -> [UInt8]? {
            guard let blank = request.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
            let head = String(decoding: request[..<blank.lowerBound], as: UTF8.self).lowercased()
            let length = head.split(separator: "content-length: ").dropFirst().first?.prefix { $0.isNumber }
            let body = Array(request[blank.upperBound...])
            return body.count == length.flatMap { Int($0) } ? body : nil
        }
    }

    private static let accepted = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    private let time = Duration.seconds(20)

    @Test func theBodyAndTheHeadersArriveAndTheConnectionIsKept() async throws {
        let server = Server([Self.accepted, "HTTP/1.1 503 Later\r\nContent-Length: 0\r\n\r\n"])
        let client = WebClient(try await server.start())
        let first = try await client.post(Array("one.".utf8), headers: ["Waymark-Seq": "7"], within: time)
        #expect(first == WebReply(status: 200, body: Array("ok".utf8)) && first.isSuccess)
        let second = try await client.post(Array("two.".utf8), headers: [:], within: time)
        #expect(second.status == 503 && !second.isSuccess)
        let requests = server.requests.withLock { $0 }
        #expect(requests.first?.hasPrefix("POST /door?x=1 HTTP/1.1\r\n") == true)
        #expect(requests.first?.contains("Waymark-Seq: 7\r\n") == true)
        #expect(requests.map { $0.hasSuffix("\r\n\r\none.") || $0.hasSuffix("\r\n\r\ntwo.") } == [true, true])
        #expect(server.connections.withLock { $0 } == 1)
        await client.end()
        try await server.stop()
    }

    @Test func aBodyIsCompressedOnceTheServerHasSaidThatItTakesGzip() async throws {
        let takes = "HTTP/1.1 200 OK\r\nAccept-Encoding: gzip\r\nContent-Length: 0\r\n\r\n"
        let body = [UInt8](repeating: UInt8(ascii: "."), count: 1_000)
        let server = Server([takes, takes, Self.accepted, Self.accepted])
        let client = WebClient(try await server.start(), compresses: true)
        // Compressed, it would be longer.
        #expect(try await client.post(body, headers: [:], within: time).takesGzip)
        #expect(try await client.post([1, 2, 3], headers: [:], within: time).takesGzip)
        #expect(try await client.post(body, headers: [:], within: time).takesGzip == false)
        _ = try await client.post(body, headers: [:], within: time)
        #expect(
            server.requests.withLock { $0.map { $0.contains("Content-Encoding: gzip\r\n") } } == [
                false, false, true, false,
            ])
        let bodies = server.bodies.withLock { $0 }
        #expect(
            bodies.map(\.count).enumerated().allSatisfy {
                $0.offset == 2 || $0.element == [1_000, 3, 0, 1_000][$0.offset]
            })
        #expect(bodies[2].count < 100)
        #expect(try Gzip.expanded(bodies[2], atMost: 1_000) == body)
        await client.end()
        try await server.stop()
    }

    @Test func aConnectionThatTheServerHasEndedIsMadeAnew() async throws {
        let server = Server([
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", Self.accepted,
        ])
        let client = WebClient(try await server.start())
        for _ in 0..<2 { #expect(try await client.post(Array("a.".utf8), headers: [:], within: time).isSuccess) }
        #expect(server.connections.withLock { $0 } == 2)
        await client.end()
        try await server.stop()
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n" + String(repeating: "x", count: 99_999), "too long"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nclose", "has"), ("nonsense\r\n\r\n", "has failed"),
    ]) func aWrongAnswerIsAFailure(_ answer: String, _ reason: String) async throws {
        let server = Server([answer])
        let client = WebClient(try await server.start())
        let time = time
        let error = await #expect(throws: WebFailure.self) {
            try await client.post(Array("a.".utf8), headers: [:], within: time)
        }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
        try await server.stop()
    }

    @Test func aServerThatIsNotThereIsAFailure() async throws {
        let server = Server([])
        let url = try await server.start()
        try await server.stop()
        let client = WebClient(url)
        let time = time
        let error = await #expect(throws: WebFailure.self) {
            try await client.post(Array("a.".utf8), headers: [:], within: time)
        }
        #expect(error?.description.contains("cannot be reached") == true)
    }

    @Test func aServerThatIsNotOnTheInternetIsNotSpokenTo() async throws {
        let server = Server([Self.accepted])
        let url = try await server.start()
        let time = time
        for host in ["127.0.0.1", "localhost"] {
            let client = WebClient(try WebURL("http://\(host):\(url.port)/"), reach: .internet)
            let error = await #expect(throws: WebFailure.self) {
                try await client.post(Array("a.".utf8), headers: [:], within: time)
            }
            #expect(error?.description == "is not on the internet")
        }
        #expect(server.connections.withLock { $0 } == 0)
        try await server.stop()
    }

    @Test(arguments: [("Retry-After: 30", 30), ("Retry-After: soon", nil), ("Retry-After: -1", nil), ("X: 1", nil)])
    func theServerSaysWhenToAskAgain(_ header: String, _ seconds: Int?) async throws {
        let server = Server(["HTTP/1.1 429 Later\r\n\(header)\r\nContent-Length: 0\r\n\r\n"])
        let client = WebClient(try await server.start())
        let reply = try await client.post(Array("a.".utf8), headers: [:], within: time)
        #expect(reply.retryAfter == seconds)
        await client.end()
        try await server.stop()
    }

    @Test func aServerThatSaysNothingIsGivenUp() async throws {
        let server = Server([])
        let client = WebClient(try await server.start())
        let error = await #expect(throws: WebFailure.self) {
            try await client.post(Array("a.".utf8), headers: [:], within: .zero)
        }
        #expect(error?.description.contains("has not answered within 0 s") == true)
        try await server.stop()
    }
}
