import Deadlines
import Dispatch
import Foundation
import Synchronization

/// The executor of tasks that read a store, whose threads may wait for the disk.
///
/// A task that prefers it reads on the thread on which it runs. Any other task changes to one of these threads for the
/// read and back, so that no thread of the Swift concurrency pool waits for the disk.
///
/// As many threads run as the machine has processors. If all of them wait for the disk, others take the jobs that are
/// left.
public final class ReadingExecutor: TaskExecutor {
    /// The queues that stand for the threads; the system starts a thread for one that has work.
    private let lanes: [DispatchQueue]
    /// The number of threads that run at once while none of them waits.
    private let width: Int
    private let state: Mutex<State>

    private struct State {
        var jobs = JobLine()
        /// The lanes on which nothing runs.
        var idle: [Int]
        /// The number of jobs that were begun.
        var begun = 0
        var isWatched = false
    }

    /// The time for which jobs wait for threads that may be waiting themselves.
    private static let patience = Duration.milliseconds(5)

    /// Creates an executor of which `waiting` threads may wait for the disk at once without holding up the others.
    ///
    /// - Parameter processors: The number of threads that run at once while none of them waits.
    init(waiting: Int, processors: Int = ProcessInfo.processInfo.activeProcessorCount) {
        width = max(1, processors)
        lanes = (0..<max(waiting + 1, width)).map { DispatchQueue(label: "store.lane.\($0)") }
        state = Mutex(State(idle: lanes.indices.reversed()))
        for lane in lanes { lane.setSpecific(key: Self.owner, value: ObjectIdentifier(self)) }
    }

    private static let owner = DispatchSpecificKey<ObjectIdentifier>()

    /// Whether the code that asks runs on a thread of this executor.
    var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.owner) == ObjectIdentifier(self) }

    /// Runs a job as soon as a thread is free.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // A thread of this executor takes the job itself when it has ended its present one.
        let isOwn = isCurrent
        let (lane, isFirst) = state.withLock { state in
            state.jobs.append(job)
            let isFull = isOwn || lanes.count - state.idle.count >= width
            if !isFull { return (state.idle.popLast(), false) }
            defer { state.isWatched = true }
            return (nil, !state.isWatched)
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
        state.withLock { state in
            guard let job = state.jobs.popFirst() else {
                state.idle.append(lane)
                return nil
            }
            state.begun &+= 1
            return job
        }
    }

    /// Lets one more thread run whenever no job was begun for a while, as long as jobs wait.
    private func watch() {
        let begun = state.withLock { $0.begun }
        _ = DeadlineClock.shared.after(Self.patience) { [weak self] in
            guard let self else { return }
            let (lane, isNeeded) = state.withLock { state in
                state.isWatched = !state.jobs.isEmpty
                let isStuck = state.isWatched && state.begun == begun
                return (isStuck ? state.idle.popLast() : nil, state.isWatched)
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
