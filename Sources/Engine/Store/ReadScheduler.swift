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
        var waiting: [Int: Job] = [:]
        /// The tickets that left before they lined up.
        var left: Set<Int> = []
        var running: [Int: Running] = [:]
        /// The lanes on which nothing runs.
        var free: [Int]
        var isWatched = false

        /// Returns the reads whose turn it is, each with its lane.
        mutating func admit() -> [(job: Job, lane: Int)] {
            queue.admit(now: .now).compactMap { ticket in
                // No more reads are admitted than there are lanes; an additional one would wait for the first lane.
                guard let job = waiting.removeValue(forKey: ticket) else { return nil }
                let lane = free.popLast() ?? 0
                running[ticket] = Running(reading: job.reading, lane: lane)
                return (job, lane)
            }
        }
    }

    /// A read that waits for its turn.
    private struct Job {
        let ticket: Int
        let reading: CancellableRead
        /// Reads, and answers the task that waits; with `nil` it answers only, with the reason why it does not read.
        let run: @Sendable ((any Error)?) -> Void
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

    /// The number of reads that wait, run or were given up, and are not forgotten yet.
    var remembered: Int { state.withLock { $0.waiting.count + $0.running.count + $0.left.count } }

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
        defer { if Task.isCancelled { state.withLock { _ = $0.left.remove(ticket) } } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { answer in
                enqueue(
                    Job(ticket: ticket, reading: reading) { [self] refusal in
                        if let refusal { return answer.resume(throwing: refusal) }
                        var result = Result { try body(reading) }
                        if case .failure(is CancellationError) = result, isOverdue(ticket) {
                            result = .failure(StoreError.tooLong(path: place, limit: deadline))
                        }
                        answer.resume(with: result)
                    })
            }
        } onCancel: {
            reading.cancel()
            leave(ticket)
        }
    }

    /// Lets a read wait for its turn.
    private func enqueue(_ job: Job) {
        let reader = StoreReader.current
        let starting = state.withLock { state -> [(job: Job, lane: Int)]? in
            guard !state.left.contains(job.ticket) else { return nil }
            state.waiting[job.ticket] = job
            state.queue.enqueue(job.ticket, reader)
            return state.admit()
        }
        guard let starting else { return job.run(CancellationError()) }
        for (job, lane) in starting { begin(job, on: lane) }
    }

    private func begin(_ job: Job, on lane: Int) { lanes[lane].async { self.run(job, on: lane) } }

    /// Reads on a lane, and then whatever is next there, which costs no change of threads.
    private func run(_ job: Job, on lane: Int) {
        var next: Job? = job
        while let job = next {
            job.run(nil)
            next = finish(job.ticket, on: lane)
        }
    }

    /// Ends a read, and starts those whose turn it is.
    ///
    /// - Returns: The one that is to run on the same lane.
    private func finish(_ ticket: Int, on lane: Int) -> Job? {
        let now = ContinuousClock.now
        let starting = state.withLock { state in
            state.running[ticket] = nil
            state.free.append(lane)
            state.queue.leave(ticket, now: now)
            return state.admit()
        }
        for (job, other) in starting where other != lane { begin(job, on: other) }
        return starting.first { $0.lane == lane }?.job
    }

    /// Ends a ticket's wait; a read that has begun keeps its turn until it ends.
    private func leave(_ ticket: Int) {
        let now = ContinuousClock.now
        let job = state.withLock { state in
            if let job = state.waiting.removeValue(forKey: ticket) {
                state.queue.leave(ticket, now: now)
                return job as Job?
            }
            if state.running[ticket] == nil { state.left.insert(ticket) }
            return nil
        }
        job?.run(CancellationError())
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
