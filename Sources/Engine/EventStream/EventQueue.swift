/// The events waiting to be sent to one subscriber, in order.
///
/// At most one transient event of each device waits: a newer one replaces it.
struct EventQueue {
    private struct Item {
        var line: [UInt8]
        var seq: Int64?
        var device: String?
    }

    private var items: [Item] = []
    private var head = 0
    /// The index in `items` of each device's transient event.
    private var latest: [String: Int] = [:]

    /// The number of waiting events.
    var count: Int { items.count - head }

    /// The number of the first stored event in the queue.
    ///
    /// - Complexity: O(transient events in front of it).
    var firstSeq: Int64? {
        items[head...].lazy.compactMap(\.seq).first
    }

    /// Appends a stored event.
    mutating func append(_ line: [UInt8], seq: Int64) {
        items.append(Item(line: line, seq: seq))
    }

    /// Replaces the device's waiting transient event, or appends the event if there is room.
    mutating func conflate(_ line: [UInt8], device: String, capacity: Int) {
        if let index = latest[device] {
            items[index].line = line
        } else if count < capacity {
            latest[device] = items.count
            items.append(Item(line: line, seq: nil, device: device))
        }
    }

    /// Removes events from the front: at least one, and more while their total size is at most `bytes`.
    ///
    /// - Returns: The messages to send, and the number of the last stored event among them.
    mutating func dequeue(upTo bytes: Int) -> (messages: [SubscriptionState.Message], lastSeq: Int64?) {
        var messages: [SubscriptionState.Message] = []
        var lastSeq: Int64?
        var size = 0
        while head < items.count, messages.isEmpty || size + items[head].line.count <= bytes {
            if let device = items[head].device { latest[device] = nil }
            size += items[head].line.count
            messages.append(.event(items[head].line))
            lastSeq = items[head].seq ?? lastSeq
            items[head].line = []
            head += 1
        }
        compact()
        return (messages, lastSeq)
    }

    /// Removes all events, and releases their memory.
    mutating func removeAll() { self = EventQueue() }

    /// Drops the removed items once they are the majority, so that each event is moved O(1) times.
    private mutating func compact() {
        if head == items.count {
            removeAll()
        } else if head > items.count / 2 {
            items.removeFirst(head)
            latest = latest.mapValues { $0 - head }
            head = 0
        }
    }
}
