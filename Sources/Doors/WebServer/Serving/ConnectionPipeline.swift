import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// The pipeline of a connection from bytes to requests and back, with or without TLS.
enum ConnectionPipeline: Sendable {
    /// The connection, as its task reads and writes it.
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    case plain(HTTPPipeline)
    case secure(TLSChannel<HTTPPipeline>)

    /// - Throws: If the configured certificate or its key cannot be used.
    init(_ settings: WebSettings, _ responder: RequestResponder) throws {
        let plain = HTTPPipeline(answers: responder)
        self = .plain(plain)
        if let tls = try settings.tls() { self = .secure(try TLSChannel(plain, tlsConfiguration: tls)) }
    }

    private static var silent: Logger { Logger(label: "waymark.web") { _ in SwiftLogNoOpLogHandler() } }

    /// Sets up a new connection.
    func setUp(_ channel: any Channel) -> EventLoopFuture<Value> {
        let connection = ConnectionCutter.add(to: channel).flatMap {
            switch self {
            case .plain(let child): child.setup(channel: channel, logger: Self.silent)
            case .secure(let child): child.setup(channel: channel, logger: Self.silent)
            }
        }
        connection.whenFailure { _ in channel.close(promise: nil) }
        return connection
    }

    /// Answers the requests of a connection until it ends.
    func handle(_ connection: Value) async {
        switch self {
        case .plain(let child): await child.handle(value: connection, logger: Self.silent)
        case .secure(let child): await child.handle(value: connection, logger: Self.silent)
        }
    }
}

/// The pipeline between TLS, or the network, and the task of a connection.
///
/// It is Hummingbird's, except that ``PageHandler`` reads requests before anything else does.
struct HTTPPipeline: HTTPChannelHandler {
    let answers: RequestResponder

    var responder: HTTPChannelHandler.Responder {
        { request, writer, channel in try await answers.respond(to: request, writer, channel) }
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<ConnectionPipeline.Value> {
        channel.eventLoop.makeCompletedFuture {
            var limits = NIOHTTPDecoderLimitConfiguration()
            limits.maxHeaderFieldSize = answers.limits.headerBytes
            limits.maxHeaderListSize = answers.limits.headerBytes
            limits.maxHeaderFieldCount = answers.limits.headerFields
            let pipeline = channel.pipeline.syncOperations
            // The task reads one request after the other, answers errors, and writes fields of checked types.
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
                withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
            try pipeline.addHandler(PageHandler(answers))
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }

    func handle(value: ConnectionPipeline.Value, logger: Logger) async {
        await handleHTTP(asyncChannel: value, logger: logger)
    }
}
