import Synchronization

/// A subscription that events are offered to on one side and taken from on the other.
///
/// It guards a ``SubscriptionState`` and wakes whoever takes.
final class Subscription: Sendable {
    /// Its name within its connection, such as s1.
    let name: String
    private let state: Mutex<SubscriptionState>
    private let wakes: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation
    private let finished: AsyncStream<Never>
    private let finisher: AsyncStream<Never>.Continuation

    /// A subscription in this state.
    init(name: String, state: SubscriptionState) {
        self.name = name
        self.state = Mutex(state)
        (wakes, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (finished, finisher) = AsyncStream.makeStream()
    }

    /// How many events wait, and whether they come from the journal.
    var load: (queued: Int, isCatchingUp: Bool) { state.withLock { ($0.queued, $0.isCatchingUp) } }

    /// See ``SubscriptionState/offer(_:now:)``.
    func offer(_ entries: [JournalEntry], now: ContinuousClock.Instant) {
        if state.withLock({ $0.offer(entries, now: now) }) { wake() }
    }

    /// See ``SubscriptionState/supply(_:limit:now:)``.
    func supply(_ page: [JournalEntry], limit: Int) {
        state.withLock { $0.supply(page, limit: limit, now: .now) }
    }

    /// See ``SubscriptionState/next(now:)``.
    func next() -> SubscriptionState.Step {
        state.withLock { $0.next(now: .now) }
    }

    /// Sends what waits, and then ends.
    func drain() {
        state.withLock { $0.drain() }
        wake()
    }

    /// Ends now.
    func end() {
        state.withLock { $0.end() }
        wake()
    }

    /// Makes the taker look again.
    func wake() { waker.yield() }

    /// Waits to be woken; returns at once where that happened since the last time.
    ///
    /// Only one taker may wait.
    func wait() async {
        var iterator = wakes.makeAsyncIterator()
        await iterator.next()
    }

    /// The taker has sent its last.
    func finish() { finisher.finish() }

    /// Waits until the taker has sent its last.
    func waitUntilFinished() async {
        for await _ in finished {}
    }
}
