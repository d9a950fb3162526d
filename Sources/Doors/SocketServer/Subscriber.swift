import Callers
import EventStream
import NIOCore
import RPC
import Tracking

/// The subscriptions of one connection, which sends their events.
///
/// All state is confined to the connection's event loop, without a lock. Therefore code that is called on the way,
/// such as a look-up of the signed-in person, can never deadlock with it. Functions that are not `async` must be
/// called on that loop.
///
/// The subscriptions take turns, and nothing is added while output is unsent. Therefore a client that stops reading
/// holds one batch, however many subscriptions it has.
final class Subscriber: Subscriptions {
    /// The maximum number of subscriptions of a connection; the interface specifies 16.
    static let maximumSubscriptions = 16

    private let channel: any Channel
    private let hub: EventHub
    private let feed: EventFeed
    /// The user's quota of subscriptions, from which each subscription takes one.
    private let quota: Quota
    /// Reports the errors of the journal.
    private let report: @Sendable (any Error) -> Void
    private let guarded: NIOLoopBoundBox<State>

    /// A class, so that the check of the event loop is made once for several steps, and the state is never copied.
    private final class State {
        /// The subscriptions, in the order of their creation.
        var subscriptions: [Subscription] = []
        var named = 0
        /// The way to the socket; `nil` before the first subscription.
        var output: DirectOutput?
        /// The index of the subscription whose turn is next.
        var turn = 0
        /// Whether a call of ``work()`` is scheduled, for when the output is sent or other connections have had their
        /// turn.
        var isAwaited = false
        var isDraining = false
        var hasEnded = false
        var timer: (deadline: ContinuousClock.Instant, task: Scheduled<Void>)?
        /// Completed when there are no more subscriptions.
        var finished: EventLoopPromise<Void>?

        /// Whether an event of a subscription can be sent now.
        func canSend(at index: Int) -> Bool {
            !isAwaited && subscriptions[index].isStarted && !subscriptions[index].isReading
        }
    }

    private struct Subscription {
        let name: String
        let principal: Principal
        let filter: EventFilter
        var state: SubscriptionState
        /// Whether the answer that names the subscription is sent.
        ///
        /// No event precedes it.
        var isStarted = false
        /// Whether a page of the journal is being read.
        var isReading = false
        /// The time at which the subscription must be asked again.
        var deadline: ContinuousClock.Instant?
    }

    /// Creates a subscriber without subscriptions.
    init(
        _ channel: any Channel, _ feeds: EventFeeds, of quota: Quota,
        report: @escaping @Sendable (any Error) -> Void
    ) {
        self.channel = channel
        hub = feeds.hub
        feed = feeds.feed(of: channel.eventLoop)
        self.quota = quota
        self.report = report
        guarded = .makeBoxSendingValue(State(), eventLoop: channel.eventLoop)
    }

    /// The number of batches sent before other connections have their turn.
    private static let batchesInTurn = 4

    private var eventLoop: any EventLoop { channel.eventLoop }
    private var state: State { guarded.value }

    /// The figures about the subscriptions.
    var statistics: EventHub.Statistics {
        var statistics = EventHub.Statistics()
        for subscription in state.subscriptions {
            statistics.subscriptions += 1
            statistics.catchingUp += subscription.state.isCatchingUp ? 1 : 0
            statistics.queued += subscription.state.queued
        }
        return statistics
    }

    // MARK: Subscribing

    /// Subscribes to the events after `seq`, or to future events only if `seq` is `nil`.
    ///
    /// Nothing is sent before ``start()``.
    ///
    /// - Parameter last: The number of the last event known to be in the journal.
    /// - Returns: The name of the subscription, and the number of the first event that it can receive.
    /// - Throws: ``Refusal`` if a limit of subscriptions is reached, ``SocketError`` if the connection has ended.
    func subscribe(
        _ principal: Principal, to filter: EventFilter, after seq: Int64?, last: Int64
    ) async throws -> (name: String, next: Int64) {
        try await eventLoop.submit { [self] in
            guard !state.hasEnded else { throw SocketError(.disconnected, "The connection has ended.") }
            guard state.subscriptions.count < Self.maximumSubscriptions else {
                throw Refusal.unavailable(
                    "A connection can have at most \(Self.maximumSubscriptions) subscriptions. "
                        + "End one, or open another connection."
                )
            }
            guard quota.reserve(1) else {
                throw Refusal.unavailable(
                    "Your connections have \(quota.bound) subscriptions, the maximum for a user. End some.")
            }
            // Registered before `newest` is read, so that this subscriber receives whatever the hub publishes
            // afterwards.
            feed.add(self)
            let newest = hub.newest
            let cursor = seq ?? newest
            var new = SubscriptionState(
                after: cursor, newest: seq == nil ? newest : max(newest, last), policy: hub.policy,
                accepts: hub.acceptance(of: filter, for: principal), line: hub.line(for: principal))
            if state.isDraining { new.drain() }
            state.output = state.output ?? DirectOutput(channel)
            state.named += 1
            let name = "s\(state.named)"
            state.subscriptions.append(
                Subscription(name: name, principal: principal, filter: filter, state: new))
            return (name, cursor + 1)
        }.get()
    }

    /// Ends a subscription.
    ///
    /// Nothing of it is sent after the function returns.
    ///
    /// - Returns: Whether there was a subscription with that name.
    func unsubscribe(_ name: String) async throws -> Bool {
        try await eventLoop.submit { [self] in
            guard let index = state.subscriptions.firstIndex(where: { $0.name == name }) else { return false }
            remove(at: index)
            return true
        }.get()
    }

