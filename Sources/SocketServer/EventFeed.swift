import EventStream
import NIOCore
import Synchronization

/// The way of events to the subscribers of one event loop.
///
/// Whoever publishes leaves events here and goes on; the loop is woken once, however many events or subscribers there
/// are, and offers them to its subscribers.
final class EventFeed: EventSink {
    /// How many events may wait until the loop comes to them.
    ///
    /// As many as a replay commits at once. Of more the oldest are dropped, which subscribers notice by the gap, and
    /// read from the journal.
    static let capacity = 4_096

    /// Whose subscribers they are.
    let eventLoop: any EventLoop
    private let state = Mutex(State())

    private struct State {
        var entries: [JournalEntry] = []
        var subscribers: [Subscriber] = []
    }

    /// No subscribers yet.
    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// Whether there are subscribers.
    var isHeard: Bool { state.withLock { !$0.subscribers.isEmpty } }

    /// Has a subscriber offered what is published from now on, and perhaps a little of before.
    func add(_ subscriber: Subscriber) {
        state.withLock { state in
            if !state.subscribers.contains(where: { $0 === subscriber }) { state.subscribers.append(subscriber) }
        }
    }

    /// Removes a subscriber, if it is there; to be called on the loop.
    ///
    /// - Complexity: O(subscribers).
    func remove(_ subscriber: Subscriber) {
        state.withLock { $0.subscribers.removeAll { $0 === subscriber } }
    }

    /// Leaves events for the subscribers; never waits for the loop.
    func put(_ entries: [JournalEntry]) {
        let isFirst = state.withLock { state in
            guard !state.subscribers.isEmpty else { return false }
            let wasEmpty = state.entries.isEmpty
            state.entries += entries
            state.entries.removeFirst(max(0, state.entries.count - Self.capacity))
            return wasEmpty
        }
        if isFirst { eventLoop.execute { self.deliver() } }
    }

    private func deliver() {
        let (entries, subscribers) = state.withLock { state in
            defer { state.entries = [] }
            return (state.entries, state.subscribers)
        }
        let now = ContinuousClock.now
        for subscriber in subscribers { subscriber.offer(entries, now: now) }
    }

    /// How the subscriptions of this loop are doing now.
    func statistics() async -> EventHub.Statistics {
        let subscribers = state.withLock { $0.subscribers }
        let statistics = eventLoop.submit {
            subscribers.reduce(into: EventHub.Statistics()) { $0 += $1.statistics }
        }
        // It never fails.
        return (try? await statistics.get()) ?? EventHub.Statistics()
    }
}

/// The ways of a hub's events to event loops, one for each that has had a subscriber.
final class EventFeeds: Sendable {
    /// Where the events come from.
    let hub: EventHub
    private let feeds = Mutex<[EventFeed]>([])

    /// None yet.
    init(_ hub: EventHub) { self.hub = hub }

    /// The way to the subscribers of an event loop.
    func feed(of eventLoop: any EventLoop) -> EventFeed {
        if let known = feeds.withLock({ $0.first { $0.eventLoop === eventLoop } }) { return known }
        // The hub has it before anybody subscribes. Where two make one, the hub keeps another that nobody subscribes to.
        let new = EventFeed(eventLoop)
        hub.add(new)
        return feeds.withLock { feeds in
            if let known = feeds.first(where: { $0.eventLoop === eventLoop }) { return known }
            feeds.append(new)
            return new
        }
    }
}
