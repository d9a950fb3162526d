#if Fleet
/// Declares the queues of a fleet, and looks at them.
///
/// An object is used by one thread at a time.
public final class QueueAdministration {
    private let connection: RabbitMQConnection

    /// Connects to a broker.
    ///
    /// - Throws: ``BrokerError``.
    public init(at address: RabbitMQAddress, limit: Duration = .seconds(10)) throws(BrokerError) {
        connection = try RabbitMQConnection(to: address, limit: limit)
    }

    /// Declares a quorum queue with a single active consumer; one that exists with these settings stays as it is.
    ///
    /// Messages in it are on the disks of a majority of the broker's nodes. Of its consumers, the broker gives
    /// messages to one, and to the next only once that one's connection is gone.
    ///
    /// - Throws: ``BrokerError`` of the kind `refused` if there is a queue with other settings.
    public func declare(_ queue: String) throws(BrokerError) { try connection.declare(queue) }

    /// Returns how many messages wait in a queue, without those that are delivered and not acknowledged, and how
    /// many consumers it has.
    ///
    /// - Throws: ``BrokerError`` of the kind `noQueue` if there is no such queue.
    public func inspect(_ queue: String) throws(BrokerError) -> (messages: Int, consumers: Int) {
        try connection.inspect(queue)
    }
}
#endif
