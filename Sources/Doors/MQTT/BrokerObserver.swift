internal import CMosquitto
import Foundation
import Synchronization

/// The receiver of libmosquitto's callbacks, which passes them on.
final class BrokerObserver: Sendable {
    private struct State {
        var isAccepted = false
        var hasEnded = false
        var keepAlive: Int32?
        /// The messages that wait for their acknowledgement: our numbers by those of the library.
        var numbers: [Int32: Int32] = [:]
    }

    private let reporter: AsyncStream<BrokerSignal>.Continuation
    private let inbox: BrokerInbox
    private let state = Mutex(State())

    /// The longest message that is read; retained descriptions of devices are shorter.
    private static let longestMessage = 64 << 10
    /// The topics of boards, and the longest message of a board.
    private let boards: BoardTopics?
    private let longestOfBoard: Int

    init(
        _ reporter: AsyncStream<BrokerSignal>.Continuation, _ inbox: BrokerInbox, boards: BoardTopics?, longest: Int
    ) {
        self.reporter = reporter
        self.inbox = inbox
        self.boards = boards
        longestOfBoard = min(max(0, longest), 1 << 20)
    }

    /// The most bytes that are read of a message; one more than a board may send shows that it is too long.
    private func most(of topic: String) -> Int {
        boards?.board(of: topic) == nil ? Self.longestMessage : longestOfBoard + 1
    }

    /// Whether the broker has taken the connection.
    var isAccepted: Bool { state.withLock { $0.isAccepted } }
    /// Whether an end has been reported.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }
    /// The seconds of silence that the broker allows, if it says so.
    var keepAlive: Int32? { state.withLock { $0.keepAlive } }

    /// Reports something.
    func tell(_ signal: BrokerSignal) { reporter.yield(signal) }

    /// Reports that the connection could not be opened.
    func fail(_ end: BrokerEnd) {
        state.withLock { $0.hasEnded = true }
        tell(.unopened(end))
    }

    /// Reports the end of the connection, unless one has been reported.
    func end(_ end: BrokerEnd) {
        let isFirst = state.withLock { state in
            defer { state.hasEnded = true }
            return !state.hasEnded
        }
        if isFirst { tell(.ended(end)) }
    }

    /// Notes that the library has taken a message, and gives it a number of its own.
    func await(_ number: Int32, of message: Int32) { state.withLock { $0.numbers[number] = message } }

    private func accept(window: UInt16?, keepAlive: UInt16?) {
        state.withLock { state in
            state.isAccepted = true
            if let keepAlive, keepAlive > 0 { state.keepAlive = Int32(keepAlive) }
        }
        tell(.accepted(window: window.map(Int.init) ?? .max))
    }

    /// Reports a message, unless the connection has ended, which it does when the broker sends too much at once.
    private func receive(_ topic: String, _ payload: [UInt8], qos: Int32, isRetained: Bool) {
        guard !hasEnded else { return }
        guard inbox.add(bytes: topic.utf8.count + payload.count, qos: qos) else {
            return end(BrokerEnd(code: MOSQ_ERR_PROTOCOL.rawValue))
        }
        tell(.message(topic: topic, payload: payload, isRetained: isRetained))
    }

    private func acknowledge(_ number: Int32, _ reason: Int32) {
        guard let message = state.withLock({ $0.numbers.removeValue(forKey: number) }) else { return }
        tell(.published(number: message, reason: reason))
    }
}

// MARK: The callbacks

extension BrokerObserver {
    /// Sets the callbacks of a client whose user data is an observer.
    static func observe(_ client: OpaquePointer) {
        unsafe mosquitto_connect_v5_callback_set(client) { _, observer, code, _, properties in
            unsafe BrokerObserver.call(observer) { observer in
                guard code == 0 else { return observer.tell(.refused(code: code)) }
                observer.accept(
                    window: unsafe BrokerObserver.number(MQTT_PROP_RECEIVE_MAXIMUM, in: properties),
                    keepAlive: unsafe BrokerObserver.number(MQTT_PROP_SERVER_KEEP_ALIVE, in: properties))
            }
        }
        unsafe mosquitto_disconnect_v5_callback_set(client) { _, observer, code, _ in
            let system = errno
            unsafe BrokerObserver.call(observer) { $0.end(BrokerEnd(code: code, system: system)) }
        }
        unsafe mosquitto_publish_v5_callback_set(client) { _, observer, number, reason, _ in
            unsafe BrokerObserver.call(observer) { $0.acknowledge(number, reason) }
        }
        unsafe mosquitto_message_callback_set(client) { _, observer, message in
            guard let message = unsafe message?.pointee, let topic = unsafe message.topic else { return }
            let (name, qos, isRetained) = unsafe (String(cString: topic), message.qos, message.retain)
            unsafe BrokerObserver.call(observer) { observer in
                let count = unsafe max(0, min(Int(message.payloadlen), observer.most(of: name)))
                let payload = unsafe [UInt8](UnsafeRawBufferPointer(start: message.payload, count: count))
                observer.receive(name, payload, qos: qos, isRetained: isRetained)
            }
        }
        unsafe mosquitto_log_callback_set(client) { _, observer, level, text in
            guard level & (MOSQ_LOG_ERR | MOSQ_LOG_WARNING) != 0, let text = unsafe text else { return }
            let words = unsafe String(cString: text)
            unsafe BrokerObserver.call(observer) { $0.tell(.said(words)) }
        }
    }

    /// Calls the observer that a callback was given.
    ///
    /// The library looks at `errno` after a callback, and leaves off reading when it is `EAGAIN`.
    private static func call(_ observer: UnsafeMutableRawPointer?, _ body: (BrokerObserver) -> Void) {
        guard let observer = unsafe observer else { return }
        let system = errno
        defer { errno = system }
        // The client has its observer as long as it can call it.
        body(unsafe Unmanaged<BrokerObserver>.fromOpaque(observer).takeUnretainedValue())
    }

    private static func number(_ name: mqtt5_property, in properties: OpaquePointer?) -> UInt16? {
        var number: UInt16 = 0
        let found = unsafe mosquitto_property_read_int16(properties, Int32(name.rawValue), &number, false)
        return unsafe found == nil ? nil : number
    }
}
