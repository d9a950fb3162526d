import Dispatch
import Synchronization

/// The continuous clock, with sleeps that leave nothing behind when their task is cancelled.
///
/// A sleep of the standard library keeps its timer and its memory until its deadline, even if its task has long been
/// cancelled. If each of many calls has a deadline, calls that have ended then fill the memory. This clock keeps one
/// timer for all its sleeps, and forgets a sleep as soon as it ends for any reason.
public final class DeadlineClock: Clock {
    /// The instants are those of the continuous clock.
    public typealias Instant = ContinuousClock.Instant

    /// The clock of the process.
    public static let shared = DeadlineClock()

    private let state: Mutex<State>

    /// What waits for a deadline.
    private enum Sleeper {
        case sleep(CheckedContinuation<Void, any Error>)
        case action(@Sendable () -> Void)
    }

    /// An action that a clock takes at its deadline, unless it is ended before.
    public struct Deadline: Sendable {
        fileprivate let clock: DeadlineClock
        fileprivate let number: Int

        /// Prevents the action.
        ///
        /// - Returns: Whether it was prevented; otherwise it was taken, or it was ended before.
        @discardableResult
        public func end() -> Bool { clock.state.withLock { $0.sleepers.remove(number) } != nil }
    }

    private struct State {
        var sleepers = DeadlineHeap<Sleeper>()
        var count = 0
        /// The time for which the timer is set; `nil` if it is not.
        ///
        /// It may be earlier than all deadlines, because it is not set again when a sleep is cancelled.
        var alarm: Instant?
        let timer: any DispatchSourceTimer

        /// Returns a new number.
        mutating func next() -> Int {
            count &+= 1
            return count
        }

        mutating func add(_ number: Int, _ sleeper: Sleeper, until deadline: Instant) {
            sleepers.insert(.init(number: number, deadline: deadline, value: sleeper))
            setTimer(.now)
        }

        /// Sets the timer for the earliest deadline, if it would come too late for it.
        mutating func setTimer(_ now: Instant) {
            guard let earliest = sleepers.earliest, alarm.map({ earliest < $0 }) ?? true else { return }
            let wait = min(max(now.duration(to: earliest), .zero), DeadlineClock.longestWait)
            alarm = now.advanced(by: wait)
            timer.schedule(deadline: .now() + wait / .seconds(1), leeway: .milliseconds(1))
        }
    }

    /// The longest time for which the timer is set; then it is set again.
    private static let longestWait = Duration.seconds(3_600)

    /// Creates a clock with a timer of its own.
    public init() {
        let queue = DispatchQueue(label: "waymark.deadlines")
        state = Mutex(State(timer: DispatchSource.makeTimerSource(queue: queue)))
        state.withLock { state in
            state.timer.setEventHandler { [weak self] in self?.wakeWhoIsDue() }
            state.timer.activate()
        }
    }

    deinit { state.withLock { $0.timer.cancel() } }

    /// The present moment.
    public var now: Instant { .now }
    /// The resolution of the continuous clock.
    public var minimumResolution: Duration { ContinuousClock().minimumResolution }
    /// The number of sleeps that have not ended.
    public var sleepers: Int { state.withLock { $0.sleepers.count } }

    /// Waits until a moment.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let number = state.withLock { $0.next() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isAdded = state.withLock { state in
                    // If the handler below has run already, the task was cancelled before this line.
                    guard !Task.isCancelled else { return false }
                    state.add(number, .sleep(continuation), until: deadline)
                    return true
                }
                if !isAdded { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            if case .sleep(let continuation)? = state.withLock({ $0.sleepers.remove(number) }) {
                continuation.resume(throwing: CancellationError())
            }
        }
    }

    /// Runs `body`, and cancels it at its deadline.
    ///
    /// It begins on this thread, and the deadline is no task of its own. So a deadline costs little where `body` is short.
    ///
    /// - Returns: The result of `body`; `nil` if it ended after its deadline.
    func run<Value: Sendable>(
        within time: Duration, on executor: (any TaskExecutor)?,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        let end = now + time
        let task = Task.immediate(executorPreference: executor) { try await body() }
        let deadline = at(end) { task.cancel() }
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        return deadline.end() ? try result.get() : nil
    }

    /// Takes an action after a time, unless the deadline is ended before.
    ///
    /// - Parameter action: It must be short, because all other deadlines wait for it.
    public func after(_ time: Duration, _ action: @escaping @Sendable () -> Void) -> Deadline { at(now + time, action) }

    private func at(_ end: Instant, _ action: @escaping @Sendable () -> Void) -> Deadline {
        state.withLock { state in
            let number = state.next()
            state.add(number, .action(action), until: end)
            return Deadline(clock: self, number: number)
        }
    }

    private func wakeWhoIsDue() {
        let now = Instant.now
        let due = state.withLock { state in
            var due: [Sleeper] = []
            while let sleeper = state.sleepers.removeDue(now) { due.append(sleeper) }
            state.alarm = nil
            state.setTimer(now)
            return due
        }
        for sleeper in due {
            switch sleeper {
            case .sleep(let continuation): continuation.resume()
            case .action(let act): act()
            }
        }
    }
}

extension Clock where Self == DeadlineClock {
    /// The continuous clock whose sleeps leave nothing behind when they are cancelled.
    public static var deadlines: DeadlineClock { .shared }
}
