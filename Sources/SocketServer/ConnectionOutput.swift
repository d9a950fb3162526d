import NIOCore
import Synchronization

/// The way out of a connection, which knows how much of what was sent is unread.
final class ConnectionOutput: Sendable {
    /// How many bytes of answers may be unread before the next request is not read; the interface names 1 MiB.
    static let maximumUnread = 1 << 20

    private let channel: any Channel
    private let unread = Atomic(0)

    /// The way out to a channel.
    init(_ channel: any Channel) { self.channel = channel }

    /// Sends an answer; returns as soon as little enough is unread.
    func send(_ bytes: [UInt8]) async throws {
        let count = bytes.count
        let waiting = unread.add(count, ordering: .relaxed).newValue
        let written = channel.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in self.unread.subtract(count, ordering: .relaxed) }
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: written)
        if waiting > Self.maximumUnread { try await written.futureResult.get() }
    }

    /// Sends something; returns when all that was sent up to there has left the process.
    func deliver(_ buffer: ByteBuffer) async throws {
        try await channel.writeAndFlush(buffer)
    }
}
