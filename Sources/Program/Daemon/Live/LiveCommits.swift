import Dispatch
import EventStream
import Logging
import Store
import Synchronization
import Tracking

/// The commits of a live pipeline: their schedule, the handling of a failing store, and the tasks that wait for them.
///
/// Only the live pipeline's actor uses it.
final class LiveCommits {
    /// A store that cannot be written at the moment.
    struct Failure: Sendable {
        var error: StoreError
        /// The moment of the next attempt.
        var retry: Double
    }

    /// The counters for statistics.
    struct Numbers: Sendable {
        var events = 0
        var commits = 0
        var failedCommits = 0
        var droppedPoints = 0
        /// The delays between the report that caused an event and the publication of the event.
        var eventLatency = LatencyHistogram()
    }

    private let store: LocationDatabase
    private let hub: EventHub
    private let pipeline: Pipeline
    private let clock: LiveClock
    private let logger: Logger
    private let writer = DispatchQueue(label: "commits")
    /// The rules for when to commit.
    var policy: CommitPolicy

    /// The failure of the last attempt, or `nil` if it succeeded.
    private(set) var failure: Failure?
    private(set) var numbers = Numbers()
    /// Whether the final commits have begun.
    private(set) var isDraining = false
    private let sleeper = Sleeper()
    /// The moment of the oldest pending change to a trip or stop.
    private var oldestChange: Double?
    /// The moment of the oldest pending event.
    private var oldestEvent: Double?
    private var crowded: [CheckedContinuation<Void, Never>] = []
    private var probes: [CheckedContinuation<Void, Never>] = []
    /// The tasks that wait for the next commit.
    private var promised: [CheckedContinuation<Bool, Never>] = []

    /// Creates the commits of a pipeline, whose events are published to `hub`.
    init(of pipeline: Pipeline, to hub: EventHub, policy: CommitPolicy, clock: LiveClock, logger: Logger) {
        store = pipeline.store
        self.hub = hub
        self.pipeline = pipeline
        self.policy = policy
        self.clock = clock
        self.logger = logger
    }

    /// Waits until there may be something to commit, or a probe to answer.
    ///
    /// - Returns: `false` if the task is cancelled.
    nonisolated(nonsending) func wait() async -> Bool { await sleeper.wait() }

    /// Commits while a commit is due.
    ///
    /// If the store fails, ``failure`` is set, and ``settle(_:)`` must be called again once it is time to retry.
    ///
    /// - Throws: ``CommitOverflow`` if the store has failed for too long. `StoreError` if the store must be reopened,
    ///   since another attempt might write an event twice.
    nonisolated(nonsending) func commitWhatIsDue() async throws {
        while isDue(clock.moment()) {
            if await commit() { continue }
            if let failure, failure.error.needsReopening { throw failure.error }
            guard let failure, pipeline.load.events > policy.greatestEvents else { return }
            throw CommitOverflow(events: pipeline.load.events, cause: failure.error)
        }
    }

    /// Commits everything that is pending, whether it is due or not.
    ///
    /// - Throws: `StoreError` if the store fails.
    nonisolated(nonsending) func drain() async throws {
        isDraining = true
        repeat {
            _ = await commit()
            if let failure { throw failure.error }
        } while !pipeline.load.isNone
    }

    /// Ends the commits, and resumes all tasks that wait for one.
    func end() {
        isDraining = true
        for waiting in crowded + probes { waiting.resume() }
        for waiting in promised { waiting.resume(returning: false) }
        promised.removeAll()
        crowded.removeAll()
        probes.removeAll()
    }

    /// Passes the waiting probes on to the store's writer and the hub, and answers them.
    ///
    /// - Throws: `StoreError` if the store must be reopened.
    nonisolated(nonsending) func answerProbes() async throws {
        guard !probes.isEmpty else { return }
        let answered = probes
        probes.removeAll()
        defer { for probe in answered { probe.resume() } }
        do {
            try await store.waitForWriter()
        } catch  where error.needsReopening {
            throw error
        } catch {
            // The store answered with an error, so it is not stuck.
        }
        _ = await hub.statistics
    }

    /// Waits until a probe has passed the committing task, the store's writer and the hub.
    ///
    /// The probe writes nothing. It does not return while any of these is stuck, and returns at once if committing has
    /// ended.
    nonisolated(nonsending) func probe() async {
        guard !isDraining else { return }
        await withCheckedContinuation { probe in
            probes.append(probe)
            sleeper.wake()
        }
    }

    /// Records since when events and changes are pending.
    ///
    /// - Parameter before: The load before they were added.
    func mark(_ before: Pipeline.Load, _ now: Double) {
        let after = pipeline.load
        if after.events > before.events, oldestEvent == nil { oldestEvent = now }
        if after.points > before.points, oldestChange == nil { oldestChange = now }
    }

    /// Wakes the committing task if a commit is due.
    ///
    /// While the store fails, it also drops the oldest points beyond the limit.
    func settle(_ now: Double) {
        if failure != nil {
            let dropped = pipeline.dropPoints(beyond: policy.greatestPoints)
            if dropped > 0, numbers.droppedPoints == 0 { logger.error("The oldest points of traces are dropped.") }
            numbers.droppedPoints += dropped
        }
        if isDue(now) { sleeper.wake() }
    }

