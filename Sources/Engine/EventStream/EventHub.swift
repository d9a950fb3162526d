public import Callers
import Synchronization
public import Tracking

/// Distributes published events to all subscribers.
///
/// A publisher commits events to the journal, then publishes them here in the journal's order. Publishing never waits
/// for a subscriber or another task, so that events are delivered in the order of the calls.
public final class EventHub: Sendable {
    /// Returns whether a caller may see an event.
    ///
    /// It is evaluated for each subscription and event on an event loop, so it must be fast.
    public typealias Visibility = @Sendable (EventRecord, Principal) -> Bool

    /// Figures about the subscriptions.
    public struct Statistics: Sendable, Equatable {
        /// The number of subscriptions.
        public var subscriptions = 0
        /// The number of subscriptions that read from the journal, because they were too slow or began in the past.
        public var catchingUp = 0
        /// The number of events waiting in the subscriptions' queues.
        public var queued = 0

        /// Creates figures that are all zero.
        package init() {}
    }

    /// Returns an event as a caller may see it, whom ``Visibility`` lets see it.
    ///
    /// It is evaluated as often as ``Visibility``.
    public typealias Discretion = @Sendable (EventRecord, Principal) -> EventRecord

    package let journal: any EventJournal
    package let policy: SubscriptionPolicy
    let isVisible: Visibility
    let shown: Discretion
    private let state: Mutex<State>

    private struct State {
        var newest: Int64
        var sinks: [any EventSink] = []
        var updates: [AsyncStream<Void>.Continuation] = []
    }

    /// Creates a hub that begins at the end of a journal.
    ///
    /// By default, only callers whose ``Principal/person`` is the recipient see an addressed event, and everybody
    /// sees all other events as they are.
    public init(
        journal: any EventJournal, policy: SubscriptionPolicy = SubscriptionPolicy(),
        visibility: @escaping Visibility = { $0.recipient == nil || $0.recipient == $1.person },
        discretion: @escaping Discretion = { event, _ in event }
    ) async throws {
        self.journal = journal
        self.policy = policy
        isVisible = { !$0.isDamaged && visibility($0, $1) }
        shown = discretion
        state = Mutex(State(newest: try await journal.bounds().last))
    }

    /// Publishes events in order: stored ones that have just been committed, and transient ones.
    ///
    /// If committed events were not published, subscribers notice the gap at the next stored event, and read the
    /// missing events from the journal.
    ///
    /// - Complexity: O(events) here, and O(events × subscriptions) on the event loops.
    public func publish(_ entries: [EventRecord]) {
        guard !entries.isEmpty else { return }
        let (sinks, readers) = state.withLock { state in
            let before = state.newest
            state.newest = entries.reduce(before) { max($0, $1.seq ?? $0) }
            return (state.sinks, state.newest > before ? state.updates : [])
        }
        for reader in readers { reader.yield() }
        for sink in sinks { sink.put(entries) }
    }

    /// Returns a stream that yields once at the beginning, and again whenever the log grows.
    ///
    /// Growth that occurs before the stream is read again yields only once.
    public func updates() -> AsyncStream<Void> {
        let (stream, reader) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.updates.append(reader) }
        reader.yield()
        return stream
    }

    /// Whether there are subscribers.
    ///
    /// If not, transient events need not be encoded.
    public var hasSubscribers: Bool { sinks.contains { $0.hasSubscribers } }

    /// The current figures, collected from all sinks.
    public var statistics: Statistics {
        get async {
            var statistics = Statistics()
            for sink in sinks { statistics += await sink.statistics() }
            return statistics
        }
    }

    /// Returns the condition that an event must meet to be sent to a caller with a given filter.
    package func acceptance(of filter: EventFilter, for principal: Principal) -> @Sendable (EventRecord) -> Bool {
        { [isVisible] in filter.matches($0) && isVisible($0, principal) }
    }

    /// Returns the function that gives an event's text in the form in which a caller receives it.
    package func line(for principal: Principal) -> @Sendable (EventRecord) -> [UInt8] {
        { [shown] in shown($0, principal).line }
    }

    /// Returns the next events of the log for a subscription, as ``SubscriptionState/supply(_:limit:now:)`` takes them.
    ///
    /// What the log can tell does not match the filter is passed over: one record stands for all of it.
    package func page(
        after seq: Int64, limit: Int, of filter: EventFilter, for principal: Principal
    ) async throws -> (entries: [EventRecord], limit: Int) {
        let query = filter.query()
        guard !query.acceptsAll else {
            return (try await journal.read(after: seq, limit: limit, for: principal), limit)
        }
        let step = try await journal.search(query, from: seq, .forward, limit: limit, for: principal)
        var entries: [EventRecord] = []
        // Where the log begins later, the subscription has lost events, and finds that out by the first record.
        var cursor = max(seq, step.bounds.first - 1)
        for event in step.events {
            guard let number = event.seq, let first = event.firstSeq else { continue }
            if first > cursor + 1 { entries.append(.damaged(first - 1, since: cursor + 1)) }
            entries.append(event)
            cursor = number
        }
        if step.reached > cursor { entries.append(.damaged(step.reached, since: cursor + 1)) }
        // A step that ends early is no sign that the log has ended.
        return (entries, entries.isEmpty ? limit : min(limit, entries.count))
    }

    /// The number of the last stored event that was published.
    package var newest: Int64 { state.withLock { $0.newest } }

    /// Adds a sink, which receives the events that are published from now on.
    package func add(_ sink: any EventSink) { state.withLock { $0.sinks.append(sink) } }

    private var sinks: [any EventSink] { state.withLock { $0.sinks } }
}

extension EventHub.Statistics {
    package static func += (sum: inout Self, more: Self) {
        sum.subscriptions += more.subscriptions
        sum.catchingUp += more.catchingUp
        sum.queued += more.queued
    }
}
