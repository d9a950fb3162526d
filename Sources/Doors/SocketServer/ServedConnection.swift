import Callers
import NIOCore
import RPC
import Synchronization

/// An accepted client that has no place yet.
struct AcceptedClient: Sendable {
    /// The channel to the client.
    let channel: any Channel
    /// The lines that the client sends.
    let lines: InboundLines
    /// The credentials of the client.
    let peer: PeerCredentials
}

/// A connection being served: its input, output and subscriptions.
final class ServedConnection: Sendable {
    /// The caller, as methods see it.
    let principal: Principal
    private let channel: any Channel
    private let lines: InboundLines
    private let requests: ConnectionQuota
    private let output: ConnectionOutput
    private let subscriber: Subscriber
    private let lingering: Duration
    /// The time until which the client may stay silent while the server stops.
    private let greetingDeadline: ContinuousClock.Instant
    private let closing = Atomic(false)
    /// Whether a line was received.
    private let hasReceivedLine = Atomic(false)
    /// Whether the server is stopping.
    private let isStopping = Atomic(false)

    /// Creates a connection, whose resources are charged to its user's share.
    init(
        _ principal: Principal, _ client: AcceptedClient, _ subscriber: Subscriber, _ share: UserQuotas,
        _ limits: SocketServer.Limits
    ) {
        self.principal = principal
        self.subscriber = subscriber
        channel = client.channel
        lines = client.lines
        lingering = limits.lingering
        greetingDeadline = .now + limits.greeting
        requests = ConnectionQuota(of: share.requests, allowance: limits.freeBytes)
        output = ConnectionOutput(channel, unread: ConnectionQuota(of: share.answers, allowance: limits.freeBytes))
        lines.keep(
            within: LineReader.Bounds(
                quota: requests, free: limits.freeBytes, growth: limits.lineGrowth, interval: limits.lineInterval))
    }

    /// Answers one line after another, until the peer sends no more and its subscriptions have ended.
    ///
    /// If the peer disconnects, the task that calls `answer`, which prefers `executor`, is cancelled.
    func serve(
        on executor: (any TaskExecutor)?, answer: @escaping @Sendable ([UInt8]) async -> [UInt8]?
    ) async {
        let serving = Task(executorPreference: executor) { [self] in
            do {
                while let line = try await lines.next(), !isClosing {
                    hasReceivedLine.store(true, ordering: .sequentiallyConsistent)
                    try await handle(line, answer)
                    if isStopping.load(ordering: .sequentiallyConsistent) { end() }
                }
                await subscriber.waitUntilFinished()
                try await output.deliver(ByteBuffer())
            } catch {
                // The peer has disconnected.
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
        // This future never fails.
        try? await channel.closeFuture.get()
    }

    private func handle(_ line: InboundLine, _ answer: ([UInt8]) async -> [UInt8]?) async throws {
        switch line {
        case .refused(let error): try await refuse(error)
        case .line(let bytes):
            defer { requests.release(bytes.count) }
            do {
                if let answer = await answer(bytes) { try await output.send(answer) }
            } catch let error as RPCError {
                return try await refuse(error)
            }
            // The events of a new subscription follow the answer that names it.
            channel.eventLoop.execute { [subscriber] in subscriber.start() }
        }
    }

    /// Whether the connection ends as soon as its output is sent.
    ///
    /// No further request is served.
    private var isClosing: Bool { closing.load(ordering: .relaxed) }

    /// Ends the connection gracefully: no further requests are served, and subscriptions send their queued events.
    ///
    /// A client that has just connected and has not sent anything yet still gets its first request answered.
    func quiesce() {
        isStopping.store(true, ordering: .sequentiallyConsistent)
        let left = greetingDeadline - .now
        // If the client sends a line from now on, the connection ends after the answer.
        guard !hasReceivedLine.load(ordering: .sequentiallyConsistent), left > .zero else { return end() }
        channel.eventLoop.scheduleTask(in: TimeAmount(left)) { [weak self] in
            guard let self, !hasReceivedLine.load(ordering: .sequentiallyConsistent) else { return }
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

    /// Sends the final error, and discards further input until the client closes the connection or
    /// ``SocketServer/Limits/lingering`` has passed.
    private func refuse(_ error: RPCError) async throws {
        closing.store(true, ordering: .relaxed)
        channel.eventLoop.execute { [subscriber] in subscriber.end() }
        let cut = channel.eventLoop.scheduleTask(in: TimeAmount(lingering)) { [channel] in channel.close(promise: nil) }
        defer { cut.cancel() }
        try await output.deliver(ByteBuffer(bytes: error.line))
        try await channel.close(mode: .output)
        // This ends when the client closes the connection or the time is over.
        while try await lines.next() != nil {}
    }
}
