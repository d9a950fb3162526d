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
    /// The threads that reads run on.
    let executor: ReadingExecutor
    private let deadline: Duration
    private let state: Mutex<State>

    private struct State {
        var queue: ReadQueue
        var tickets = 0
        var waiting: [Int: Waiting] = [:]
        /// The tickets that left before they lined up.
        var left: Set<Int> = []
        var running: [Int: Running] = [:]
        var isWatched = false

        /// Returns the tasks whose turn to read it is.
        mutating func admit(now: ContinuousClock.Instant) -> [Waiting] {
            queue.admit(now: now).compactMap { ticket in
                guard let next = waiting.removeValue(forKey: ticket) else { return nil }
                running[ticket] = Running(reading: next.reading)
                return next
            }
        }
    }

    /// A task that waits for its turn.
    private struct Waiting {
        let reading: CancellableRead
        let turn: CheckedContinuation<Void, any Error>
    }

    private struct Running {
        var reading: CancellableRead
        /// The deadline of the read; `nil` before the read has begun.
        var end: ContinuousClock.Instant?

        func isOverdue(_ now: ContinuousClock.Instant) -> Bool { end.map { $0 <= now } ?? false }
    }

    /// Creates turns for `readers` simultaneous reads, each of which may take as long as `deadline`.
    init(readers: Int, deadline: Duration) {
        self.deadline = deadline
        // One more, for a read that blocks its thread.
        executor = ReadingExecutor(waiting: readers + 1)
        state = Mutex(State(queue: ReadQueue(readers: readers)))
    }

    /// The number of reads that wait, run or were given up, and are not forgotten yet.
    var remembered: Int { state.withLock { $0.waiting.count + $0.running.count + $0.left.count } }

    /// Runs `body` on a thread of ``executor`` when it is this task's turn.
    ///
    /// The read ends early if the task is cancelled, or, for a connection of a user, after the deadline.
    ///
    /// - Parameter body: Reads by calling ``Reading/run(on:_:)``.
    /// - Throws: `CancellationError`, ``StoreError/tooLong(path:limit:)``, and what `body` throws.
    func read<Value: Sendable>(
        at place: String, _ body: @escaping @Sendable (CancellableRead) throws -> Value
    ) async throws -> Value {
        if executor.isCurrent { return try await readHere(at: place, body) }
        return try await withTaskExecutorPreference(executor) { try await readHere(at: place, body) }
    }

    private func readHere<Value: Sendable>(
        at place: String, _ body: @escaping @Sendable (CancellableRead) throws -> Value
    ) async throws -> Value {
        let reader = StoreReader.current
        let ticket = state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
        let reading = CancellableRead { if reader.origin != nil { self.begin(ticket) } }
        defer { if Task.isCancelled { state.withLock { _ = $0.left.remove(ticket) } } }
        return try await withTaskCancellationHandler {
            if !begins(ticket, reader, reading) {
                try await withCheckedThrowingContinuation { wait(Waiting(reading: reading, turn: $0), ticket, reader) }
                // The wait for a thread is no reading time.
                state.withLock { $0.queue.restart(ticket, now: .now) }
            }
            let result = Result { try body(reading) }
            let isOverdue = finish(ticket)
            if case .failure(is CancellationError) = result, isOverdue {
                throw StoreError.tooLong(path: place, limit: deadline)
            }
            return try result.get()
        } onCancel: {
            reading.cancel()
            leave(ticket)
        }
    }

    /// Begins a read at once, if no other waits and its turn has come.
    private func begins(_ ticket: Int, _ reader: StoreReader, _ reading: CancellableRead) -> Bool {
        state.withLock { state in
            guard !state.left.contains(ticket), state.queue.start(ticket, reader, now: .now) else { return false }
            state.running[ticket] = Running(reading: reading)
            return true
        }
    }

    /// Lets a task wait for its turn.
    private func wait(_ task: Waiting, _ ticket: Int, _ reader: StoreReader) {
        let starting = state.withLock { state -> [Waiting]? in
            guard !state.left.contains(ticket) else { return nil }
            state.waiting[ticket] = task
            state.queue.enqueue(ticket, reader)
            return state.admit(now: .now)
        }
        guard let starting else { return task.turn.resume(throwing: CancellationError()) }
        for next in starting { next.turn.resume() }
    }

    /// Ends a read, and begins those whose turn it is.
    ///
    /// - Returns: Whether its deadline had passed.
    private func finish(_ ticket: Int) -> Bool {
        let now = ContinuousClock.now
        let (ended, starting) = state.withLock { state in
            let ended = state.running.removeValue(forKey: ticket)
            state.queue.leave(ticket, now: now)
            return (ended, state.admit(now: now))
        }
        for next in starting { next.turn.resume() }
        return ended?.isOverdue(now) ?? false
    }

    /// Ends a ticket's wait; a read that has begun keeps its turn until it ends.
    private func leave(_ ticket: Int) {
        let now = ContinuousClock.now
        let task = state.withLock { state in
            if let task = state.waiting.removeValue(forKey: ticket) {
                state.queue.leave(ticket, now: now)
                return task as Waiting?
            }
            if state.running[ticket] == nil { state.left.insert(ticket) }
            return nil
        }
        task?.turn.resume(throwing: CancellationError())
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
