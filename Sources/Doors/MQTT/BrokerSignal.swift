/// What a connection to a broker reports, from its thread.
enum BrokerSignal: Sendable {
    /// The broker has taken the connection.
    ///
    /// - Parameter window: The most messages of QoS 1 that may wait for their acknowledgement.
    case accepted(window: Int)
    /// The broker has refused the connection; an end follows.
    case refused(code: Int32)
    /// The connection could not be opened.
    case unopened(BrokerEnd)
    /// The connection has ended; this is reported once.
    case ended(BrokerEnd)
    /// The broker has acknowledged a message of QoS 1, or refused it with a reason of 128 or more.
    case published(number: Int32, reason: Int32)
    /// A message of QoS 1 cannot be sent to this broker, for example because it takes no message that long.
    case unsendable(number: Int32)
    /// A message has come.
    case message(topic: String, payload: [UInt8], isRetained: Bool)
    /// OpenSSL or the library has said something about a failure.
    case said(String)
}

/// Why a connection has ended, or could not be opened.
struct BrokerEnd: Hashable, Sendable {
    /// The result of libmosquitto, or a reason code of MQTT 5, which is 128 or more.
    var code: Int32
    /// The system's error; it says something only if the result is `MOSQ_ERR_ERRNO`.
    var system: Int32 = 0
}
