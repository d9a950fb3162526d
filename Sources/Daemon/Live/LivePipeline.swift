import Dispatch
import EventStream
import Geodesy
import Logging
import NIOCore
import NIOPosix
import Positioning
import Receivers
import Store
import Tracking

/// The way of a live fix: what receivers report in at one end, what subscribers are told out at the other.
///
/// Taking a report never waits for the disk: positions are told at once, and what is durable is committed by one task
/// (see ``commitUntilCancelled()``) that takes all that is pending, tells of it afterwards and puts it back where the
/// store fails.
///
/// It works on an event loop, where receivers are heard and subscribers are written to: a fix passes from one to the
/// other without another thread's being woken. Only commits have a thread of their own.
actor LivePipeline {
    /// A fix, and the moment in which it came.
    struct Arrival: Sendable {
        var fix: Fix
        /// Seconds of the clock that cannot jump.
        var moment: Double
    }

    let store: LocationDatabase
    let health = StoreHealth()
    let hub: EventHub
    let clock: LiveClock
    let logger: Logger
    private nonisolated let eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.any()
    // The executor is the event loop, which lives as long as the actor does.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe eventLoop.executor.asUnownedSerialExecutor() }
    private(set) var commitPolicy: CommitPolicy
    let pipeline: Pipeline
    private var timelines: [String: LiveTimeline] = [:]
    private(set) var arrivals: [String: Arrival] = [:]
    private(set) var sources: [String: SourceState] = [:]
    /// The receivers that are read now, heard or not.
    private(set) var receivers: Set<String> = []
    private(set) var skipped = Tally()
    private(set) var histories = FixHistories()
    /// Devices whose fixes come from recordings, whose time has nothing to do with the clock.
    private var recorded: Set<String> = []
    /// Whether ``tick()`` is called as time passes, and whether that is to be soon.
    private var isTicking = false
    private var isTickScheduled = false

    // What the committing task and those who wait for it share.
    let writer = DispatchQueue(label: "commits")
    /// The committing task while it waits, and whether there is something for it to do.
    var committer: CheckedContinuation<Void, Never>?
    var isWoken = false
    /// The moment of the oldest change of a travel that is pending, and that of the oldest event.
    var oldestChange: Double?
    var oldestEvent: Double?
    var failure: Failure?
    var isDraining = false
    var crowded: [CheckedContinuation<Void, Never>] = []
    var probes: [CheckedContinuation<Void, Never>] = []
    var numbers = Numbers()

    /// A store that cannot be written now.
    struct Failure: Sendable {
        var error: StoreError
        /// When it is tried again.
        var retry: Double
    }

    /// What is counted for whoever asks.
    struct Numbers: Sendable {
        var events = 0
        var commits = 0
        var failedCommits = 0
        var droppedPoints = 0
        /// From the report that decided an event to its being told.
        var eventLatency = LatencyHistogram()
        /// From the report that held a fix to its position being told.
        var positionLatency = LatencyHistogram()
    }

    /// A pipeline into a store, all of whose devices go on from where they were.
    ///
    /// - Throws: `StoreError` where their states cannot be read.
    init(
        store: LocationDatabase, hub: EventHub, policy: TrackingPolicy, commitPolicy: CommitPolicy = CommitPolicy(),
        clock: LiveClock = .system, logger: Logger
    ) throws {
        self.store = store
        self.hub = hub
        self.clock = clock
        self.logger = logger
        self.commitPolicy = commitPolicy
        pipeline = Pipeline(
            store: store, index: try GeofenceIndex(of: store), policy: policy, wantsPositions: true)
        let now = clock.moment()
        for device in try store.devices() {
            do {
                try pipeline.restore(device: device.name)
            } catch StoreError.damaged(_, let detail) {
                // One device's state must not keep the others from being heard.
                logger.error("\(detail). The device begins anew.")
                pipeline.begin(device: device.name)
            }
            guard let last = device.last else { continue }
            // No less than the time since the start has passed since then.
            arrivals[device.name] = Arrival(fix: Fix(time: last.time, coordinate: last.place), moment: now)
        }
        sources = try store.sourceStates()
        sources.dropWholes()
    }

    /// Takes what a receiver reports, and waits where the store cannot follow.
    ///
    /// - Parameter isRecording: whether it is a recording that is rehearsed, whose time may be any.
    func take(_ reports: [ReceiverReport], isRecording: Bool) async {
        accept(reports, isRecording: isRecording)
        await waitWhileCrowded(isRecording: isRecording)
    }

    /// Takes what a receiver that is no recording reports, if this is called on the pipeline's event loop, and the
    /// store follows.
    ///
    /// - Returns: whether it was taken.
    nonisolated func takeAtOnce(_ reports: [ReceiverReport]) -> Bool {
        guard eventLoop.inEventLoop else { return false }
        return assumeIsolated { pipeline in
            guard !pipeline.isCrowded(isRecording: false) else { return false }
            pipeline.accept(reports, isRecording: false)
            return true
        }
    }

    private func accept(_ reports: [ReceiverReport], isRecording: Bool) {
        let now = clock.moment()
        for report in reports {
            switch report {
            case .fixes(let fixes, let device):
                if isRecording { recorded.insert(device) } else { recorded.remove(device) }
                for fix in fixes { ingest(fix, device: device, isLive: !isRecording, now: now) }
            case .online(let device): note(device, isOnline: true, reason: nil)
            case .offline(let device, let reason): note(device, isOnline: false, reason: reason)
            case .stillOffline(let device, let reason):
                // No event: nothing has changed but what is known of it.
                if sources[device]?.isOnline == false { sources[device]?.reason = reason }
            case .skipped(let tally): skipped.add(tally)
            // A daemon closes nothing by itself: what follows may go on from here.
            case .ended: break
            }
        }
        settle(now)
        tickSoon()
    }

    /// Has ``tick()`` called about every second from now on, while anything waits for time to pass: a daemon whose
    /// devices rest does not wake the processor.
    func startTicking() {
        isTicking = true
        tickSoon()
    }

    /// Has the next tick come, unless it comes already.
    func tickSoon() {
        guard isTicking, !isTickScheduled, !isDraining else { return }
        isTickScheduled = true
        // The executor is the event loop.
        eventLoop.scheduleTask(in: .seconds(1)) { [weak self] in
            self?.assumeIsolated { pipeline in
                pipeline.isTickScheduled = false
                if pipeline.tick() { pipeline.tickSoon() }
            }
        }
    }

    /// Tells what is due to silence, and commits what has waited long enough; to be called about every second.
    ///
    /// - Returns: whether more of it is due to come if nothing but time passes.
    @discardableResult
    func tick() -> Bool {
        let now = clock.moment()
        let before = pipeline.load
        var waits = failure != nil
        for (device, arrival) in arrivals where !recorded.contains(device) {
            guard let last = arrival.fix.time, pipeline.tracker(of: device)?.openTrip != nil else { continue }
            waits = true
            let passed = Int64(((now - arrival.moment - Self.lateness) * 1000).rounded(.down))
            guard passed > 0 else { continue }
            change(device) { $0.elapse(until: last.advanced(byMilliseconds: passed), into: &$1) }
        }
        mark(before, now)
        settle(now)
        return waits || !pipeline.load.isNone
    }

    /// How much later than it was measured a fix may come, in seconds (*Interfaces*).
    private static let lateness = 5.0

    /// Works by other settings from the next fix on.
    func adopt(_ policy: TrackingPolicy) {
        pipeline.adopt(policy)
        // What they decided was decided by other settings.
        histories.forgetAll()
    }

    /// Commits by other rules from now on.
    func adopt(_ policy: CommitPolicy) { commitPolicy = policy }

    /// These receivers there are from now on: devices of others are offline, and no receiver's any more.
    func keep(receivers names: Set<String>) {
        receivers = names
        for device in sources.keys where !names.contains(SourceState.receiver(of: device)) {
            note(device, isOnline: false, reason: "it is not configured any more")
            sources[device] = nil
        }
        settle(clock.moment())
        tickSoon()
    }

    /// What time it certainly is, or later: nothing may be thrown away for a clock that is wrong.
    ///
    /// That is the system's time, at most a day after the newest fix; without a clock that is kept, the newest fix.
    func trustedTime() -> Timestamp? {
        let newest = arrivals.values.compactMap(\.fix.time).max()
        let day = Timestamp.millisecondsPerDay
        guard clock.isSynchronised() != false else { return newest }
        return newest.map { min(clock.time(), $0.advanced(byMilliseconds: day)) } ?? clock.time()
    }

    private func ingest(_ fix: Fix, device: String, isLive: Bool, now: Double) {
        let before = pipeline.load
        change(device) { tracker, output in
            if isLive, let time = fix.time {
                let effect = timelines[device, default: LiveTimeline()].judge(
                    time, after: tracker.position?.time, now: now,
                    systemTime: clock.isSynchronised() == true ? clock.time() : nil)
                switch effect {
                case .passes: break
                case .held:
                    return histories.add(fix, of: device, &tracker, now: now, revision: pipeline.index.revision) {
                        $0.reject(reason: FixHistory.future)
                        return .rejected(FixHistory.future)
                    }
                case .restarts:
                    logger.notice("\(device) begins its timeline anew: its time has gone back for good")
                    tracker.restart(into: &output)
                    histories.forget(device)
                }
            }
            histories.add(fix, of: device, &tracker, now: now, revision: pipeline.index.revision) {
                $0.ingest(fix, in: pipeline.index, into: &output)
            }
        }
        mark(before, now)
        let positions = pipeline.takePositions()
        guard !positions.isEmpty else { return }
        arrivals[device] = Arrival(fix: fix, moment: now)
        if hub.isHeard { hub.publish(positions.map { JournalEntry(Pipeline.Told(event: $0, stored: nil)) }) }
        numbers.positionLatency.add(clock.moment() - now)
    }

    /// Changes a tracker; all of those in the store were restored at the start, so that none is read now.
    private func change(_ device: String, _ body: (inout Tracker, inout Tracker.Output) -> Void) {
        do {
            try pipeline.change(device, body)
        } catch {
            logger.error("\(device): its state cannot be read: \(error)")
        }
    }

    private func note(_ device: String, isOnline: Bool, reason: String?) {
        if let known = sources[device], known.isOnline == isOnline {
            sources[device]?.reason = reason
            return sources.dropWholes()
        }
        let state = SourceState(isOnline: isOnline, reason: reason, since: clock.time())
        sources[device] = state
        sources.dropWholes()
        let before = pipeline.load
        pipeline.note(EventRecord(state, of: device, isClockSynchronised: clock.isSynchronised()))
        mark(before, clock.moment())
        if isOnline {
            logger.notice("\(device) is online")
        } else {
            logger.warning("\(device) is offline: \(reason ?? "it says nothing")")
        }
    }

    /// The devices that a receiver has been heard by, or missed.
    func devices(ofReceiver name: String) -> [String] {
        sources.keys.filter { SourceState.receiver(of: $0) == name }.sorted()
    }

    private func mark(_ before: Pipeline.Load, _ now: Double) {
        let after = pipeline.load
        if after.events > before.events, oldestEvent == nil { oldestEvent = now }
        if after.points > before.points, oldestChange == nil { oldestChange = now }
    }
}
