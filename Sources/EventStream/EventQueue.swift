/// The events that wait to be sent to one subscriber, in order.
///
/// Of the events that are not kept, only the latest of each device waits; it takes the place of the one before.
struct EventQueue {
    private struct Item {
        var line: [UInt8]
        var seq: Int64?
        var device: String?
    }

    private var items: [Item] = []
    private var head = 0
    /// Where in `items` the waiting event of a device is that is not kept.
    private var latest: [String: Int] = [:]

    /// How many wait.
    var count: Int { items.count - head }

    /// The number of the first kept event that waits.
    ///
    /// - Complexity: O(events in front of it that are not kept).
    var firstSeq: Int64? {
        items[head...].lazy.compactMap(\.seq).first
    }

    /// Appends a kept event.
    mutating func append(_ line: [UInt8], seq: Int64) {
        items.append(Item(line: line, seq: seq))
    }

    /// Puts an event that is not kept in the place of the device's former one, or at the end if there is room.
    mutating func conflate(_ line: [UInt8], device: String, capacity: Int) {
        if let index = latest[device] {
            items[index].line = line
        } else if count < capacity {
            latest[device] = items.count
            items.append(Item(line: line, seq: nil, device: device))
        }
    }

    /// Takes events from the front: one, and more while they are at most so many bytes in all.
    ///
    /// - Returns: what is to be sent, and the number of the last one that is kept.
    mutating func take(upTo bytes: Int) -> (messages: [SubscriptionState.Message], lastSeq: Int64?) {
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

    /// Forgets all, and gives the memory back.
    mutating func removeAll() { self = EventQueue() }

    /// Drops what was taken once it is the greater part, so that each event is moved O(1) times.
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
