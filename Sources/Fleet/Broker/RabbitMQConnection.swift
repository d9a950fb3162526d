#if Fleet
internal import CRabbitMQ

/// A connection to a RabbitMQ broker with one channel, which one thread uses at a time.
///
/// Each call waits at most the time limit of the connection. The connection ends with this object, abruptly: the
/// broker then gives messages that were not acknowledged to the next consumer, in their order. Ending a consumer in
/// another way (`basic.cancel`) would let the next one start before these messages are back.
final class RabbitMQConnection {
    /// The address of the library's connection, which lives as long as this object.
    private let location: UInt
    private var state: amqp_connection_state_t? { unsafe OpaquePointer(bitPattern: location) }
    private let address: RabbitMQAddress

    /// The seconds of silence after which each side takes the other for gone, at most twice as long.
    ///
    /// It bounds how long a worker that hangs keeps its partitions.
    private static let heartbeat: Int32 = 3

    /// The shortest time for each node of a cluster to accept a connection, unless the limit is shorter.
    private static let shortestOpening = Duration.seconds(2)

    /// Connects to a node of the broker, whichever accepts, and signs in.
    ///
    /// - Parameter limit: The longest time of this, if there are at most five nodes, and of each later call.
    /// - Throws: ``BrokerError`` of the last node if none can be reached or accepts the account.
    init(to address: RabbitMQAddress, limit: Duration) throws(BrokerError) {
        self.address = address
        // In any order, so that the connections of a fleet spread, and one to a node that is away soon goes elsewhere.
        let nodes = address.nodes.shuffled()
        let opening = max(min(limit, Self.shortestOpening), limit / nodes.count)
        var failure = BrokerError(.unreachable, "there is no memory for a connection")
        for node in nodes {
            guard let state = unsafe amqp_new_connection() else { break }
            let reply = unsafe rabbitOpen(
                state, node.host, Int32(node.port), address.virtualHost, address.user, address.password,
                Self.heartbeat, opening.wholeMilliseconds, limit.wholeMilliseconds)
            if reply.status == AMQP_STATUS_OK.rawValue {
                location = UInt(bitPattern: state)
                return
            }
            unsafe amqp_destroy_connection(state)
            failure = BrokerError(reply, doing: "connect to the broker at \(node.host):\(node.port)")
        }
        throw failure
    }

    deinit {
        // Nobody else has the connection. This closes the socket without a farewell.
        unsafe amqp_destroy_connection(state)
    }

    /// Declares a queue for a partition: replicated, durable, with one active consumer.
    func declare(_ queue: String) throws(BrokerError) {
        try check(unsafe rabbitDeclare(state, queue), "declare the queue \(queue)")
    }

    /// Returns the number of messages that wait in a queue, without those that are delivered, and that of its
    /// consumers.
    func inspect(_ queue: String) throws(BrokerError) -> (messages: Int, consumers: Int) {
        var (messages, consumers): (UInt32, UInt32) = (0, 0)
        // The function writes the two numbers only.
        try check(unsafe rabbitInspect(state, queue, &messages, &consumers), "look at the queue \(queue)")
        return (Int(messages), Int(consumers))
    }

    func beginPublishing() throws(BrokerError) {
        try check(unsafe rabbitBeginPublishing(state), "begin to publish")
    }

    func publish(_ body: [UInt8], to queue: String) throws(BrokerError) {
        // The library has sent the bytes when it returns.
        let reply = unsafe body.withUnsafeBufferPointer { bytes in
            unsafe rabbitPublish(state, queue, bytes.baseAddress, bytes.count)
        }
        try check(reply, "publish to the queue \(queue)")
    }

    func consume(_ queue: String, prefetch: UInt16) throws(BrokerError) {
        try check(unsafe rabbitConsume(state, queue, prefetch), "consume the queue \(queue)")
    }

    func acknowledge(through number: UInt64) throws(BrokerError) {
        try check(unsafe rabbitAcknowledge(state, number), "acknowledge messages")
    }

    /// What came in answer to published messages; `nil` if nothing came in time.
    enum Signal {
        case confirmed(UInt64, isMultiple: Bool)
        case refused(UInt64, isMultiple: Bool)
    }

    /// Waits for what the broker says of published messages.
    ///
    /// - Throws: ``BrokerError``, also of the kind `noQueue` if a message had no queue.
    func nextSignal(within time: Duration) throws(BrokerError) -> Signal? {
        let signal = unsafe rabbitNextSignal(state, time.wholeMilliseconds)
        switch signal.kind {
        case RabbitConfirmed: return .confirmed(signal.number, isMultiple: signal.isMultiple)
        case RabbitRefused: return .refused(signal.number, isMultiple: signal.isMultiple)
        default:
            try check(signal)
            return nil
        }
    }

    /// Waits for a message; `nil` if none came in time.
    func nextDelivery(within time: Duration) throws(BrokerError) -> Delivery? {
        var envelope = unsafe amqp_envelope_t()
        let signal = unsafe rabbitNextDelivery(state, &envelope, time.wholeMilliseconds)
        guard signal.kind == RabbitDelivered else {
            try check(signal)
            return nil
        }
        // The envelope is valid until it is destroyed; the bytes are copied before.
        defer { unsafe amqp_destroy_envelope(&envelope) }
        let body = unsafe envelope.message.body
        let bytes = unsafe UnsafeRawBufferPointer(start: body.bytes, count: body.len)
        return Delivery(number: signal.number, earlierDeliveries: signal.earlierDeliveries, body: unsafe Array(bytes))
    }

    private func check(_ signal: RabbitSignal) throws(BrokerError) {
        switch signal.kind {
        case RabbitReturned: throw BrokerError(.noQueue, "publish: there is no such queue at \(address)")
        case RabbitCancelled: throw BrokerError(.noQueue, "consume: the queue is gone from \(address)")
        case RabbitFailed: throw BrokerError(signal.reply, doing: "wait for the broker at \(address)")
        default: break
        }
    }

    private func check(_ reply: RabbitReply, _ action: @autoclosure () -> String) throws(BrokerError) {
        guard reply.status != AMQP_STATUS_OK.rawValue else { return }
        throw BrokerError(reply, doing: action())
    }
}

extension Duration {
    /// The duration in milliseconds, as C takes it: from 0 to a day.
    var wholeMilliseconds: Int32 {
        let (seconds, fraction) = components
        return Int32(min(max(0, min(seconds, 86_400) * 1000 + fraction / 1_000_000_000_000_000), 86_400_000))
    }
}
#endif
