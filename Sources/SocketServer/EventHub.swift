import NIOCore
import RPC
import Synchronization

/// Where events come in, and from where they go to every subscriber.
///
/// Whoever commits events to the journal publishes them here afterwards, in the journal's order. Publishing never
/// waits, neither for a subscriber nor for another task, so that the order of the calls is the order of the events.
public final class EventHub: Sendable {
    /// Whether a connection may see an event.
    ///
    /// It is asked once for each subscription and event, on an event loop, so it must be fast.
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
        var feeds: [EventFeed] = []
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
    /// - Complexity: O(events) here, and O(events × subscriptions) on the event loops.
    public func publish(_ entries: [JournalEntry]) {
        guard !entries.isEmpty else { return }
        let (feeds, readers) = state.withLock { state in
            let before = state.newest
            state.newest = entries.reduce(before) { max($0, $1.seq ?? $0) }
            return (state.feeds, state.newest > before ? state.news : [])
        }
        for reader in readers { reader.yield() }
        for feed in feeds { feed.put(entries) }
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
    public var isHeard: Bool { feeds.contains { $0.isHeard } }

    /// How the subscriptions are doing now, once the event loops have answered.
    public var statistics: Statistics {
        get async {
            var statistics = Statistics()
            for feed in feeds { statistics += await feed.statistics() }
            return statistics
        }
    }

    /// Which events a connection is sent that asks for these.
    func acceptance(of filter: EventFilter, for connection: Connection) -> @Sendable (JournalEntry) -> Bool {
        { [isVisible] in filter.matches($0) && isVisible($0, connection) }
    }

    /// The number of the last kept event that was published.
    var newest: Int64 { state.withLock { $0.newest } }

    /// The way of events to the subscribers of an event loop.
    func feed(of eventLoop: any EventLoop) -> EventFeed {
        let new = EventFeed(eventLoop)
        return state.withLock { state in
            if let known = state.feeds.first(where: { $0.eventLoop === eventLoop }) { return known }
            state.feeds.append(new)
            return new
        }
    }

    private var feeds: [EventFeed] { state.withLock { $0.feeds } }
}

extension EventHub.Statistics {
    static func += (sum: inout Self, more: Self) {
        sum.subscriptions += more.subscriptions
        sum.catchingUp += more.catchingUp
        sum.queued += more.queued
    }
}
