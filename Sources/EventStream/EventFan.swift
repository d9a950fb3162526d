import Synchronization

/// The subscriptions of a door whose subscribers take their events themselves, each by a task of its own.
package final class EventFan: EventSink {
    private let hub: EventHub
    private let state = Mutex(State())

    private struct State {
        /// Those who ask for the same, together: pages mostly do.
        var readers: [EventFilter: [ObjectIdentifier: SubscriptionReader]] = [:]
        var hasEnded = false

        var all: [SubscriptionReader] { readers.values.flatMap(\.values) }
    }

    /// No subscriptions yet.
    package init(_ hub: EventHub) {
        self.hub = hub
        hub.add(self)
    }

    /// Subscribes to what follows `seq`, or without one to what comes from now on.
    ///
    /// - Parameter last: the last event that the journal is known to have.
    /// - Returns: the subscription, and the number of the event that it begins after.
    package func subscribe(
        _ principal: Principal, to filter: EventFilter, after seq: Int64?, last: Int64
    ) -> (reader: SubscriptionReader, after: Int64) {
        let reader = SubscriptionReader(hub, principal, filter)
        // Before the hub is asked how far it is: what it publishes later comes here.
        let hasEnded = state.withLock { state in
            state.readers[filter, default: [:]][ObjectIdentifier(reader)] = reader
            return state.hasEnded
        }
        let newest = hub.newest
        let cursor = seq ?? newest
        reader.begin(
            SubscriptionState(
                after: cursor, newest: seq == nil ? newest : max(newest, last), policy: hub.policy,
                accepts: hub.acceptance(of: filter, for: principal)))
        if hasEnded { reader.end() }
        return (reader, cursor)
    }

    /// Ends a subscription.
    package func remove(_ reader: SubscriptionReader) {
        reader.end()
        state.withLock { state in
            state.readers[reader.filter]?[ObjectIdentifier(reader)] = nil
            if state.readers[reader.filter]?.isEmpty ?? false { state.readers[reader.filter] = nil }
        }
    }

    /// Ends all subscriptions, also those to come.
    package func end() {
        let readers = state.withLock { state in
            state.hasEnded = true
            return state.all
        }
        for reader in readers { reader.end() }
    }

    /// Has each subscriber who waits know that time has passed.
    package func beat() {
        for reader in state.withLock({ $0.all }) { reader.beat() }
    }

    package var isHeard: Bool { state.withLock { !$0.readers.isEmpty } }

    package func put(_ entries: [JournalEntry]) {
        for (filter, readers) in state.withLock({ $0.readers }) {
            // Kept events go to all, who know by their numbers how far they are.
            let wanted = entries.filter { $0.seq != nil || filter.matches($0) }
            guard !wanted.isEmpty else { continue }
            for reader in readers.values { reader.put(wanted) }
        }
    }

    package func statistics() async -> EventHub.Statistics {
        state.withLock { $0.all }.reduce(into: EventHub.Statistics()) { $0 += $1.statistics }
    }
}

/// One subscription, whose events one task takes as it can send them.
package final class SubscriptionReader: Sendable {
    /// How many events may wait to be looked at; of more the oldest are dropped, which is noticed by the gap, and read
    /// from the journal.
    private static let capacity = 4_096

    /// For whom it is.
    package let principal: Principal
    fileprivate let filter: EventFilter
    private let hub: EventHub
    /// What others leave here; apart from the subscription, whose filter may take a look into the store.
    private let inbox = Mutex(Inbox())
    private let subscription = Mutex<SubscriptionState?>(nil)
    private let news: AsyncStream<Void>
    private let reporter: AsyncStream<Void>.Continuation

    private struct Inbox {
        var entries: [JournalEntry] = []
        var hasBeaten = false
        var hasEnded = false
    }

    /// Events that should follow are no longer kept.
    package struct Lost: Error {}

    fileprivate init(_ hub: EventHub, _ principal: Principal, _ filter: EventFilter) {
        self.hub = hub
        self.principal = principal
        self.filter = filter
        (news, reporter) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
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

    fileprivate func put(_ entries: [JournalEntry]) {
        inbox.withLock { inbox in
            inbox.entries += entries
            inbox.entries.removeFirst(max(0, inbox.entries.count - Self.capacity))
        }
        reporter.yield()
    }

    fileprivate func beat() {
        inbox.withLock { $0.hasBeaten = true }
        reporter.yield()
    }

    /// Ends it; what waits is not sent.
    package func end() {
        inbox.withLock { $0.hasEnded = true }
        reporter.yield()
    }

    /// What is to be sent next, or nothing where time has passed; nil where the subscription or the task has ended.
    ///
    /// One task may wait for it at a time.
    /// - Throws: ``Lost`` where the log was trimmed faster than it was read, and what the journal throws.
    package func next() async throws -> [SubscriptionState.Message]? {
        var arrivals = news.makeAsyncIterator()
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
                let page = try await hub.journal.read(after: seq, limit: limit, for: principal)
                subscription.withLock { $0?.supply(page, limit: limit, now: .now) }
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
