import Deadlines
public import MQTT
public import WebClient

/// The exchange of a board with its centre over a broker: one message and its answer after another.
///
/// What the broker acknowledges proves nothing. Only the centre's answer counts, which it publishes after its commit. So
/// nothing waits here but one message, and nothing is asked of the broker's queue.
public actor BrokerExchange: UplinkMessages {
    private let secret: SecretFile
    private let topic: String
    private let clock: any Clock<Duration>
    private var publish: Publish?
    /// Why there is no connection.
    private var reason = "is not connected yet"
    /// The message that waits for its answer.
    private var pending: Pending?
    /// The last answer that nobody waited for.
    private var kept: [UInt8]?
    /// The number of connections so far, and the one of the last message.
    private var (connections, used) = (0, 0)
    /// Wakes whoever waits for a change.
    private var changes: AsyncStream<Void>.Continuation?

    private struct Pending {
        /// The seal of the message.
        var request: [UInt8]
        /// The log as far as the centre has it, if any answer counts that has no less.
        var own: EventChain?
        /// The number of the message at the broker.
        var number: Int32?
        var outcome: Result<WebReply, WebFailure>?
        /// What is known of a message without an answer, as a clause.
        var hint: String?
    }

    /// The longest time for an answer, and for a connection.
    private static let patience = Duration.seconds(30)
    /// The shortest pause after a failure.
    private static let shortestPause = Duration.seconds(1)
    /// The reason code of MQTT 5 for a message that nobody receives.
    private static let nobody: Int32 = 0x10

    /// Creates an exchange without a connection.
    ///
    /// - Parameters:
    ///   - secret: The file with the secret that the centre has made for this board.
    ///   - topic: The topic of the board, for what is told of it.
    public init(secret: SecretFile, topic: String) { self.init(secret: secret, topic: topic, clock: .deadlines) }

    init(secret: SecretFile, topic: String, clock: any Clock<Duration>) {
        self.secret = secret
        self.topic = topic
        self.clock = clock
    }

    // MARK: The broker's side

    /// Notes that there is a connection.
    public func open(_ publish: @escaping Publish) {
        (self.publish, kept) = (publish, nil)
        connections += 1
        changes?.yield()
    }

    /// Notes that there is no connection; what waits for an answer fails.
    public func close(_ reason: String) {
        (publish, kept) = (nil, nil)
        self.reason = "cannot be reached: \(reason)"
        if pending?.outcome == nil { pending?.outcome = .failure(WebFailure(self.reason)) }
        changes?.yield()
    }

    /// Notes what the broker says of a message.
    public func note(_ number: Int32, reason: Int32) {
        guard let waiting = pending, waiting.number == number, waiting.outcome == nil else { return }
        if reason == Self.nobody {
            pending?.hint = "the broker says that nobody subscribes to \(topic)/…"
        } else if reason >= 0x80 {
            pending?.outcome = .failure(
                WebFailure("is not reached: the broker refuses messages to \(topic)/…, reason \(reason)"))
        } else if reason < 0 {
            pending?.outcome = .failure(WebFailure("is not reached: the broker takes no message as long as a batch"))
        }
        changes?.yield()
    }

    /// Takes an answer of the centre, retained or not.
    public func receive(_ answer: [UInt8]) {
        guard let secret = try? secret.read(), let reply = UplinkReply(answer, key: UplinkSeal(secret: secret)) else {
            return
        }
        if reply.isSealed {
            if let waiting = pending, waiting.outcome == nil,
                reply.request == waiting.request || isEnough(reply, waiting.own)
            {
                pending?.outcome = .success(WebReply(status: reply.status, body: reply.body))
            } else if reply.status == 200 {
                kept = answer
            }
            changes?.yield()
        } else if pending?.request == reply.request {
            // Anybody could have written this, so it ends nothing.
            pending?.hint = "a centre answers: \(String(decoding: reply.body, as: UTF8.self))"
        }
    }

    /// Whether an answer says of a board's log no less than the board knows.
    private func isEnough(_ reply: UplinkReply, _ own: EventChain?) -> Bool {
        guard let own, reply.status == 200, let answer = try? UplinkAnswer(reply.body) else { return false }
        return answer.chain.log == own.log && answer.chain.seq >= own.seq
    }

    // MARK: The board's side

    /// Sends a body, and returns what the centre answers.
    ///
    /// - Parameter own: If any answer counts that says no less of the log than this, also one that has come already: the
    ///   log as far as the board knows that the centre has it.
    /// - Throws: ``WebFailure`` if there is no connection or no answer in 30 seconds. The centre may have taken the body all
    ///   the same.
    func send(_ body: [UInt8], orAbove own: EventChain? = nil) async throws -> WebReply {
        try await wait(Self.patience) { $0.publish != nil }
        guard let publish else { throw WebFailure(reason) }
        used = connections
        let seal = UplinkSeal(secret: try secret.read())
        if let answer = kept.flatMap({ UplinkReply($0, key: seal) }) {
            kept = nil
            if isEnough(answer, own) { return WebReply(status: answer.status, body: answer.body) }
        }
        let lane = TraceBatch.begins(body) ? BoardLane.trace : .events
        let message = UplinkMessage(body, on: lane, sealedBy: seal)
        pending = Pending(request: message.seal, own: own)
        defer { pending = nil }
        guard let number = publish(message.payload, lane) else { throw WebFailure(reason) }
        pending?.number = number
        try await wait(Self.patience) { $0.pending?.outcome != nil }
        guard let outcome = pending?.outcome else {
            let hint = pending?.hint.map { "; \($0)" } ?? ""
            throw WebFailure("has not answered for \(Self.patience.components.seconds) s\(hint)")
        }
        return try outcome.get()
    }

    /// Waits after a failure: for a second, and then until there is a new connection or an answer, at most for a time.
    ///
    /// A centre that was away answers what has waited for it at the broker, so nobody needs to ask it again.
    func pause(_ time: Duration) async {
        let start = min(time, Self.shortestPause)
        try? await clock.sleep(for: start)
        try? await wait(time - start) { $0.kept != nil || $0.connections != $0.used && $0.publish != nil }
    }

    /// Waits until a condition holds, at most for a time.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    private func wait(
        _ time: Duration, until isDone: @escaping @Sendable (isolated BrokerExchange) -> Bool
    ) async throws {
        guard time > .zero, !isDone(self) else { return }
        let (stream, changes) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.changes = changes
        defer { self.changes = nil }
        _ = try await within(time, clock) {
            for await _ in stream {
                if await isDone(self) { return }
            }
        }
        try Task.checkCancellation()
    }
}
