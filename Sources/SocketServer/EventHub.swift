import RPC
import Synchronization

/// Where events come in, and from where they go to every subscriber.
///
/// Whoever commits events to the journal publishes them here afterwards, in the journal's order. Publishing never
/// waits, neither for a subscriber nor for another task, so that the order of the calls is the order of the events.
public final class EventHub: Sendable {
    /// Whether a connection may see an event.
    ///
    /// It is asked once for each connection and event, so it must be fast.
    public typealias Visibility = @Sendable (JournalEntry, Connection) -> Bool

    /// How the subscriptions are doing.
    public struct Statistics: Sendable, Equatable {
        /// How many there are.
        public var subscriptions = 0
        /// How many of them are fed from the journal as they could not keep up, or began in the past.
        public var catchingUp = 0
        /// How many events wait in their queues.
        public var queued = 0
    }

    let journal: any EventJournal
    let policy: SubscriptionPolicy
    let isVisible: Visibility
    private let state: Mutex<State>

    private struct State {
        var newest: Int64
        /// In the order in which they came, which is the order in which they are told.
        var subscriptions: [Subscription] = []
        var news: [AsyncStream<Void>.Continuation] = []
    }

    /// A hub over a journal, at whose end it begins.
    ///
    /// Without `visibility`, what is addressed to someone is seen by the connections whose ``Connection/person``
    /// that is, and all else by everybody.
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
    /// - Complexity: O(events × subscriptions).
    public func publish(_ entries: [JournalEntry]) {
        guard !entries.isEmpty else { return }
        let now = ContinuousClock.now
        let idle = state.withLock { state in
            let before = state.newest
            state.newest = entries.reduce(before) { max($0, $1.seq ?? $0) }
            if state.newest > before { for reader in state.news { reader.yield() } }
            return state.subscriptions.compactMap { $0.offer(entries, now: now) }
        }
        SubscriptionPump.run(idle)
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
    public var isHeard: Bool { state.withLock { !$0.subscriptions.isEmpty } }

    /// How the subscriptions are doing now.
    public var statistics: Statistics {
        var statistics = Statistics()
        for subscription in state.withLock({ $0.subscriptions }) {
            let load = subscription.load
            statistics.subscriptions += 1
            statistics.catchingUp += load.isCatchingUp ? 1 : 0
            statistics.queued += load.queued
        }
        return statistics
    }

    /// Adds a subscription to what follows `seq`, or without one to what comes from now on.
    ///
    /// - Parameter last: the last event that the journal is known to have.
    /// - Returns: the subscription, and the number of the first event that it can get.
    func subscribe(
        _ connection: Connection, name: String, filter: EventFilter, after seq: Int64?, last: Int64
    ) -> (subscription: Subscription, next: Int64) {
        state.withLock { state in
            let cursor = seq ?? state.newest
            let start = SubscriptionState(
                after: cursor, newest: seq == nil ? state.newest : max(state.newest, last), policy: policy
            ) { [isVisible] in filter.matches($0) && isVisible($0, connection) }
            let subscription = Subscription(name: name, state: start)
            state.subscriptions.append(subscription)
            return (subscription, cursor + 1)
        }
    }

    /// Removes a subscription; it is offered nothing more.
    ///
    /// - Complexity: O(subscriptions).
    func remove(_ subscription: Subscription) {
        state.withLock { $0.subscriptions.removeAll { $0 === subscription } }
    }
}
