internal import CMosquitto
import Glibc
import Synchronization

/// What the thread of a connection is to do, which others hand to it.
final class BrokerOrders: Sendable {
    /// One thing to do.
    enum Order: Sendable {
        case publish(Message)
        /// Subscribes to a topic, perhaps only to what is retained now.
        case subscribe(topic: String, onlyRetained: Bool, qos: Int32)
    }

    /// A message to publish.
    struct Message: Sendable {
        var number: Int32 = 0
        var topic: String
        var payload: [UInt8]
        var qos: Int32
        var isRetained: Bool
    }

    private struct State {
        var waiting: [Order] = []
        var isClosed = false
        var lastNumber: Int32 = 0
    }

    private let state = Mutex(State())
    /// The descriptor that is readable while something may wait: an eventfd, which wakes a thread in `poll`.
    let bell: Int32

    /// Creates a list without orders.
    ///
    /// - Throws: ``BrokerFault`` if the process has no descriptor left.
    init() throws(BrokerFault) {
        bell = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard bell >= 0 else { throw .noDescriptor(errno) }
    }

    deinit { close(bell) }

    /// Adds a message; returns its number, or `nil` after ``close()``.
    func publish(_ message: Message) -> Int32? {
        let number: Int32? = state.withLock { state in
            guard !state.isClosed else { return nil }
            var message = message
            state.lastNumber = state.lastNumber == .max ? 1 : state.lastNumber + 1
            message.number = state.lastNumber
            state.waiting.append(.publish(message))
            return message.number
        }
        ring()
        return number
    }

    /// Adds a subscription.
    func subscribe(to topic: String, onlyRetained: Bool, qos: Int32) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.waiting.append(.subscribe(topic: topic, onlyRetained: onlyRetained, qos: qos))
        }
        ring()
    }

    /// Takes no orders any more; those that wait are still carried out.
    func finish() {
        state.withLock { $0.isClosed = true }
        ring()
    }

    /// Returns the orders that wait, oldest first, and whether no more will come.
    ///
    /// The bell is silent before they are taken, so an order that comes meanwhile rings it again.
    func drain() -> (orders: [Order], isClosed: Bool) {
        var count: UInt64 = 0
        // An eventfd has one number of 8 bytes; without one, read fails at once.
        _ = unsafe read(bell, &count, MemoryLayout<UInt64>.size)
        return state.withLock { state in
            defer { state.waiting = [] }
            return (state.waiting, state.isClosed)
        }
    }

    /// Wakes the thread, so that it looks what it may do.
    func ring() {
        var one: UInt64 = 1
        // It can only fail when the bell rings for more orders than memory can hold.
        _ = unsafe write(bell, &one, MemoryLayout<UInt64>.size)
    }
}
