import Foundation
import Synchronization

/// One connection to a broker, which a thread of its own serves with libmosquitto.
///
/// It is used once: after its end, a new one takes its place. So nothing of an earlier attempt can remain, and the library's
/// own queue, which would take messages without a connection, is never used.
final class BrokerConnection: Sendable {
    /// The version of MQTT.
    enum Version: Int32, Sendable {
        case mqtt5 = 5
        case mqtt311 = 4
    }

    /// The message that the broker publishes when the connection ends otherwise than by ``close()``.
    struct Will: Sendable {
        var topic: String
        var payload: [UInt8]
    }

    /// What the connection reports; the stream ends after ``close()``.
    let signals: AsyncStream<BrokerSignal>
    private let reporter: AsyncStream<BrokerSignal>.Continuation
    private let orders: BrokerOrders
    private let inbox = BrokerInbox()
    /// The client until ``open()``, which gives it to the thread.
    private let client: Mutex<BrokerClient?>

    /// Creates a connection that is not open yet.
    ///
    /// - Parameter longest: The longest message of a board, in bytes; of a longer one, one byte more comes.
    /// - Throws: ``BrokerFault`` if the library is missing, or the settings cannot be used.
    init(
        to settings: MQTTSettings, as name: String, password: [UInt8]?, will: Will, version: Version,
        longest: Int = 0
    ) throws(BrokerFault) {
        (signals, reporter) = AsyncStream.makeStream(of: BrokerSignal.self)
        orders = try BrokerOrders()
        client = Mutex(
            try BrokerClient(
                to: settings, as: name, password: password, will: will, version: version, longest: longest,
                reporter: reporter, inbox: inbox))
    }

    deinit { close() }

    /// Opens the connection, and reports how that went; a second call does nothing.
    func open() {
        guard let client = client.withLock({ $0.take() }) else { return }
        let thread = Thread { [orders, inbox] in BrokerLoop(client: client, orders: orders, inbox: inbox).run() }
        thread.name = "waymark.mqtt"
        thread.start()
    }

    /// Publishes a message.
    ///
    /// - Returns: Its number, which ``BrokerSignal/published(number:reason:)`` has later if the QoS is 1; `nil` after
    ///   ``close()``. After the end of the connection it is lost.
    func publish(_ payload: [UInt8], to topic: String, qos: Int32, isRetained: Bool) -> Int32? {
        orders.publish(.init(topic: topic, payload: payload, qos: qos, isRetained: isRetained))
    }

    /// Subscribes to a topic.
    ///
    /// - Parameters:
    ///   - onlyRetained: Whether only what is retained now is to come.
    ///   - qos: The greatest QoS with which messages come.
    func subscribe(to topic: String, onlyRetained: Bool, qos: Int32 = 0) {
        orders.subscribe(to: topic, onlyRetained: onlyRetained, qos: qos)
    }

    /// Notes that the oldest message reported by ``signals`` was taken; it is acknowledged, and the next one is read.
    func noteTaken() {
        inbox.remove()
        orders.ring()
    }

    /// Ends the connection; what was published before is still sent if the broker takes it soon.
    func close() {
        orders.finish()
        reporter.finish()
        client.withLock { $0 = nil }
    }
}
