#if Fleet
/// Publishes messages, and learns which of them are safe.
///
/// A message is safe once the broker has confirmed it: it is then on the disks of a majority of the nodes. An
/// object is used by one thread at a time. After an error it is used no more, and what was not confirmed may be in
/// its queue or not.
public final class QueuePublisher {
    private let connection: RabbitMQConnection
    private let limit: Duration
    private var last: UInt64 = 0
    /// The messages without a confirmation, in ascending order.
    private var open: Set<UInt64> = []

    /// The most messages without a confirmation.
    public static let mostUnconfirmed = 256

    /// Connects to a broker.
    ///
    /// - Parameter limit: The longest time until a message is confirmed, and of each other call.
    /// - Throws: ``BrokerError``.
    public init(at address: RabbitMQAddress, limit: Duration = .seconds(10)) throws(BrokerError) {
        connection = try RabbitMQConnection(to: address, limit: limit)
        self.limit = limit
        try connection.beginPublishing()
    }

    /// Whether every message is confirmed.
    public var isSettled: Bool { open.isEmpty }

    /// Publishes a persistent message to a queue.
    ///
    /// If too many messages are without a confirmation, this waits for one first. Messages of one publisher come to
    /// a queue in their order.
    ///
    /// - Throws: ``BrokerError``.
    public func publish(_ body: [UInt8], to queue: String) throws(BrokerError) {
        let end = ContinuousClock.now + limit
        while open.count >= Self.mostUnconfirmed { try awaitSignal(until: end) }
        try connection.publish(body, to: queue)
        last += 1
        open.insert(last)
    }

    /// Waits until every message is confirmed.
    ///
    /// - Throws: ``BrokerError``: of the kind `refused` if the broker does not take a message, `noQueue` if one has
    ///   no queue, and `timedOut` after the limit.
    public func settle() throws(BrokerError) {
        let end = ContinuousClock.now + limit
        while !open.isEmpty { try awaitSignal(until: end) }
    }

    private func awaitSignal(until end: ContinuousClock.Instant) throws(BrokerError) {
        let left = end - .now
        guard left > .zero else {
            throw BrokerError(.timedOut, "publish: \(open.count) messages are not confirmed in time")
        }
        switch try connection.nextSignal(within: left) {
        case .confirmed(let number, let isMultiple):
            if isMultiple { open = open.filter { $0 > number } } else { open.remove(number) }
        case .refused: throw BrokerError(.refused, "publish: the broker does not take a message now")
        case nil: break
        }
    }
}
#endif
