import Dispatch
import Synchronization

/// The reader of a store: a connection together with the origin that it comes from, or the program itself.
public struct StoreReader: Hashable, Sendable {
    let origin: Int64?
    let connection: Int

    /// Creates the reader of a connection, from its number and that of its user or other origin.
    public init(origin: Int64, connection: Int) {
        self.origin = origin
        self.connection = connection
    }

    private init() { (origin, connection) = (nil, 0) }

    /// The reader for which this task and those that it starts read; by default the program itself.
    @TaskLocal public static var current = StoreReader()
}

/// A scheduler that admits readers of the store in turn, and cancels reads that take too long.
final class ReadScheduler: Sendable {
    private let deadline: Duration
    /// The queues that reads run on, one read at a time on each.
    ///
    /// Their threads wait for the disk, so that no thread of the Swift concurrency pool does.
    private let lanes: [DispatchQueue]
    private let state: Mutex<State>

    private struct State {
        var queue: ReadQueue
        var tickets = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        /// The tickets that left before they lined up.
        var left: Set<Int> = []
        var running: [Int: Running] = [:]
        /// The lanes on which nothing runs.
        var free: [Int]
        var isWatched = false
    }

    private struct Running {
        var reading: CancellableRead
        var lane: Int
        /// The deadline of the read; `nil` before the read has begun.
        var end: ContinuousClock.Instant?

        func isOverdue(_ now: ContinuousClock.Instant) -> Bool { end.map { $0 <= now } ?? false }
    }

    /// Creates turns for `readers` simultaneous reads, each of which may take as long as `deadline`.
    init(readers: Int, deadline: Duration) {
        self.deadline = deadline
        lanes = (0..<max(1, readers)).map { DispatchQueue(label: "store.lane.\($0)") }
        state = Mutex(State(queue: ReadQueue(readers: readers), free: Array(lanes.indices)))
    }

    /// Runs `body` when it is this task's turn.
    ///
    /// The read ends early if the task is cancelled, or, for a connection of a user, after the deadline.
    ///
    /// - Parameter body: Reads by calling ``Reading/run(on:_:)``.
    /// - Throws: `CancellationError`, ``StoreError/tooLong(path:limit:)``, and what `body` throws.
    func read<Value: Sendable>(
        at place: String, _ body: @escaping @Sendable (CancellableRead) throws -> Value
    ) async throws -> Value {
        let ticket = state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
        let hasDeadline = StoreReader.current.origin != nil
        let reading = CancellableRead { if hasDeadline { self.begin(ticket) } }
        defer { finish(ticket) }
        return try await withTaskCancellationHandler {
            await waitForTurn(ticket)
            try Task.checkCancellation()
            let lane = start(reading, ticket)
            do {
                return try await withCheckedThrowingContinuation { answer in
                    lane.async { answer.resume(with: Result { try body(reading) }) }
                }
            } catch is CancellationError where isOverdue(ticket) {
                throw StoreError.tooLong(path: place, limit: deadline)
            }
        } onCancel: {
            reading.cancel()
            leave(ticket)
        }
    }

    /// Assigns a lane to a read whose turn it is.
    private func start(_ reading: CancellableRead, _ ticket: Int) -> DispatchQueue {
        state.withLock { state in
            // No more reads are admitted than there are lanes; an additional one would wait for the first lane.
            let lane = state.free.popLast() ?? 0
            state.running[ticket] = Running(reading: reading, lane: lane)
            return lanes[lane]
        }
    }

    private func waitForTurn(_ ticket: Int) async {
        let reader = StoreReader.current
        await withCheckedContinuation { turn in
            let hasLeft = state.withLock { state in
                if state.left.contains(ticket) { return true }
                state.waiting[ticket] = turn
                state.queue.enqueue(ticket, reader)
                return false
            }
            if hasLeft { turn.resume() } else { admit() }
        }
    }

    /// Ends a ticket's wait; a read that has begun keeps its turn until it ends.
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
            if let running = state.running.removeValue(forKey: ticket) { state.free.append(running.lane) }
            state.queue.leave(ticket, now: now)
        }
        admit()
    }

    /// Resumes the tasks whose turn it is.
    private func admit() {
        let now = ContinuousClock.now
        let turns = state.withLock { state in
            state.queue.admit(now: now).compactMap { state.waiting.removeValue(forKey: $0) }
        }
        for turn in turns { turn.resume() }
    }

    /// Cancels the reads that have begun.
    func cancelAll() {
        let running = state.withLock { Array($0.running.values) }
        for running in running { running.reading.cancel() }
    }

    // MARK: The deadline

    private func begin(_ ticket: Int) {
        let end = ContinuousClock.now + deadline
        let isFirst = state.withLock { state in
            state.running[ticket]?.end = end
            defer { state.isWatched = true }
            return !state.isWatched
        }
        if isFirst { Task { await cancelWhatIsOverdue() } }
    }

    private func isOverdue(_ ticket: Int) -> Bool {
        let now = ContinuousClock.now
        return state.withLock { $0.running[ticket]?.isOverdue(now) ?? false }
    }

    /// Checks for overdue reads periodically while any read runs; most end long before the first check.
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
            for running in overdue { running.reading.cancel() }
        }
    }
}