    /// Starts sending on all subscriptions, because the answers that name them are on their way.
    func start() {
        for index in state.subscriptions.indices { state.subscriptions[index].isStarted = true }
        work()
    }

    /// Lets all subscriptions, including later ones, send their queued events and then end.
    func drain() {
        state.isDraining = true
        for index in state.subscriptions.indices { state.subscriptions[index].state.drain() }
        work()
    }

    /// Ends all subscriptions immediately.
    ///
    /// No new ones are accepted.
    func end() {
        state.hasEnded = true
        quota.release(state.subscriptions.count)
        state.subscriptions = []
        finish()
    }

    /// Waits until there are no subscriptions.
    func waitUntilFinished() async {
        let finished = eventLoop.flatSubmit { [self] in
            guard !state.subscriptions.isEmpty else { return eventLoop.makeSucceededVoidFuture() }
            let promise = state.finished ?? eventLoop.makePromise()
            state.finished = promise
            return promise.futureResult
        }
        // This future never fails.
        try? await finished.get()
    }

    private func remove(at index: Int) {
        state.subscriptions.remove(at: index)
        quota.release(1)
        if state.subscriptions.isEmpty { finish() }
    }

    private func finish() {
        feed.remove(self)
        state.timer?.task.cancel()
        state.timer = nil
        state.finished?.succeed()
        state.finished = nil
    }

    // MARK: Sending

    /// Offers events to all subscriptions; see ``SubscriptionState/offer(_:now:)-([EventRecord],_)``.
    ///
    /// A single event, which is the usual case, is sent without being queued.
    ///
    /// - Parameter lines: The lines that the subscribers of this event loop share.
    func offer(_ entries: [EventRecord], now: ContinuousClock.Instant, _ lines: inout EventLines) {
        let state = state
        let single = entries.count == 1 ? entries.first : nil
        var hasWork = false
        var index = 0
        // A failed write ends the subscriptions.
        while index < state.subscriptions.count {
            defer { index += 1 }
            guard let single, let output = state.output, state.canSend(at: index) else {
                if state.subscriptions[index].state.offer(entries, now: now) { hasWork = true }
                continue
            }
            switch state.subscriptions[index].state.offer(single, now: now) {
            case .line(let line):
                if !output.send(lines.buffer(line, of: state.subscriptions[index].name)) { comeBackWhenSent() }
            case .change: hasWork = true
            case .nothing: break
            }
        }
        if hasWork { work() }
    }

    /// Sends what the subscriptions have, up to the limit of a turn, and schedules the next call if there is more.
    private func work() {
        guard !state.isAwaited else { return }
        for _ in 0..<Self.batchesInTurn {
            guard let batch = nextBatch() else { return setTimer() }
            channel.writeAndFlush(batch, promise: nil)
            // The rest is written when the client reads again. Nothing is added before.
            guard channel.isWritable else { return comeBackWhenSent() }
        }
        state.isAwaited = true
        eventLoop.execute { self.comeBack() }
    }

    private func comeBack() {
        state.isAwaited = false
        work()
    }

    private func comeBackWhenSent() {
        state.isAwaited = true
        let sent = eventLoop.makePromise(of: Void.self)
        // If this fails, the channel is closed, which ends the subscriptions.
        sent.futureResult.whenSuccess { self.eventLoop.execute { self.comeBack() } }
        channel.writeAndFlush(ByteBuffer(), promise: sent)
    }

    /// Returns the next batch, from each subscription in turn; `nil` if none has anything to send.
    private func nextBatch() -> ByteBuffer? {
        var rest = state.subscriptions.count
        while rest > 0, !state.subscriptions.isEmpty {
            rest -= 1
            let index = state.turn % state.subscriptions.count
            state.turn = index + 1
            guard state.subscriptions[index].isStarted, !state.subscriptions[index].isReading else {
                continue
            }
            let name = state.subscriptions[index].name
            switch state.subscriptions[index].state.next(now: .now) {
            case .send(let messages): return EventLines.buffer(messages, of: name)
            case .read(let seq, let limit):
                state.subscriptions[index].isReading = true
                read(after: seq, limit, for: state.subscriptions[index])
            case .wait(let deadline): state.subscriptions[index].deadline = deadline
            case .end:
                state.turn = index
                remove(at: index)
            // The log was trimmed faster than it was read.
            case .lost: channel.close(promise: nil)
            }
        }
        return nil
    }

    private func read(after seq: Int64, _ limit: Int, for subscription: Subscription) {
        let (name, principal, filter) = (subscription.name, subscription.principal, subscription.filter)
        Task { [self] in
            do {
                let page = try await hub.page(after: seq, limit: limit, of: filter, for: principal)
                eventLoop.execute { self.supply(page.entries, limit: page.limit, to: name) }
            } catch {
                report(error)
                channel.close(promise: nil)
            }
        }
    }

    private func supply(_ page: [EventRecord], limit: Int, to name: String) {
        guard let index = state.subscriptions.firstIndex(where: { $0.name == name }) else { return }
        state.subscriptions[index].isReading = false
        state.subscriptions[index].state.supply(page, limit: limit, now: .now)
        work()
    }

    /// Schedules ``work()`` for the earliest deadline of a subscription.
    private func setTimer() {
        let deadline = state.subscriptions.compactMap(\.deadline).min()
        guard deadline != state.timer?.deadline else { return }
        state.timer?.task.cancel()
        state.timer = deadline.map { deadline in
            let task = eventLoop.scheduleTask(in: TimeAmount(ContinuousClock.now.duration(to: deadline))) {
                self.state.timer = nil
                self.work()
            }
            return (deadline, task)
        }
    }
}
