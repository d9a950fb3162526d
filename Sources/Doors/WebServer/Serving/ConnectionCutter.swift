import NIOCore

/// The end of a connection's pipeline at the network, where a connection can be cut at once.
///
/// A connection with TLS that is closed properly waits for seconds for the other side to agree.
final class ConnectionCutter: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    /// Adds the handler to a new connection, before all others.
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(ConnectionCutter(), position: .first)
        }
    }

    /// Closes a connection without asking the other side.
    static func cut(_ channel: any Channel) {
        channel.eventLoop.execute {
            let end = try? channel.pipeline.syncOperations.context(handlerType: ConnectionCutter.self)
            end?.close(promise: nil)
        }
    }
}
