import Synchronization

/// A subscription that events are offered to on one side and taken from on the other.
///
/// It guards a ``SubscriptionState``, and knows whether its pump has nothing to do: whoever changes that runs the pump.
final class Subscription: Sendable {
    /// Its name within its connection, such as s1.
    let name: String
    private let guarded: Mutex<Guarded>

    private struct Guarded {
        var state: SubscriptionState
        /// What takes from it; nil before it is started and after it has finished.
        var pump: SubscriptionPump?
        /// Whether the pump waits to be run.
        var isIdle = false
        var isFinished = false
        /// Those who wait until it has finished.
        var waiting: [CheckedContinuation<Void, Never>] = []

        /// The pump, if it waits; the caller is to run it.
        mutating func takeIdlePump() -> SubscriptionPump? {
            guard isIdle else { return nil }
            isIdle = false
            return pump
        }
    }

    /// A subscription in this state.
    init(name: String, state: SubscriptionState) {
        self.name = name
        guarded = Mutex(Guarded(state: state))
    }

    /// How many events wait, and whether they come from the journal.
    var load: (queued: Int, isCatchingUp: Bool) { guarded.withLock { ($0.state.queued, $0.state.isCatchingUp) } }

    /// Lets a pump take from it.
    func start(_ pump: SubscriptionPump) {
        guarded.withLock { $0.pump = pump }
        SubscriptionPump.run([pump])
    }

    /// See ``SubscriptionState/offer(_:now:)``.
    ///
    /// - Returns: the pump, if it has something to do that it does not know of; the caller is to run it.
    func offer(_ entries: [JournalEntry], now: ContinuousClock.Instant) -> SubscriptionPump? {
        guarded.withLock { $0.state.offer(entries, now: now) ? $0.takeIdlePump() : nil }
    }

    /// See ``SubscriptionState/supply(_:limit:now:)``.
    func supply(_ page: [JournalEntry], limit: Int) {
        guarded.withLock { $0.state.supply(page, limit: limit, now: .now) }
    }

    /// See ``SubscriptionState/next(now:)``; where that is to wait, the pump is idle from now on.
    func next() -> SubscriptionState.Step {
        guarded.withLock { guarded in
            let step = guarded.state.next(now: .now)
            if case .wait = step { guarded.isIdle = true }
            return step
        }
    }

    /// Sends what waits, and then ends.
    func drain() { wake { $0.drain() } }

    /// Ends now.
    func end() { wake { $0.end() } }

    /// Makes the pump look again.
    func wake() { wake { _ in } }

    private func wake(_ change: (inout SubscriptionState) -> Void) {
        let pump = guarded.withLock { guarded in
            change(&guarded.state)
            return guarded.takeIdlePump()
        }
        if let pump { SubscriptionPump.run([pump]) }
    }

    /// The pump has sent its last.
    func finish() {
        let waiting = guarded.withLock { guarded in
            // They refer to each other.
            guarded.pump = nil
            guarded.isFinished = true
            defer { guarded.waiting = [] }
            return guarded.waiting
        }
        for waiter in waiting { waiter.resume() }
    }

    /// Waits until the pump has sent its last.
    func waitUntilFinished() async {
        await withCheckedContinuation { waiter in
            let isFinished = guarded.withLock { guarded in
                if !guarded.isFinished { guarded.waiting.append(waiter) }
                return guarded.isFinished
            }
            if isFinished { waiter.resume() }
        }
    }
}
