import Synchronization

/// The messages of a broker that the connection has reported and nobody has taken yet.
///
/// While there are some, the connection reads no more, so a broker can send no faster than its messages are taken. While one
/// of them is of QoS 1, the connection also writes nothing: the library acknowledges a message before it reports it, and the
/// broker must keep the message until it is taken.
final class BrokerInbox: Sendable {
    private struct State {
        /// Whether each message is to be acknowledged, oldest first.
        var waiting: [(isHeld: Bool, size: Int)] = []
        var held = 0
        var size = 0
    }

    private let state = Mutex(State())

    /// The most bytes that wait.
    ///
    /// Over TLS one read may bring several messages.
    private static let greatestSize = 4 << 20
    /// What a message needs besides its bytes.
    private static let overhead = 256

    /// Whether no message waits.
    var isEmpty: Bool { state.withLock { $0.waiting.isEmpty } }
    /// Whether a message waits that is not to be acknowledged yet.
    var isHolding: Bool { state.withLock { $0.held > 0 } }

    /// Adds a message; returns `false` if too much waits already.
    ///
    /// - Parameter bytes: The bytes of its topic and its payload.
    func add(bytes: Int, qos: Int32) -> Bool {
        state.withLock { state in
            guard state.size <= Self.greatestSize else { return false }
            let size = min(bytes, Self.greatestSize) + Self.overhead
            state.waiting.append((isHeld: qos > 0, size: size))
            state.size += size
            if qos > 0 { state.held += 1 }
            return true
        }
    }

    /// Removes the oldest message, which was taken.
    func remove() {
        state.withLock { state in
            guard let first = state.waiting.first else { return }
            state.waiting.removeFirst()
            state.size -= first.size
            if first.isHeld { state.held -= 1 }
        }
    }
}
