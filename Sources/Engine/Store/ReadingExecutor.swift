import Deadlines
import Dispatch
import Foundation
import Synchronization

/// The executor of tasks that read a store, whose threads may wait for the disk.
///
/// A task that prefers it reads on the thread on which it runs. Any other task changes to one of these threads for the
/// read and back, so that no thread of the Swift concurrency pool waits for the disk.
///
/// As many threads run jobs as the machine has processors. A job that takes long counts as waiting for the disk, and lets
/// another thread run.
public final class ReadingExecutor: TaskExecutor {
    /// The queues that stand for the threads; the system starts a thread for one that has work.
    private let lanes: [DispatchQueue]
    /// The number of threads that run at once while none of them waits.
    private let width: Int
    private let state: Mutex<State>

    private struct State {
        var jobs = JobLine()
        /// The time at which the present job of each lane began; `nil` for those on which nothing runs.
        var begins: [ContinuousClock.Instant?]
        var isWatched = false

        /// Reserves a lane for the jobs that wait, if one may run more.
        mutating func takeLane(_ width: Int, now: ContinuousClock.Instant) -> Int? {
            var running = 0
            var idle: Int?
            for lane in begins.indices {
                if let begin = begins[lane] {
                    if now - begin < ReadingExecutor.patience { running += 1 }
                } else {
                    idle = lane
                }
            }
            guard let idle, running < width, !jobs.isEmpty else { return nil }
            begins[idle] = now
            return idle
        }
    }

    /// The time after which a job counts as waiting for the disk.
    private static let patience = Duration.milliseconds(20)

    /// Creates an executor of which `waiting` threads may wait for the disk at once without holding up the others.
    ///
    /// - Parameter processors: The number of threads that run at once while none of them waits.
    init(waiting: Int, processors: Int = ProcessInfo.processInfo.activeProcessorCount) {
        width = max(1, processors)
        lanes = (0..<max(0, waiting) + width).map { DispatchQueue(label: "store.lane.\($0)") }
        state = Mutex(State(begins: Array(repeating: nil, count: lanes.count)))
        for lane in lanes { lane.setSpecific(key: Self.owner, value: ObjectIdentifier(self)) }
    }

    private static let owner = DispatchSpecificKey<ObjectIdentifier>()

    /// Whether this task runs on a thread of this executor and returns to one whenever it has waited.
    var isCurrent: Bool {
        guard DispatchQueue.getSpecific(key: Self.owner) == ObjectIdentifier(self) else { return false }
        // A task without the preference may come to such a thread by an actor that it has entered. The current task
        // exists while this looks at it, and this executor while it is called.
        return unsafe withUnsafeCurrentTask { task in
            unsafe task?.unownedTaskExecutor == asUnownedTaskExecutor()
        }
    }

    /// Runs a job as soon as a thread is free.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let now = ContinuousClock.now
        let (lane, isFirst) = state.withLock { state in
            state.jobs.append(job)
            let lane = state.takeLane(width, now: now)
            let isFirst = lane == nil && !state.isWatched
            if isFirst { state.isWatched = true }
            return (lane, isFirst)
        }
        if let lane { begin(on: lane) }
        if isFirst { watch() }
    }

    private func begin(on lane: Int) {
        lanes[lane].async {
            // The block holds the executor while the job runs, and a job is taken from the line once.
            while let job = self.next(on: lane) { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    private func next(on lane: Int) -> UnownedJob? {
        let now = ContinuousClock.now
        return state.withLock { state in
            let job = state.jobs.popFirst()
            state.begins[lane] = job == nil ? nil : now
            return job
        }
    }

    /// Lets other threads run while jobs wait for threads that may be waiting themselves.
    private func watch() {
        _ = DeadlineClock.shared.after(Self.patience) { [weak self] in
            guard let self else { return }
            let now = ContinuousClock.now
            let (lane, isNeeded) = state.withLock { state in
                state.isWatched = !state.jobs.isEmpty
                return (state.takeLane(width, now: now), state.isWatched)
            }
            if let lane { begin(on: lane) }
            if isNeeded { watch() }
        }
    }
}

/// Jobs in the order in which they came.
private struct JobLine {
    private var incoming: [UnownedJob] = []
    /// The jobs to run first, the last first.
    private var outgoing: [UnownedJob] = []

    var isEmpty: Bool { incoming.isEmpty && outgoing.isEmpty }

    mutating func append(_ job: UnownedJob) { incoming.append(job) }

    mutating func popFirst() -> UnownedJob? {
        if outgoing.isEmpty {
            swap(&incoming, &outgoing)
            outgoing.reverse()
        }
        return outgoing.popLast()
    }
}
