import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Synchronization

/// The answer of a web server.
public struct WebReply: Hashable, Sendable {
    /// The status, 200 for success.
    public var status: Int
    /// The body, at most ``longestBody`` bytes.
    public var body: [UInt8]
    /// Whether the server takes bodies that are compressed by gzip, which it says with `Accept-Encoding` (RFC 9110,
    /// section 12.5.3).
    public var takesGzip = false
    /// The seconds after which the server wants to be asked again; `nil` if it does not say, or names a date.
    public var retryAfter: Int?

    /// Creates an answer.
    public init(status: Int, body: [UInt8], retryAfter: Int? = nil) {
        self.status = status
        self.body = body
        self.retryAfter = retryAfter
    }

    /// Whether the server has accepted the request.
    public var isSuccess: Bool { (200...299).contains(status) }

    /// The longest body that is read, in bytes; a server that sends more has failed.
    public static let longestBody = 1 << 16
}

/// Collects the parts of an answer on its connection.
final class ReplyCollector: ChannelInboundHandler, Sendable {
    typealias InboundIn = HTTPResponsePart

    private struct State {
        /// Fulfilled with the answer to the request that was sent; `nil` if none was.
        var pending: EventLoopPromise<WebReply>?
        var reply: WebReply?
    }

    private let state = Mutex(State())
    /// The longest time that a server may ask to wait, in seconds: a day.
    private static let longestWait = 86_400

    /// Fulfils a promise with the next answer.
    func expect(_ promise: EventLoopPromise<WebReply>) {
        state.withLock { $0 = State(pending: promise) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            // An interim answer is followed by the real one (RFC 9110, section 15.2).
            guard head.status.kind != .informational else { return }
            var reply = WebReply(status: head.status.code, body: [])
            reply.takesGzip = head.headerFields[.acceptEncoding]?.lowercased() == "gzip"
            let seconds = head.headerFields[.retryAfter].flatMap { Int($0) }
            reply.retryAfter = seconds.flatMap { (0...Self.longestWait).contains($0) ? $0 : nil }
            state.withLock { $0.reply = reply }
        case .body(let buffer):
            let isTooLong = state.withLock { state in
                guard let length = state.reply?.body.count else { return false }
                guard length + buffer.readableBytes <= WebReply.longestBody else { return true }
                state.reply?.body += buffer.readableBytesView
                return false
            }
            if isTooLong { fail(WebFailure("has sent an answer that is too long"), context) }
        case .end:
            let (promise, reply) = state.withLock { state in
                defer { state = State() }
                return (state.pending, state.reply)
            }
            guard let reply else { return }
            promise?.succeed(reply)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(WebFailure("has failed (\(WebClient.reason(of: error)))"), context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(WebFailure("has ended the connection without an answer"), context)
        context.fireChannelInactive()
    }

    private func fail(_ failure: WebFailure, _ context: ChannelHandlerContext) {
        let promise = state.withLock { state in
            defer { state = State() }
            return state.pending
        }
        promise?.fail(failure)
        context.close(promise: nil)
    }
}
