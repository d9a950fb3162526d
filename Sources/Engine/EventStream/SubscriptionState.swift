package import Tracking

/// The state machine of one subscription, which decides what to send next.
///
/// It uses no clock, network or store.
///
/// A subscriber is a cursor into the log. While it keeps up, events arrive through ``offer(_:now:)`` and wait in a
/// bounded queue. When the queue is full, the subscription discards it and reads from the journal page by page, until
/// it has caught up with the last offered event. Therefore a subscriber uses bounded memory, receives every stored
/// event exactly once, and delays nobody else.
package struct SubscriptionState {
    package typealias Instant = ContinuousClock.Instant

    /// The next step for the owner of the subscription.
    package enum Action: Equatable {
        /// Send these messages, then ask again.
        case send([Message])
        /// Read from the journal, pass the page to ``supply(_:limit:now:)``, then ask again.
        case read(after: Int64, limit: Int)
        /// Wait for the next offer, or until a time.
        case wait(until: Instant?)
        /// The subscription has ended.
        case end
        /// The next events are no longer in the log.
        ///
        /// Close the connection, so that the subscriber finds out when it subscribes again.
        case lost
    }

    /// A message to send.
    package enum Message: Equatable {
        /// An event.
        case event([UInt8])
        /// A notice that all events up to this number were sent or filtered out.
        case cursor(Int64)
    }

    /// What to do after an event was offered.
    package enum Offered: Equatable {
        /// Send this event at once, because nothing waits before it.
        case line([UInt8])
        /// Call ``next(now:)`` again, because its last answer may have changed.
        case change
        /// Nothing.
        case nothing
    }

    private enum Phase { case running, draining, ended, lost }

    private let policy: SubscriptionPolicy
    private let accepts: @Sendable (EventRecord) -> Bool
    private let line: @Sendable (EventRecord) -> [UInt8]
    private var phase = Phase.running
    private var queue = EventQueue()
    /// The number of the last stored event that was sent, queued or filtered out.
    private var cursor: Int64
    /// The number of the last event known to be in the journal.
    private var newest: Int64
    /// The number of the last event or cursor handed out for sending.
    private var lastSent: Int64
    /// The number of the last event that was counted if it was filtered out.
    private var counted: Int64
    private var leftOut = 0
    private var leftOutSince: Instant?
    /// Whether events are read from the journal.
    package private(set) var isCatchingUp: Bool
    /// The value of `newest` when the current page was requested.
    ///
    /// The page reaches that event, or has the maximum number of events.
    private var readTarget: Int64 = 0

    /// Creates a subscription to the events after `cursor`.
    ///
    /// - Parameters:
    ///   - newest: The number of the last event known to be in the journal.
    ///   - accepts: Returns whether an event is sent.
    ///   - line: Returns the text to send for an event.
    package init(
        after cursor: Int64, newest: Int64, policy: SubscriptionPolicy,
        accepts: @escaping @Sendable (EventRecord) -> Bool,
        line: @escaping @Sendable (EventRecord) -> [UInt8] = { $0.line }
    ) {
        self.policy = policy
        self.accepts = accepts
        self.line = line
        self.cursor = cursor
        self.newest = max(cursor, newest)
        lastSent = cursor
        counted = cursor
        isCatchingUp = cursor < newest
    }

    /// The number of events waiting to be sent.
    package var queued: Int { queue.count }

    /// Accepts events in order: stored ones that have just been committed, and transient ones.
    ///
    /// - Returns: Whether ``next(now:)`` must be called again, because its last answer may have changed.
    package mutating func offer(_ entries: [EventRecord], now: Instant) -> Bool {
        guard phase == .running else { return false }
        let hadDeadline = leftOutSince != nil
        for entry in entries {
            if let seq = entry.seq {
                offer(entry, seq, now: now)
            } else if !isCatchingUp, accepts(entry) {
                queue.conflate(line(entry), device: entry.device ?? "", capacity: policy.queueCapacity)
            }
        }
        return isCatchingUp || queue.count > 0 || leftOut >= policy.cursorCount
            || leftOutSince != nil && !hadDeadline
    }

    /// Accepts one event, like ``offer(_:now:)-([EventRecord],_)``, but does not queue it if it can be sent at once.
    ///
    /// A caller that cannot send offers an array instead.
    package mutating func offer(_ entry: EventRecord, now: Instant) -> Offered {
        guard phase == .running, !isCatchingUp, queue.count == 0, entry.seq == nil || entry.seq == cursor + 1 else {
            return offer([entry], now: now) ? .change : .nothing
        }
        guard accepts(entry) else {
            guard let seq = entry.seq else { return .nothing }
            let hadDeadline = leftOutSince != nil
            newest = max(newest, seq)
            passOver(seq, now: now)
            return leftOut >= policy.cursorCount || leftOutSince != nil && !hadDeadline ? .change : .nothing
        }
        if let seq = entry.seq {
            newest = max(newest, seq)
            cursor = seq
            counted = max(counted, seq)
            lastSent = seq
        }
        return .line(line(entry))
    }

    private mutating func offer(_ entry: EventRecord, _ seq: Int64, now: Instant) {
        newest = max(newest, seq)
        guard !isCatchingUp, seq > cursor else { return }
        if seq > cursor + 1 {
            // The events in between were committed but not offered. The journal has them.
            isCatchingUp = true
        } else if queue.count >= policy.queueCapacity, accepts(entry) {
            // All events before the first queued one were sent or filtered out, so the journal continues there.
            cursor = queue.firstSeq.map { $0 - 1 } ?? cursor
            queue.removeAll()
            isCatchingUp = true
        } else {
            examine(entry, seq, now: now)
        }
    }

    /// Accepts the page requested by ``Action/read(after:limit:)``.
    ///
    /// A gap in the page means that the log was trimmed faster than the subscriber read. The subscription is then
    /// lost. A record that stands for several damaged events is no gap.
    package mutating func supply(_ page: [EventRecord], limit: Int, now: Instant) {
        guard phase == .running else { return }
        for entry in page {
            guard let seq = entry.seq, entry.firstSeq == cursor + 1 else { return phase = .lost }
            let isCounted = seq <= counted
            examine(entry, seq, now: now)
            // It may stand for many events that were passed over.
            if !isCounted, entry.isDamaged, let first = entry.firstSeq { leftOut += Int(clamping: seq - first) }
        }
        if page.count < limit, cursor < readTarget { phase = .lost }
        isCatchingUp = cursor < newest
    }

    private mutating func examine(_ entry: EventRecord, _ seq: Int64, now: Instant) {
        guard accepts(entry) else { return passOver(seq, now: now) }
        cursor = seq
        counted = max(counted, seq)
        queue.append(line(entry), seq: seq)
    }

    private mutating func passOver(_ seq: Int64, now: Instant) {
        cursor = seq
        if seq > counted {
            leftOut += 1
            leftOutSince = leftOutSince ?? now
        }
        counted = max(counted, seq)
    }

    /// Returns the next step.
    package mutating func next(now: Instant) -> Action {
        if phase == .ended { return .end }
        if queue.count > 0 {
            let (messages, lastSeq) = queue.dequeue(upTo: policy.batchBytes)
            lastSent = lastSeq ?? lastSent
            return .send(messages)
        }
        if phase == .draining { return .end }
        if phase == .lost { return .lost }
        let deadline = leftOutSince.map { $0 + policy.cursorInterval }
        if leftOut >= policy.cursorCount || deadline.map({ $0 <= now }) ?? false {
            leftOut = 0
            leftOutSince = nil
            if cursor > lastSent {
                lastSent = cursor
                return .send([.cursor(cursor)])
            }
        }
        if isCatchingUp {
            readTarget = newest
            return .read(after: cursor, limit: policy.pageSize)
        }
        return .wait(until: leftOutSince.map { $0 + policy.cursorInterval })
    }

    /// Stops accepting events, and ends once the queue is sent.
    package mutating func drain() {
        if phase == .running { phase = .draining }
    }

    /// Ends immediately, and discards the queue.
    package mutating func end() {
        phase = .ended
        queue.removeAll()
    }
}

/// The limits of a subscription.
public struct SubscriptionPolicy: Sendable, Equatable {
    /// The maximum number of queued events before the subscription reads from the journal instead.
    ///
    /// At the usual rate of live events, 512 last for a long time. All subscribers share the events' bytes.
    public var queueCapacity = 512
    /// The number of events read from the journal at once.
    ///
    /// It is large enough to make the cost for each event small. It is also small enough that a subscriber that stops
    /// reading holds little, because each subscriber has its own copy of a page.
    public var pageSize = 64
    /// The maximum number of bytes of events handed to the socket at once, but at least one event.
    ///
    /// A subscriber that stops reading holds this much, and the little that may wait in its channel. A thousand of
    /// them hold 20 MB.
    public var batchBytes = 16 << 10
    /// The number of filtered-out events after which a `cursor` is sent; the interface specifies 10,000.
    public var cursorCount = 10_000
    /// The time after a filtered-out event until a `cursor` is sent; the interface specifies 60 s.
    public var cursorInterval = Duration.seconds(60)

    /// Creates the default limits.
    public init() {}
}
