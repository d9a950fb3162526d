import Compression
import Deadlines
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix
import NIOSSL

/// A client that posts to one web server, one request after another.
///
/// It verifies the server's certificate, follows no redirect, and sends nothing in the open over a network. It keeps its
/// connection until the server or ``end()`` ends it. If it may compress, it does so after an answer in which the server
/// says that it takes gzip.
public actor WebClient {
    /// The address to which it posts.
    public nonisolated let url: WebURL
    private let authority: String?
    private let compresses: Bool
    private var takesGzip = false
    private let reach: WebReach
    private var context: NIOSSLContext?
    private var connection: Connection?

    private struct Connection {
        let channel: any Channel
        let collector: ReplyCollector
    }

    /// The longest time in which a connection must be there.
    private static let longestConnecting = TimeAmount.seconds(15)

    /// The bytes of the header that says that a body is compressed.
    private static let costOfCompression = "Content-Encoding: gzip\r\n".utf8.count

    /// Creates a client for an address.
    ///
    /// - Parameters:
    ///   - authority: The path of a file with the certificates that may vouch for the server, in PEM; `nil` for those
    ///     that the system trusts. They are read for the first connection.
    ///   - reach: The servers that the client may reach.
    ///   - compresses: Whether it may compress what it posts.
    public init(
        _ url: WebURL, authority: String? = nil, reach: WebReach = .anywhere, compresses: Bool = false
    ) {
        self.url = url
        self.authority = authority
        self.reach = reach
        self.compresses = compresses
    }

    /// Posts a body, and returns the answer.
    ///
    /// - Parameters:
    ///   - headers: Further headers, by name.
    ///   - time: The longest time for everything.
    /// - Throws: ``WebFailure`` if there is no answer in time. The server may have taken the request all the same.
    public func post(
        _ body: [UInt8], headers: [String: String], within time: Duration
    ) async throws(WebFailure) -> WebReply {
        let (fields, message) = request(posting: body, headers)
        let reply: WebReply?
        do {
            reply = try await within(time) { [self] in try await exchange(fields, message) }
        } catch {
            end()
            throw error as? WebFailure ?? WebFailure("cannot be reached (\(Self.reason(of: error)))")
        }
        guard let reply else {
            end()
            throw WebFailure("has not answered within \(time.components.seconds) s")
        }
        takesGzip = compresses && reply.takesGzip
        return reply
    }

    /// Ends the connection, if there is one.
    public func end() {
        connection?.channel.close(promise: nil)
        connection = nil
    }

    /// Returns the fields and the body of a request.
    private func request(posting body: [UInt8], _ headers: [String: String]) -> (HTTPFields, ByteBuffer) {
        var (fields, body): (HTTPFields, [UInt8]) = ([.contentType: "application/json"], body)
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        if takesGzip, let small = Gzip.compressed(body), small.count + Self.costOfCompression < body.count {
            fields[.contentEncoding] = "gzip"
            body = small
        }
        fields[.contentLength] = "\(body.count)"
        return (fields, ByteBuffer(bytes: body))
    }

    private func exchange(_ fields: HTTPFields, _ message: ByteBuffer) async throws -> WebReply {
        if let connection, connection.channel.isActive {
            // The server may just have ended a connection that was idle. The request then goes by a new one.
            if let reply = try? await Self.send(fields, message, to: url, by: connection) { return reply }
            try Task.checkCancellation()
        }
        let made = try await connect()
        connection = made
        return try await Self.send(fields, message, to: url, by: made)
    }

    /// Returns what TLS needs; `nil` for an address without TLS.
    private func encryption() throws(WebFailure) -> NIOSSLContext? {
        guard url.isSecure else { return nil }
        if let context { return context }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if let authority { configuration.trustRoots = .file(authority) }
        do {
            let made = try NIOSSLContext(configuration: configuration)
            context = made
            return made
        } catch {
            throw WebFailure(
                "cannot be trusted: the certificates of \(authority ?? "the system") cannot be read (\(Self.reason(of: error)))"
            )
        }
    }

    private func connect() async throws -> Connection {
        end()
        let collector = ReplyCollector()
        let (url, context) = (url, try encryption())
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let address: SocketAddress?
        switch reach {
        case .anywhere: address = nil
        case .internet: address = try await Self.addressOnInternet(of: url, on: loop)
        }
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(Self.longestConnecting)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let context {
                        let name = url.isAddress ? nil : url.host
                        try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: name))
                    }
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandler(HTTP1ToHTTPClientCodec())
                    try pipeline.addHandler(collector)
                }
            }
        let connecting =
            if let address { bootstrap.connect(to: address) } else { bootstrap.connect(host: url.host, port: url.port) }
        // A task that is cancelled does not wait for a name server.
        let made = connecting.eventLoop.makePromise(of: (any Channel).self)
        connecting.cascade(to: made)
        let channel = try await withTaskCancellationHandler {
            try await made.futureResult.get()
        } onCancel: {
            connecting.whenSuccess { $0.close(promise: nil) }
            made.fail(CancellationError())
        }
        return Connection(channel: channel, collector: collector)
    }

    private static func send(
        _ fields: HTTPFields, _ message: ByteBuffer, to url: WebURL, by connection: Connection
    ) async throws -> WebReply {
        let channel = connection.channel
        let promise = channel.eventLoop.makePromise(of: WebReply.self)
        connection.collector.expect(promise)
        let head = HTTPRequest(
            method: .post, scheme: url.isSecure ? "https" : "http", authority: url.authority, path: url.target,
            headerFields: fields)
        channel.write(HTTPRequestPart.head(head), promise: nil)
        channel.write(HTTPRequestPart.body(message), promise: nil)
        channel.writeAndFlush(HTTPRequestPart.end(nil)).whenFailure { error in
            promise.fail(WebFailure("has failed (\(reason(of: error)))"))
        }
        return try await withTaskCancellationHandler {
            try await promise.futureResult.get()
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    /// Returns the reason of an error of the network on one line.
    static func reason(of error: any Error) -> String {
        if let error = error as? NIOConnectionError {
            if let cause = error.connectionErrors.first?.error { return reason(of: cause) }
            return error.dnsAError != nil || error.dnsAAAAError != nil ? "its name has no address" : "no connection"
        }
        if error is SocketAddressError.UnknownHost { return "its name has no address" }
        if error is CancellationError { return "no longer needed" }
        return String("\(error)".prefix { !$0.isNewline }.prefix(200))
    }
}
