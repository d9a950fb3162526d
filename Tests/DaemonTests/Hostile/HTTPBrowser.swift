#if Companion
import NIOCore
import NIOPosix

/// A connection to the door on which one call follows another, as a browser keeps it.
final class HTTPBrowser {
    private let host: String
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var bytes: [UInt8] = []

    /// The error for a connection that failed, or an answer that is none.
    struct Failure: Error { let description: String }

    private init(
        _ host: String, _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>,
        _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        self.host = host
        self.inbound = inbound.makeAsyncIterator()
        self.outbound = outbound
    }

    /// Connects during `body`.
    static func connect<Value: Sendable>(
        to port: Int, _ body: (HTTPBrowser) async throws -> Value
    ) async throws -> Value {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await body(HTTPBrowser("127.0.0.1:\(port)", inbound, outbound))
        }
    }

    /// Posts a call, and returns the status and the body of the answer.
    ///
    /// - Parameter page: The server whose page makes the call; by default the door itself.
    func post(_ body: [UInt8], cookie: String?, from page: String? = nil) async throws -> (status: Int, body: [UInt8]) {
        var head = "POST /rpc HTTP/1.1\r\nHost: \(host)\r\nContent-Type: application/json\r\n"
        head += "Origin: http://\(page ?? host)\r\nContent-Length: \(body.count)\r\n"
        if let cookie { head += "Cookie: theme=dark; waymark=\(cookie)\r\n" }
        try await outbound.write(ByteBuffer(bytes: Array((head + "\r\n").utf8) + body))
        while true {
            if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
                guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
                    throw Failure(description: "no status")
                }
                let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
                let count = length.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? 0
                if bytes.count >= end.upperBound + count {
                    defer { bytes.removeFirst(end.upperBound + count) }
                    return (status, Array(bytes[end.upperBound..<(end.upperBound + count)]))
                }
            }
            guard let piece = try await inbound.next() else { throw Failure(description: "the answer has no end") }
            bytes += piece.readableBytesView
        }
    }
}
#endif
