import MQTT
import RPC
import Service
import Time

/// The connection to the MQTT broker, for a daemon that may have none.
struct BrokerLink: Sendable {
    /// Serves the connection until the task is cancelled.
    var run: @Sendable () async -> Void = {}
    /// Returns what is known of it; `nil` if no broker is configured.
    var status: @Sendable () -> BrokerStatus? = { nil }
}

/// What `server.stats` says of the broker.
struct BrokerStatus: Sendable {
    var address: String
    var topic: String
    var isConnected: Bool
    var version: String?
    var since: Timestamp
    var reason: String?
    var published: Int
    var refused: Int
    var waiting: Int
    var received: Int
    var strangers: Int
    var handed: Int
    var rejected: Int

    static let shape = AnswerShape<BrokerStatus>.object {
        Member("address", .text, "The address of the broker.") { $0.address }
        Member("topic", .text, "The topic below which everything is published.") { $0.topic }
        Member("connected", .boolean, "Whether there is a connection.") { $0.isConnected }
        Member.optional("version", .text, "The version of MQTT of the last connection.") { $0.version }
        Member("since", .time, "The time since when it is connected or not, by the system clock.") { $0.since }
        Member.optional("reason", .text, "The reason why there is no connection.") { $0.reason }
        Member("published", .integer, "The number of messages published since the start.") { $0.published }
        Member("refused", .integer, "The number of messages that the broker refused since the start.") { $0.refused }
        Member("waiting", .integer, "The number of messages that wait for their acknowledgement.") { $0.waiting }
        Member("received", .integer, "The number of messages of phones taken since the start.") { $0.received }
        Member(
            "strangers", .integer,
            "The number of messages on the topics of phones, since the start, that name no device with a secret."
        ) { $0.strangers }
        Member("handed", .integer, "The number of messages of boards taken since the start.") { $0.handed }
        Member("rejected", .integer, "The number of messages on the topics of boards refused since the start.") {
            $0.rejected
        }
    }
}

extension BrokerStatus {
    /// Creates the status from the state of the connection.
    init(_ state: BrokerState) {
        self.init(
            address: state.address, topic: state.topic, isConnected: state.isConnected, version: state.version,
            since: state.since, reason: state.reason, published: state.published, refused: state.refused,
            waiting: state.waiting, received: state.received, strangers: state.strangers,
            handed: state.handed, rejected: state.rejected)
    }
}
