import NIOCore
import RPC

/// The output of a connection, which tracks the bytes that the client has not read.
final class ConnectionOutput: Sendable {
    /// The maximum number of unread bytes of answers before the next request is delayed; the interface specifies 1
    /// MiB.
    static let maximumUnread = 1 << 20

    private let channel: any Channel
    private let unread: ConnectionQuota

    /// Creates the output of a channel.
    ///
    /// - Parameter unread: The account that unread bytes are charged to.
    init(_ channel: any Channel, unread: ConnectionQuota) {
        self.channel = channel
        self.unread = unread
    }

    /// Sends an answer.
    ///
    /// If more than ``maximumUnread`` bytes are then unread, it waits until the answer has left the process.
    ///
    /// - Throws: ``RPCError`` if the user's connections have reached their limit of unread bytes. The answer is then
    ///   not sent.
    func send(_ bytes: [UInt8]) async throws {
        let count = bytes.count
        guard unread.reserve(count) else { throw refusal }
        let written = channel.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { [unread] _ in unread.release(count) }
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: written)
        if unread.amount > Self.maximumUnread { try await written.futureResult.get() }
    }

    /// Sends bytes, and waits until everything sent so far has left the process.
    func deliver(_ buffer: ByteBuffer) async throws {
        try await channel.writeAndFlush(buffer)
    }

    private var refusal: RPCError {
        .unavailable(
            "Your connections have \(unread.quota.bound) bytes of unread answers, the maximum for a user, so this "
                + "connection is closed. Read the answers, or close connections.")
    }
}
