import Synchronization

/// Who reads the store: a connection, with the number of where it comes from, or the program itself.
public struct StoreReader: Hashable, Sendable {
    let origin: Int64?
    let connection: Int

    /// A connection, by its number and that of the user, or other origin, it comes from.
    public init(origin: Int64, connection: Int) {
        self.origin = origin
        self.connection = connection
    }

    private init() { (origin, connection) = (nil, 0) }

    /// Who reads in this task and those that it starts; the program itself where nobody is named.
    @TaskLocal public static var current = StoreReader()
}

/// Gives those who read the store their turns, and calls off what takes too long.
final class ReadTurns: Sendable {
    private let deadline: Duration
    private let state: Mutex<State>

    private struct State {
        var queue: TurnQueue
        var tickets = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        /// Those who left before they lined up.
        var left: Set<Int> = []
        var running: [Int: Running] = [:]
        var isWatched = false
    }

    private struct Running {
        var cancel: (@Sendable () -> Void)?
        /// When it is overdue; nil before it has begun.
        var end: ContinuousClock.Instant?

        func isOverdue(_ now: ContinuousClock.Instant) -> Bool { end.map { $0 <= now } ?? false }
    }

    /// Turns for so many readers, each of which takes so long at most.
    init(readers: Int, deadline: Duration) {
        self.deadline = deadline
        state = Mutex(State(queue: TurnQueue(readers: readers)))
    }

    /// Reads when it is this task's turn, until the task is cancelled or the deadline has passed, which holds for the
    /// connections of users.
    ///
    /// - Parameter body: what reads, and says when it begins; it must end soon after its task is cancelled.
    /// - Throws: `CancellationError`, ``StoreError/tooLong(path:limit:)``, and what `body` throws.
    func read<Value: Sendable>(
        at place: String, _ body: @escaping @Sendable (_ begin: @escaping @Sendable () -> Void) async throws -> Value
    ) async throws -> Value {
        let ticket = state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
        defer { finish(ticket) }
        await withTaskCancellationHandler {
            await waitForTurn(ticket)
        } onCancel: {
            leave(ticket)
        }
        try Task.checkCancellation()
        let hasDeadline = StoreReader.current.origin != nil
        let reading = Task { try await body { if hasDeadline { self.begin(ticket) } } }
        state.withLock { $0.running[ticket, default: Running()].cancel = { reading.cancel() } }
        do {
            return try await withTaskCancellationHandler {
                try await reading.value
            } onCancel: {
                reading.cancel()
            }
        } catch is CancellationError where isOverdue(ticket) {
            throw StoreError.tooLong(path: place, limit: deadline)
        }
    }

    private func waitForTurn(_ ticket: Int) async {
        let reader = StoreReader.current
        await withCheckedContinuation { turn in
            let hasLeft = state.withLock { state in
                if state.left.contains(ticket) { return true }
                state.waiting[ticket] = turn
                state.queue.lineUp(ticket, reader)
                return false
            }
            if hasLeft { turn.resume() } else { admit() }
        }
    }

    /// Waits no longer; what is being read goes on.
    private func leave(_ ticket: Int) {
        let now = ContinuousClock.now
        let turn = state.withLock { state in
            guard let turn = state.waiting.removeValue(forKey: ticket) else {
                state.left.insert(ticket)
                return nil as CheckedContinuation<Void, Never>?
            }
            state.queue.leave(ticket, now: now)
            return turn
        }
        turn?.resume()
    }

    private func finish(_ ticket: Int) {
        let now = ContinuousClock.now
        state.withLock { state in
            state.left.remove(ticket)
            state.running[ticket] = nil
            state.queue.leave(ticket, now: now)
        }
        admit()
    }

    /// Calls those whose turn it is.
    private func admit() {
        let now = ContinuousClock.now
        let turns = state.withLock { state in
            state.queue.admit(now: now).compactMap { state.waiting.removeValue(forKey: $0) }
        }
        for turn in turns { turn.resume() }
    }

    // MARK: The deadline

    private func begin(_ ticket: Int) {
        let end = ContinuousClock.now + deadline
        let isFirst = state.withLock { state in
            state.running[ticket, default: Running()].end = end
            defer { state.isWatched = true }
            return !state.isWatched
        }
        if isFirst { Task { await cancelWhatIsOverdue() } }
    }

    private func isOverdue(_ ticket: Int) -> Bool {
        let now = ContinuousClock.now
        return state.withLock { $0.running[ticket]?.isOverdue(now) ?? false }
    }

    /// Looks now and then, as long as something is being read: a reading mostly ends long before it is looked at.
    private func cancelWhatIsOverdue() async {
        var isNeeded = true
        while isNeeded {
            try? await Task.sleep(for: deadline / 10)
            let now = ContinuousClock.now
            let overdue = state.withLock { state in
                isNeeded = !state.running.isEmpty
                state.isWatched = isNeeded
                return state.running.values.filter { $0.isOverdue(now) }
            }
            for reading in overdue { reading.cancel?() }
        }
    }
}
