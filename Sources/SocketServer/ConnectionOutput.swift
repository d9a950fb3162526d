import NIOCore
import RPC

/// The way out of a connection, which knows how much of what was sent is unread.
final class ConnectionOutput: Sendable {
    /// How many bytes of answers may be unread before the next request is not read; the interface names 1 MiB.
    static let maximumUnread = 1 << 20

    private let channel: any Channel
    private let unread: Holding

    /// The way out to a channel; what is unread is charged to `unread`.
    init(_ channel: any Channel, unread: Holding) {
        self.channel = channel
        self.unread = unread
    }

    /// Sends an answer; returns as soon as little enough is unread.
    ///
    /// - Throws: ``RPCError`` where the user's connections have as much unread as they may: the answer is not sent.
    func send(_ bytes: [UInt8]) async throws {
        let count = bytes.count
        guard unread.take(count) else { throw refusal }
        let written = channel.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { [unread] _ in unread.give(count) }
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: written)
        if unread.amount > Self.maximumUnread { try await written.futureResult.get() }
    }

    /// Sends something; returns when all that was sent up to there has left the process.
    func deliver(_ buffer: ByteBuffer) async throws {
        try await channel.writeAndFlush(buffer)
    }

    private var refusal: RPCError {
        .unavailable(
            "Your connections have \(unread.allotment.bound) bytes of answers unread, as many as a user may, and this "
                + "one ends here. Read the answers, or close connections.")
    }
}
