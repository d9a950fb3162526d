#if Fleet
import Synchronization

/// What the threads of a worker tell one another.
final class WorkerBoard: Sendable {
    private struct State {
        var isStopping = false
        /// The partitions that this worker has.
        var active: Set<Int> = []
        /// The partition to hand over to another worker.
        var leaving: Int?
        /// The threads that have not ended.
        var running = 0
        var totals = FleetWorker.Totals()
    }

    private let state = Mutex(State())

    var isStopping: Bool { state.withLock { $0.isStopping } }
    var running: Int { state.withLock { $0.running } }
    var totals: FleetWorker.Totals {
        state.withLock { state in
            var totals = state.totals
            totals.partitions = state.active.count
            return totals
        }
    }

    func stop() { state.withLock { $0.isStopping = true } }

    func began() { state.withLock { $0.running += 1 } }

    func ended() { state.withLock { $0.running -= 1 } }

    func took(_ partition: Int) { state.withLock { _ = $0.active.insert(partition) } }

    func gaveUp(_ partition: Int) {
        state.withLock { state in
            state.active.remove(partition)
            if state.leaving == partition { state.leaving = nil }
        }
    }

    func count(fixes: Int, events: Int, messages: Int) {
        state.withLock { state in
            state.totals.fixes += fixes
            state.totals.events += events
            state.totals.messages += messages
        }
    }

    /// Chooses a partition to hand over, if this worker has more than its share.
    func share(_ most: Int) {
        state.withLock { state in
            if state.active.count > most { state.leaving = state.leaving ?? state.active.max() }
        }
    }

    /// Whether this partition is to be handed over now; answers so once.
    func isLeaving(_ partition: Int) -> Bool {
        state.withLock { state in
            guard state.leaving == partition else { return false }
            state.leaving = nil
            return true
        }
    }
}
#endif
