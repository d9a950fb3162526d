import EventStream
import NIOCore
import RPC
import Synchronization

/// A client that was let in as far as its channel.
struct AcceptedClient: Sendable {
    /// What leads to it.
    let channel: any Channel
    /// What it sends.
    let lines: InboundLines
    /// Who it is.
    let peer: PeerCredentials
}

/// A connection with its ways in and out: what the server holds of each.
final class ServedConnection: Sendable {
    /// What methods see of it.
    let principal: Principal
    private let channel: any Channel
    private let lines: InboundLines
    private let requests: Holding
    private let output: ConnectionOutput
    private let subscriber: Subscriber
    private let lingering: Duration
    /// Until when it may be silent though the server stops.
    private let greeted: ContinuousClock.Instant
    private let closing = Atomic(false)
    /// Whether a line of it was taken.
    private let hasSpoken = Atomic(false)
    /// Whether the server stops.
    private let leaving = Atomic(false)

    /// A client's connection, of whose user's share it takes what it needs.
    init(
        _ principal: Principal, _ client: AcceptedClient, _ subscriber: Subscriber, _ share: UserShare,
        _ limits: SocketServer.Limits
    ) {
        self.principal = principal
        self.subscriber = subscriber
        channel = client.channel
        lines = client.lines
        lingering = limits.lingering
        greeted = .now + limits.greeting
        requests = Holding(of: share.requests, allowance: limits.freeBytes)
        output = ConnectionOutput(channel, unread: Holding(of: share.answers, allowance: limits.freeBytes))
        lines.keep(
            within: LineReader.Bounds(
                holding: requests, free: limits.freeBytes, growth: limits.lineGrowth, interval: limits.lineInterval))
    }

    /// Answers line after line, until the other side has no more to say and its subscriptions have ended.
    ///
    /// Where the other side goes, the task is cancelled in which `answer` is called.
    func serve(answer: @escaping @Sendable ([UInt8]) async -> [UInt8]?) async {
        let serving = Task {
            do {
                while let line = try await lines.next(), !isClosing {
                    hasSpoken.store(true, ordering: .sequentiallyConsistent)
                    try await take(line, answer)
                    if leaving.load(ordering: .sequentiallyConsistent) { end() }
                }
                await subscriber.waitUntilFinished()
                try await output.deliver(ByteBuffer())
            } catch {
                // The other side is gone.
            }
        }
        channel.closeFuture.whenComplete { [subscriber] _ in
            subscriber.end()
            serving.cancel()
        }
        await withTaskCancellationHandler {
            await serving.value
        } onCancel: {
            channel.close(promise: nil)
        }
        channel.close(promise: nil)
        // It never fails.
        try? await channel.closeFuture.get()
    }

    private func take(_ line: InboundLine, _ answer: ([UInt8]) async -> [UInt8]?) async throws {
        switch line {
        case .refused(let error): try await refuse(error)
        case .line(let bytes):
            defer { requests.give(bytes.count) }
            do {
                if let answer = await answer(bytes) { try await output.send(answer) }
            } catch let error as RPCError {
                return try await refuse(error)
            }
            // Their events follow the answer.
            channel.eventLoop.execute { [subscriber] in subscriber.start() }
        }
    }

    /// Whether it is to end as soon as what waits is sent: no request is carried out any more.
    private var isClosing: Bool { closing.load(ordering: .relaxed) }

    /// Lets it end by itself: its requests stop, and its subscriptions send what waits.
    ///
    /// Who has just been let in and has said nothing yet is about to: that is answered first.
    func quiesce() {
        leaving.store(true, ordering: .sequentiallyConsistent)
        let left = greeted - .now
        // One that speaks from now on ends by itself, once it is answered.
        guard !hasSpoken.load(ordering: .sequentiallyConsistent), left > .zero else { return end() }
        channel.eventLoop.scheduleTask(in: TimeAmount(left)) { [weak self] in
            guard let self, !hasSpoken.load(ordering: .sequentiallyConsistent) else { return }
            end()
        }
    }

    private func end() {
        closing.store(true, ordering: .relaxed)
        channel.eventLoop.execute { [self] in
            subscriber.drain()
            channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
    }

    /// Says why nothing more is taken, as the last thing, and lets what still comes be thrown away for a moment.
    private func refuse(_ error: RPCError) async throws {
        closing.store(true, ordering: .relaxed)
        channel.eventLoop.execute { [subscriber] in subscriber.end() }
        channel.eventLoop.scheduleTask(in: TimeAmount(lingering)) { [channel] in channel.close(promise: nil) }
        try await output.deliver(ByteBuffer(bytes: error.line))
        try await channel.close(mode: .output)
        // The client ends it, or the time is over.
        while try await lines.next() != nil {}
    }
}
