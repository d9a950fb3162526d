#if Fleet
/// A message as the broker delivers it.
public struct Delivery: Sendable {
    /// The number with which it is acknowledged; valid on its connection only.
    public let number: UInt64
    /// How often it was delivered before without an acknowledgement.
    ///
    /// It counts for each message that was delivered to a consumer which is gone, whatever the reason.
    public let earlierDeliveries: UInt64
    /// The content.
    public let body: [UInt8]

    /// Creates a message.
    public init(number: UInt64, earlierDeliveries: UInt64, body: [UInt8]) {
        (self.number, self.earlierDeliveries, self.body) = (number, earlierDeliveries, body)
    }
}

/// One of the consumers of a queue, of which the broker gives messages to one at a time.
///
/// An object is used by one thread at a time. It leaves the queue by ending its connection, which happens when it
/// is released: what it has not acknowledged goes to the next consumer, in its order and before everything else.
public final class QueueConsumer {
    private let connection: RabbitMQConnection

    /// The most messages that are delivered and not acknowledged.
    public static let prefetch: UInt16 = 256

    /// Joins the end of the line of a queue's consumers.
    ///
    /// - Throws: ``BrokerError`` of the kind `noQueue` if there is no such queue.
    public init(of queue: String, at address: RabbitMQAddress, limit: Duration = .seconds(10)) throws(BrokerError) {
        connection = try RabbitMQConnection(to: address, limit: limit)
        try connection.consume(queue, prefetch: Self.prefetch)
    }

    /// Waits for the next message.
    ///
    /// Call it at least each second, because it also answers the broker's heartbeats.
    ///
    /// - Returns: The message; `nil` if none came in time, or while another consumer is active.
    /// - Throws: ``BrokerError``; the messages that are not acknowledged then go to another consumer.
    public func next(within time: Duration) throws(BrokerError) -> Delivery? {
        try connection.nextDelivery(within: time)
    }

    /// Acknowledges a message and all those delivered before it, which the broker then forgets.
    ///
    /// - Throws: ``BrokerError``.
    public func acknowledge(through number: UInt64) throws(BrokerError) {
        try connection.acknowledge(through: number)
    }
}
#endif
