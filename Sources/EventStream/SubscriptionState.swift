/// What one subscriber is to be sent next: decided here, without a clock, a network or a store.
///
/// A subscriber is a cursor into the log. While it keeps up, events come by ``offer(_:now:)`` and wait in a bounded
/// queue; when that is full it is emptied, and the subscriber is fed from the journal, page by page, as it takes them,
/// until it has reached what was offered last. So it costs a bounded amount of memory, misses nothing that is kept,
/// gets nothing twice, and delays nobody.
package struct SubscriptionState {
    package typealias Instant = ContinuousClock.Instant

    /// What to do next.
    package enum Action: Equatable {
        /// Send these, then ask again.
        case send([Message])
        /// Read from the journal, hand the page to ``supply(_:limit:now:)``, then ask again.
        case read(after: Int64, limit: Int)
        /// There is nothing to do before the next offer, or that time.
        case wait(until: Instant?)
        /// The subscription has ended.
        case end
        /// Events that should follow are no longer kept: the subscriber must be cut off, to learn it by asking again.
        case lost
    }

    /// Something to send.
    package enum Message: Equatable {
        /// An event.
        case event([UInt8])
        /// Everything up to this number was sent or is not for this subscriber.
        case cursor(Int64)
    }

    private enum Phase { case running, draining, ended, lost }

    private let policy: SubscriptionPolicy
    private let accepts: @Sendable (JournalEntry) -> Bool
    private var phase = Phase.running
    private var queue = EventQueue()
    /// Every kept event up to this one was sent, is in the queue, or was left out.
    private var cursor: Int64
    /// The last kept event known to be in the journal.
    private var newest: Int64
    /// The last event handed out to be sent, or cursor told.
    private var told: Int64
    /// Events up to this one were counted if they were left out.
    private var counted: Int64
    private var leftOut = 0
    private var leftOutSince: Instant?
    /// Whether events come from the journal.
    package private(set) var isCatchingUp: Bool
    /// What `newest` was when the page being read was asked for: the page holds all up to there, or is full.
    private var readTarget: Int64 = 0

    /// A subscription to what follows `cursor`, where the journal is known to hold everything up to `newest`.
    package init(
        after cursor: Int64, newest: Int64, policy: SubscriptionPolicy,
        accepts: @escaping @Sendable (JournalEntry) -> Bool
    ) {
        self.policy = policy
        self.accepts = accepts
        self.cursor = cursor
        self.newest = max(cursor, newest)
        told = cursor
        counted = cursor
        isCatchingUp = cursor < newest
    }

    /// How many events wait to be sent.
    package var queued: Int { queue.count }

    /// Takes in events that were just committed, or are not kept, in order.
    ///
    /// - Returns: whether ``next(now:)`` may now say something other than to wait as long as it said.
    package mutating func offer(_ entries: [JournalEntry], now: Instant) -> Bool {
        guard phase == .running else { return false }
        let hadDeadline = leftOutSince != nil
        for entry in entries {
            if let seq = entry.seq {
                offer(entry, seq, now: now)
            } else if !isCatchingUp, accepts(entry) {
                queue.conflate(entry.line, device: entry.device ?? "", capacity: policy.queueCapacity)
            }
        }
        return isCatchingUp || queue.count > 0 || leftOut >= policy.cursorCount
            || leftOutSince != nil && !hadDeadline
    }

    private mutating func offer(_ entry: JournalEntry, _ seq: Int64, now: Instant) {
        newest = max(newest, seq)
        guard !isCatchingUp, seq > cursor else { return }
        if seq > cursor + 1 {
            // What lies between was committed and never offered: the journal has it.
            isCatchingUp = true
        } else if queue.count >= policy.queueCapacity, accepts(entry) {
            // All before the first event waiting was sent or left out, so the journal takes over from there.
            cursor = queue.firstSeq.map { $0 - 1 } ?? cursor
            queue.removeAll()
            isCatchingUp = true
        } else {
            examine(entry, seq, now: now)
        }
    }

    /// Takes in the page that ``Action/read(after:limit:)`` asked for.
    ///
    /// Where it leaves something out, the log was trimmed faster than the subscriber reads.
    package mutating func supply(_ page: [JournalEntry], limit: Int, now: Instant) {
        guard phase == .running else { return }
        for entry in page {
            guard let seq = entry.seq, seq == cursor + 1 else { return phase = .lost }
            examine(entry, seq, now: now)
        }
        if page.count < limit, cursor < readTarget { phase = .lost }
        isCatchingUp = cursor < newest
    }

    private mutating func examine(_ entry: JournalEntry, _ seq: Int64, now: Instant) {
        cursor = seq
        if accepts(entry) {
            queue.append(entry.line, seq: seq)
        } else if seq > counted {
            leftOut += 1
            leftOutSince = leftOutSince ?? now
        }
        counted = max(counted, seq)
    }

    /// What to do now.
    package mutating func next(now: Instant) -> Action {
        if phase == .ended { return .end }
        if queue.count > 0 {
            let (messages, lastSeq) = queue.take(upTo: policy.batchBytes)
            told = lastSeq ?? told
            return .send(messages)
        }
        if phase == .draining { return .end }
        if phase == .lost { return .lost }
        let deadline = leftOutSince.map { $0 + policy.cursorInterval }
        if leftOut >= policy.cursorCount || deadline.map({ $0 <= now }) ?? false {
            leftOut = 0
            leftOutSince = nil
            if cursor > told {
                told = cursor
                return .send([.cursor(cursor)])
            }
        }
        if isCatchingUp {
            readTarget = newest
            return .read(after: cursor, limit: policy.pageSize)
        }
        return .wait(until: leftOutSince.map { $0 + policy.cursorInterval })
    }

    /// Sends what waits, and then ends.
    package mutating func drain() {
        if phase == .running { phase = .draining }
    }

    /// Ends now; what waits is not sent.
    package mutating func end() {
        phase = .ended
        queue.removeAll()
    }
}

/// The bounds of a subscription.
public struct SubscriptionPolicy: Sendable, Equatable {
    /// How many events may wait for one subscriber before it is fed from the journal.
    ///
    /// 512 is a long time of live events; their texts are shared by all subscribers.
    public var queueCapacity = 512
    /// How many events are read from the journal at once: enough that reading costs little for each, few enough that
    /// a subscriber that stops reading holds little, for what is read is its alone.
    public var pageSize = 64
    /// How many bytes of events are handed to the socket at once, at least one event.
    ///
    /// With as little more as may wait in its channel it is what a subscriber that stops reading holds besides; a
    /// thousand of them hold 20 MB.
    public var batchBytes = 16 << 10
    /// After so many events that the filter left out a `cursor` is sent; the interface names 10,000.
    public var cursorCount = 10_000
    /// So long after an event that the filter left out a `cursor` is sent; the interface names 60 s.
    public var cursorInterval = Duration.seconds(60)

    /// The usual bounds.
    public init() {}
}
