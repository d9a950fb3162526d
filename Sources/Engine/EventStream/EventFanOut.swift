package import Callers
import Synchronization
package import Tracking

/// The subscriptions of a door that runs one task for each subscriber.
package final class EventFanOut: EventSink {
    private let hub: EventHub
    private let state = Mutex(State())

    private struct State {
        /// The readers, grouped by their filters.
        ///
        /// Most pages ask for the same events, so a filter is evaluated once for all of them.
        var readers: [EventFilter: [ObjectIdentifier: SubscriptionReader]] = [:]
        var hasEnded = false

        var all: [SubscriptionReader] { readers.values.flatMap(\.values) }
    }

    /// Creates a fan without subscriptions, and adds it to the hub.
    package init(_ hub: EventHub) {
        self.hub = hub
        hub.add(self)
    }

    /// Subscribes to the events after `seq`, or to future events only if `seq` is `nil`.
    ///
    /// - Parameter last: The number of the last event known to be in the journal.
    /// - Returns: The subscription, and the number of the event that it begins after.
    package func subscribe(
        _ principal: Principal, to filter: EventFilter, after seq: Int64?, last: Int64
    ) -> (reader: SubscriptionReader, after: Int64) {
        let reader = SubscriptionReader(hub, principal, filter)
        // Registered before `newest` is read, so that the reader receives whatever the hub publishes afterwards.
        let hasEnded = state.withLock { state in
            state.readers[filter, default: [:]][ObjectIdentifier(reader)] = reader
            return state.hasEnded
        }
        let newest = hub.newest
        let cursor = seq ?? newest
        reader.begin(
            SubscriptionState(
                after: cursor, newest: seq == nil ? newest : max(newest, last), policy: hub.policy,
                accepts: hub.acceptance(of: filter, for: principal), line: hub.line(for: principal)))
        if hasEnded { reader.end() }
        return (reader, cursor)
    }

    /// Ends and removes a subscription.
    package func remove(_ reader: SubscriptionReader) {
        reader.end()
        state.withLock { state in
            state.readers[reader.filter]?[ObjectIdentifier(reader)] = nil
            if state.readers[reader.filter]?.isEmpty ?? false { state.readers[reader.filter] = nil }
        }
    }

    /// Ends all subscriptions, including later ones.
    package func end() {
        let readers = state.withLock { state in
            state.hasEnded = true
            return state.all
        }
        for reader in readers { reader.end() }
    }

    /// Makes each waiting reader return an empty batch, so that its door can send a heartbeat.
    package func sendHeartbeats() {
        for reader in state.withLock({ $0.all }) { reader.sendHeartbeats() }
    }

    package var hasSubscribers: Bool { state.withLock { !$0.readers.isEmpty } }

    package func put(_ entries: [EventRecord]) {
        for (filter, readers) in state.withLock({ $0.readers }) {
            // All readers get stored events, because they track their position by the events' numbers.
            let wanted = entries.filter { $0.seq != nil || filter.matches($0) }
            guard !wanted.isEmpty else { continue }
            for reader in readers.values { reader.put(wanted) }
        }
    }

    package func statistics() async -> EventHub.Statistics {
        state.withLock { $0.all }.reduce(into: EventHub.Statistics()) { $0 += $1.statistics }
    }
}

/// A subscription whose events one task reads at its own pace.
package final class SubscriptionReader: Sendable {
    /// The maximum number of unread events.
    ///
    /// Beyond it the oldest are dropped. The reader notices the gap, and reads the dropped events from the journal.
    private static let capacity = 4_096

    /// The caller who subscribed.
    package let principal: Principal
    fileprivate let filter: EventFilter
    private let hub: EventHub
    /// The events and signals from other threads.
    ///
    /// It has its own lock because the subscription's filter may read the store while it holds the other one.
    private let inbox = Mutex(Inbox())
    private let subscription = Mutex<SubscriptionState?>(nil)
    private let updates: AsyncStream<Void>
    private let reporter: AsyncStream<Void>.Continuation

    private struct Inbox {
        var entries: [EventRecord] = []
        var hasBeaten = false
        var hasEnded = false
    }

    /// The error that the next events are no longer in the log.
    package struct Lost: Error {}

    fileprivate init(_ hub: EventHub, _ principal: Principal, _ filter: EventFilter) {
        self.hub = hub
        self.principal = principal
        self.filter = filter
        (updates, reporter) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    fileprivate func begin(_ state: SubscriptionState) { subscription.withLock { $0 = state } }

    fileprivate var statistics: EventHub.Statistics {
        let waiting = inbox.withLock { $0.entries.count }
        return subscription.withLock { state in
            var statistics = EventHub.Statistics()
            statistics.subscriptions = 1
            statistics.catchingUp = state?.isCatchingUp ?? false ? 1 : 0
            statistics.queued = waiting + (state?.queued ?? 0)
            return statistics
        }
    }

    fileprivate func put(_ entries: [EventRecord]) {
        inbox.withLock { inbox in
            inbox.entries += entries
            inbox.entries.removeFirst(max(0, inbox.entries.count - Self.capacity))
        }
        reporter.yield()
    }

    fileprivate func sendHeartbeats() {
        inbox.withLock { $0.hasBeaten = true }
        reporter.yield()
    }

    /// Ends the subscription.
    ///
    /// Unread events are discarded.
    package func end() {
        inbox.withLock { $0.hasEnded = true }
        reporter.yield()
    }

    /// Waits for the next messages to send.
    ///
    /// Only one task at a time may wait.
    ///
    /// - Returns: The messages; an empty array after ``EventFanOut/sendHeartbeats()``; `nil` if the subscription or the task has
    ///   ended.
    /// - Throws: ``Lost`` if the log was trimmed faster than it was read, or the journal's error.
    package func next() async throws -> [SubscriptionState.Message]? {
        var arrivals = updates.makeAsyncIterator()
        while !Task.isCancelled {
            let (entries, hasEnded) = inbox.withLock { inbox in
                defer { inbox.entries = [] }
                return (inbox.entries, inbox.hasEnded)
            }
            if hasEnded { return nil }
            let action = subscription.withLock { state in
                _ = state?.offer(entries, now: .now)
                return state?.next(now: .now) ?? .end
            }
            switch action {
            case .send(let messages): return messages
            case .read(let seq, let limit):
                let page = try await hub.page(after: seq, limit: limit, of: filter, for: principal)
                subscription.withLock { $0?.supply(page.entries, limit: page.limit, now: .now) }
            case .wait:
                if inbox.withLock({ inbox in
                    defer { inbox.hasBeaten = false }
                    return inbox.hasBeaten
                }) {
                    return []
                }
                guard await arrivals.next() != nil else { return nil }
            case .end: return nil
            case .lost: throw Lost()
            }
        }
        return nil
    }
}
