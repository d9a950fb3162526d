import EventStream
import NIOCore
import Synchronization
import Tracking

/// Transfers events to the subscribers on one event loop.
///
/// A publisher stores events here and continues. The loop is woken once, regardless of the number of events and
/// subscribers, and offers the events to its subscribers.
final class EventFeed: EventSink {
    /// The maximum number of events waiting for the loop, which is the number that a replay commits at once.
    ///
    /// Beyond it the oldest are dropped. Subscribers notice the gap, and read the dropped events from the journal.
    static let capacity = 4_096

    /// The event loop of the subscribers.
    let eventLoop: any EventLoop
    private let state = Mutex(State())

    private struct State {
        var entries: [EventRecord] = []
        var subscribers: [Subscriber] = []
    }

    /// Creates a feed without subscribers.
    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    var hasSubscribers: Bool { state.withLock { !$0.subscribers.isEmpty } }

    /// Adds a subscriber.
    ///
    /// It is offered all events published from now on, and possibly a few earlier ones.
    func add(_ subscriber: Subscriber) {
        state.withLock { state in
            if !state.subscribers.contains(where: { $0 === subscriber }) { state.subscribers.append(subscriber) }
        }
    }

    /// Removes a subscriber if it is present.
    ///
    /// Must be called on the event loop.
    ///
    /// - Complexity: O(subscribers).
    func remove(_ subscriber: Subscriber) {
        state.withLock { $0.subscribers.removeAll { $0 === subscriber } }
    }

    /// Stores events for the subscribers without waiting for the event loop.
    func put(_ entries: [EventRecord]) {
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
        var lines = EventLines()
        for subscriber in subscribers { subscriber.offer(entries, now: now, &lines) }
    }

    /// Returns the figures about this loop's subscriptions.
    func statistics() async -> EventHub.Statistics {
        let subscribers = state.withLock { $0.subscribers }
        let statistics = eventLoop.submit {
            subscribers.reduce(into: EventHub.Statistics()) { $0 += $1.statistics }
        }
        // This future never fails.
        return (try? await statistics.get()) ?? EventHub.Statistics()
    }
}

/// The feeds of a hub, one for each event loop that has had a subscriber.
final class EventFeeds: Sendable {
    /// The hub whose events the feeds transfer.
    let hub: EventHub
    private let feeds = Mutex<[EventFeed]>([])

    /// Creates a set without feeds.
    init(_ hub: EventHub) { self.hub = hub }

    /// Returns the feed of an event loop, and creates it on first use.
    func feed(of eventLoop: any EventLoop) -> EventFeed {
        if let known = feeds.withLock({ $0.first { $0.eventLoop === eventLoop } }) { return known }
        // The hub gets the feed before anybody subscribes. If two tasks create one, the hub keeps a second, unused
        // feed.
        let new = EventFeed(eventLoop)
        hub.add(new)
        return feeds.withLock { feeds in
            if let known = feeds.first(where: { $0.eventLoop === eventLoop }) { return known }
            feeds.append(new)
            return new
        }
    }
}
