import NIOCore
import RPC
import Synchronization

/// A connection with its ways out: what the server holds of each.
final class ServedConnection: Sendable {
    /// What methods see of it.
    let connection: Connection
    /// What sends it events.
    let subscriber: Subscriber
    /// What sends it answers.
    let output: ConnectionOutput
    private let channel: any Channel
    private let closing = Atomic(false)

    /// A connection through a channel.
    init(_ connection: Connection, _ channel: any Channel, _ subscriber: Subscriber) {
        self.connection = connection
        self.channel = channel
        self.subscriber = subscriber
        output = ConnectionOutput(channel)
    }

    /// Whether it is to end as soon as what waits is sent: no request is carried out any more.
    var isClosing: Bool { closing.load(ordering: .relaxed) }

    /// Has its subscriptions send, after the answer that was sent last.
    func startSubscriptions() {
        channel.eventLoop.execute { self.subscriber.start() }
    }

    /// Lets it end by itself: its requests stop, and its subscriptions send what waits.
    func quiesce() {
        closing.store(true, ordering: .relaxed)
        channel.eventLoop.execute { [self] in
            subscriber.drain()
            channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
    }

    /// Says that a line is too long, as the last thing, and lets what still comes be thrown away for a moment.
    func refuseTheRest(lingering: Duration) async throws {
        channel.eventLoop.execute { self.subscriber.end() }
        channel.eventLoop.scheduleTask(in: TimeAmount(lingering)) { self.channel.close(promise: nil) }
        try await output.deliver(ByteBuffer(bytes: LineFraming.LineTooLong().answer.line))
        try await channel.close(mode: .output)
    }
}
