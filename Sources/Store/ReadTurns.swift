import Dispatch
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
    /// Where is read, each by one at a time: a thread of its own waits for the disk, and no task's does.
    private let lanes: [DispatchQueue]
    private let state: Mutex<State>

    private struct State {
        var queue: TurnQueue
        var tickets = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        /// Those who left before they lined up.
        var left: Set<Int> = []
        var running: [Int: Running] = [:]
        /// The lanes in which nobody reads.
        var free: [Int]
        var isWatched = false
    }

    private struct Running {
        var reading: Reading
        var lane: Int
        /// When it is overdue; nil before it has begun.
        var end: ContinuousClock.Instant?

        func isOverdue(_ now: ContinuousClock.Instant) -> Bool { end.map { $0 <= now } ?? false }
    }

    /// Turns for so many readers, each of which takes so long at most.
    init(readers: Int, deadline: Duration) {
        self.deadline = deadline
        lanes = (0..<max(1, readers)).map { DispatchQueue(label: "store.lane.\($0)") }
        state = Mutex(State(queue: TurnQueue(readers: readers), free: Array(lanes.indices)))
    }

    /// Reads when it is this task's turn, until the task is cancelled or the deadline has passed, which holds for the
    /// connections of users.
    ///
    /// - Parameter body: what reads, by ``Reading/run(on:_:)``.
    /// - Throws: `CancellationError`, ``StoreError/tooLong(path:limit:)``, and what `body` throws.
    func read<Value: Sendable>(
        at place: String, _ body: @escaping @Sendable (Reading) throws -> Value
    ) async throws -> Value {
        let ticket = state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
        let hasDeadline = StoreReader.current.origin != nil
        let reading = Reading { if hasDeadline { self.begin(ticket) } }
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
            reading.callOff()
            leave(ticket)
        }
    }

    /// The lane of a reading whose turn it is.
    private func start(_ reading: Reading, _ ticket: Int) -> DispatchQueue {
        state.withLock { state in
            // As many read as there are lanes; another would wait for the first.
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
                state.queue.lineUp(ticket, reader)
                return false
            }
            if hasLeft { turn.resume() } else { admit() }
        }
    }

    /// Waits no longer; what is being read has its turn until it ends.
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
            for running in overdue { running.reading.callOff() }
        }
    }
}
