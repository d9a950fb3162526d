import Synchronization

/// Where events come in, and from where they go to every subscriber.
///
/// Whoever commits events to the journal publishes them here afterwards, in the journal's order. Publishing never
/// waits, neither for a subscriber nor for another task, so that the order of the calls is the order of the events.
public final class EventHub: Sendable {
    /// Whether a caller may see an event.
    ///
    /// It is asked once for each subscription and event, on an event loop, so it must be fast.
    public typealias Visibility = @Sendable (JournalEntry, Principal) -> Bool

    /// How the subscriptions are doing.
    public struct Statistics: Sendable, Equatable {
        /// How many there are.
        public var subscriptions = 0
        /// How many of them are fed from the journal as they could not keep up, or began in the past.
        public var catchingUp = 0
        /// How many events wait in their queues.
        public var queued = 0

        /// None.
        package init() {}
    }

    package let journal: any EventJournal
    package let policy: SubscriptionPolicy
    let isVisible: Visibility
    private let state: Mutex<State>

    private struct State {
        var newest: Int64
        var sinks: [any EventSink] = []
        var news: [AsyncStream<Void>.Continuation] = []
    }

    /// A hub over a journal, at whose end it begins.
    ///
    /// Without `visibility`, what is addressed to someone is seen by the callers whose ``Principal/person`` that
    /// is, and all else by everybody.
    public init(
        journal: any EventJournal, policy: SubscriptionPolicy = SubscriptionPolicy(),
        visibility: @escaping Visibility = { $0.recipient == nil || $0.recipient == $1.person }
    ) async throws {
        self.journal = journal
        self.policy = policy
        isVisible = visibility
        state = Mutex(State(newest: try await journal.bounds().last))
    }

    /// Tells subscribers of events: kept ones just committed, and ones that are not kept, in order.
    ///
    /// What was committed and not published is noticed by the next kept event, and then read from the journal.
    /// - Complexity: O(events) here, and O(events × subscriptions) on the event loops.
    public func publish(_ entries: [JournalEntry]) {
        guard !entries.isEmpty else { return }
        let (sinks, readers) = state.withLock { state in
            let before = state.newest
            state.newest = entries.reduce(before) { max($0, $1.seq ?? $0) }
            return (state.sinks, state.newest > before ? state.news : [])
        }
        for reader in readers { reader.yield() }
        for sink in sinks { sink.put(entries) }
    }

    /// Says at once, and each time the log has grown, that there is something to read; once where it has grown more
    /// often since it was last heard.
    public func news() -> AsyncStream<Void> {
        let (stream, reader) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.news.append(reader) }
        reader.yield()
        return stream
    }

    /// Whether anybody has subscribed; what is not kept need not be written for nobody.
    public var isHeard: Bool { sinks.contains { $0.isHeard } }

    /// How the subscriptions are doing now, once the sinks have answered.
    public var statistics: Statistics {
        get async {
            var statistics = Statistics()
            for sink in sinks { statistics += await sink.statistics() }
            return statistics
        }
    }

    /// Which events a caller is sent that asks for these.
    package func acceptance(of filter: EventFilter, for principal: Principal) -> @Sendable (JournalEntry) -> Bool {
        { [isVisible] in filter.matches($0) && isVisible($0, principal) }
    }

    /// The number of the last kept event that was published.
    package var newest: Int64 { state.withLock { $0.newest } }

    /// Has events that are published from now on put into a sink too.
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
