public import Time

/// What is known of the connection to the broker.
public struct BrokerState: Hashable, Sendable {
    /// The address of the broker.
    public var address: String
    /// The topic below which everything is published.
    public var topic: String
    /// Whether there is a connection.
    public var isConnected = false
    /// The version of MQTT that the broker speaks; `nil` before the first connection.
    public var version: String?
    /// The time since when it is connected or not, by the system's clock.
    public var since: Timestamp
    /// The reason why there is no connection, as a clause; `nil` while there is one, or before the first attempt.
    public var reason: String?
    /// The number of messages that were published since the start.
    public var published = 0
    /// The number of messages that the broker refused since the start.
    public var refused = 0
    /// The number of messages that wait for their acknowledgement.
    public var waiting = 0
    /// The number of messages of phones that were taken since the start.
    public var received = 0
    /// The number of messages on phones' topics that name no device which may report.
    public var strangers = 0
    /// The number of messages of boards that were taken since the start.
    public var handed = 0
    /// The number of messages on boards' topics that were refused since the start.
    public var rejected = 0

    /// Creates the state before the first attempt.
    init(address: String, topic: String, since: Timestamp) {
        self.address = address
        self.topic = topic
        self.since = since
    }
}