    /// Counts events that another transaction has committed.
    func count(_ events: Int) { numbers.events += events }

    /// Waits while too much is pending.
    ///
    /// While the store fails, only a recording waits. A failure may last long, and live positions must continue.
    nonisolated(nonsending) func waitWhileCrowded(isRecording: Bool) async {
        while isCrowded(isRecording: isRecording) {
            await withCheckedContinuation { crowded.append($0) }
        }
    }

    /// Waits until what is pending now is on the disk: all events, and the rest of the devices that have an event or that
    /// the pipeline must include.
    ///
    /// Calls that come while a commit is being written wait together for the next one.
    ///
    /// - Returns: Whether it is; `false` if the store cannot be written.
    nonisolated(nonsending) func reachDisk() async -> Bool {
        guard !isDraining, failure == nil else { return false }
        return await withCheckedContinuation { waiting in
            promised.append(waiting)
            sleeper.wake()
        }
    }

    /// Returns whether so much is pending that input should wait.
    func isCrowded(isRecording: Bool) -> Bool {
        !isDraining && (failure == nil || isRecording)
            && pipeline.load.sum >= policy.backpressureThreshold(ofDevices: pipeline.changedCount)
    }

    private func isDue(_ now: Double) -> Bool {
        let load = pipeline.load
        if let failure { return now >= failure.retry || load.events > policy.greatestEvents }
        // If input waits because too much is pending, a commit must be due; otherwise the input would wait for ever.
        return !promised.isEmpty || load.events > 0 || load.points >= policy.points(ofDevices: pipeline.changedCount)
            || oldestChange.map { now - $0 >= policy.interval } ?? false
    }

    /// Commits everything pending, and publishes the events.
    ///
    /// If the commit fails, everything is pending again.
    ///
    /// - Returns: Whether the commit succeeded.
    nonisolated(nonsending) private func commit() async -> Bool {
        let (changedAt, decidedAt) = (oldestChange, oldestEvent)
        (oldestChange, oldestEvent) = (nil, nil)
        // In a fleet, a commit because of an event includes only the devices with events. The points and states of all
        // others wait for the interval, or until there are many. Otherwise an event of one device would write the states
        // of ten thousand others.
        let isGroup = isDraining || changedAt.map { clock.moment() - $0 >= policy.interval } ?? false
        let includesOthers =
            pipeline.changedCount <= policy.devicesOfEvent
            || pipeline.load.points >= policy.points(ofDevices: pipeline.changedCount)
        let batch = pipeline.drain(isGroup ? .all : includesOthers ? .changed : .eventful)
        // What is left may be as old as what was taken.
        if pipeline.load.points > 0 { oldestChange = changedAt }
        let kept = promised
        promised.removeAll()
        do throws(StoreError) {
            let events = batch.pending.isEmpty ? [] : try await store(batch.pending)
            hub.publish(events)
            numbers.commits += 1
            numbers.events += events.count
            if let decidedAt { numbers.eventLatency.add(clock.moment() - decidedAt) }
            if failure != nil { logger.notice("The store can be written again.") }
            failure = nil
        } catch {
            pipeline.putBack(batch)
            (oldestChange, oldestEvent) = (changedAt ?? oldestChange, decidedAt ?? oldestEvent)
            numbers.failedCommits += 1
            if failure == nil {
                let outlook = error.needsReopening ? "The daemon ends." : "The daemon retries every few seconds."
                logger.critical("\(error). Pending events and points stay in memory. \(outlook)")
            }
            failure = Failure(error: error, retry: clock.moment() + policy.retry)
        }
        for waiting in kept { waiting.resume(returning: failure == nil) }
        for waiting in crowded { waiting.resume() }
        crowded.removeAll()
        return failure == nil
    }

    /// Commits on a separate thread, which the cancellation of this task does not interrupt.
    nonisolated(nonsending) private func store(_ pending: PendingCommit) async throws(StoreError) -> [EventRecord] {
        let store = store
        let result: Result<[EventRecord], StoreError> = await withCheckedContinuation { continuation in
            writer.async {
                do throws(StoreError) {
                    continuation.resume(returning: .success(try store.commit(pending)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}

/// The sleep of one task, which any thread may end.
private final class Sleeper: Sendable {
    private struct State {
        var isWoken = false
        var sleeping: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Waits until ``wake()`` is called, or has been called since the last wait.
    ///
    /// The task resumes on its actor, without another thread in between.
    ///
    /// - Returns: `false` if the task is cancelled.
    nonisolated(nonsending) func wait() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isAwake = state.withLock { state in
                    if !state.isWoken { state.sleeping = continuation }
                    return state.isWoken
                }
                if isAwake { continuation.resume() }
            }
        } onCancel: {
            wake()
        }
        state.withLock { $0.isWoken = false }
        return !Task.isCancelled
    }

    func wake() {
        let sleeping = state.withLock { state in
            defer { state.sleeping = nil }
            state.isWoken = true
            return state.sleeping
        }
        sleeping?.resume()
    }
}
