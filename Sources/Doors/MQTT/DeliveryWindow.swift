/// The events that wait for their acknowledgement by the broker.
///
/// An event may take several messages. It is delivered when all of them are acknowledged, and the window has reached an
/// event when it and all before it are delivered.
struct DeliveryWindow {
    /// The most messages that may wait.
    var limit: Int
    /// The number of the last event up to which all are delivered.
    private(set) var reached: Int64
    private var entries: [(event: Int64, open: Int)] = []
    private var messages: [Int32: Int64] = [:]

    /// The most messages that wait, whatever a broker allows.
    static let greatestLimit = 20

    init(after event: Int64) {
        reached = event
        limit = Self.greatestLimit
    }

    /// Whether another event may be sent.
    var isOpen: Bool { messages.count < limit }
    /// The number of messages that wait.
    var waiting: Int { messages.count }

    /// Begins an event, whose number is greater than those before.
    mutating func begin(_ event: Int64) { entries.append((event, 1)) }

    /// Adds a message of the event that was begun last.
    mutating func add(_ message: Int32) {
        guard let last = entries.indices.last else { return }
        messages[message] = entries[last].event
        entries[last].open += 1
    }

    /// Notes that all messages of the event that was begun last are sent.
    mutating func finish() {
        guard let last = entries.last else { return }
        close(last.event)
    }

    /// Notes that a message is acknowledged; returns whether it was waiting.
    mutating func acknowledge(_ message: Int32) -> Bool {
        guard let event = messages.removeValue(forKey: message) else { return false }
        close(event)
        return true
    }

    /// Notes that nothing up to an event is to be sent.
    mutating func pass(_ event: Int64) {
        begin(event)
        finish()
    }

    /// Forgets what waits, as after the end of a connection; it is sent again.
    mutating func restart() {
        entries = []
        messages = [:]
    }

    /// Leaves out everything up to an event, which is no longer in the log.
    mutating func skip(to event: Int64) {
        restart()
        reached = max(reached, event)
    }

    private mutating func close(_ event: Int64) {
        if let index = entries.firstIndex(where: { $0.event == event }) { entries[index].open -= 1 }
        while let first = entries.first, first.open == 0 {
            reached = max(reached, first.event)
            entries.removeFirst()
        }
    }
}
