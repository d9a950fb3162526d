import EventStream
import Geodesy
import Logging
import NIOCore
import NIOPosix
import Positioning
import Receivers
import Store
import Time
import Tracking

/// The pipeline of live fixes, which takes the reports of receivers, publishes positions, and commits events and trips.
///
/// Taking a report never waits for the disk. Positions are published at once. One task, ``commitUntilCancelled()``,
/// commits all durable data, and publishes events once they are on the disk; see ``LiveCommits``.
///
/// The actor runs on the event loop that reads receivers and writes to subscribers. A fix therefore passes from a
/// receiver to a subscriber without waking another thread. Only commits run on a thread of their own.
actor LivePipeline {
    /// A fix and its time of arrival.
    struct Arrival: Sendable {
        var fix: Fix
        /// Seconds of the monotonic clock.
        var moment: Double
    }

    let store: LocationDatabase
    let health: StoreHealth
    let hub: EventHub
    let clock: LiveClock
    let logger: Logger
    private nonisolated let eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.any()
    // The executor is the event loop, which lives as long as the actor does.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe eventLoop.executor.asUnownedSerialExecutor() }
    let pipeline: Pipeline
    let commits: LiveCommits
    private var timelines: [String: LiveTimeline] = [:]
    /// The last fixes of each device whose time is still to be proved.
    private var waiting: [String: [Fix]] = [:]
    /// The most fixes of a device that are kept until their time is proved.
    private static let maximumWaiting = 1000
    /// The last accepted fix of each device.
    private(set) var arrivals: [String: Arrival] = [:]
    private(set) var sources: [String: SourceState] = [:]
    /// The names of the configured receivers.
    private(set) var receivers: Set<String> = []
    /// The counts of unreadable input from receivers, by reason.
    private(set) var skipped = Tally()
    private(set) var histories = FixHistories()
    /// The delays between the report of a fix and the publication of its position.
    private(set) var positionLatency = LatencyHistogram()
    /// The devices whose fixes come from recordings, so that their times are unrelated to the clock.
    private var recorded: Set<String> = []
    /// Whether ``startTicking()`` was called.
    private var isTicking = false
    private var isTickScheduled = false
    /// The devices whose fixes come by request.
    var reported: [String: ReportedDevice] = [:]
    /// The number of requests of phones with an unknown secret, and the moment of the last one.
    var strangers: (count: Int, last: Double?) = (0, nil)
    /// Told when late fixes have been stored.
    let lateFixes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// The addresses of the configured receivers, as far as they are known.
    private(set) var addresses: [String: ReceiverAddress] = [:]
    var healthWatch: HealthWatch
    /// What was last known about the machine.
    var surroundings = HealthSnapshot.Surroundings()
    /// Whether ``startWatchingHealth()`` was called.
    private var isWatchingHealth = false
    private var isHealthScheduled = false

    /// Creates a pipeline whose devices continue from their states in the store.
    ///
    /// - Throws: `StoreError` if the states cannot be read.
    init(
        store: LocationDatabase, hub: EventHub, policy: TrackingPolicy, commitPolicy: CommitPolicy = CommitPolicy(),
        clock: LiveClock = .system, logger: Logger
    ) throws {
        self.store = store
        health = StoreHealth(store.damage)
        self.hub = hub
        self.clock = clock
        self.logger = logger
        pipeline = Pipeline(store: store, index: try GeofenceIndex(of: store), policy: policy, positions: .returned)
        commits = LiveCommits(of: pipeline, to: hub, policy: commitPolicy, clock: clock, logger: logger)
        let now = clock.moment()
        healthWatch = HealthWatch(start: now, told: try store.lastHealthFindings())
        for device in try store.devices() {
            do {
                try pipeline.restore(device: device.name)
            } catch StoreError.damaged(_, let detail) {
                // One device's damaged state must not keep the others from being tracked.
                logger.error("\(detail). The device starts without a state.")
                pipeline.begin(device: device.name)
            }
            guard let last = device.last, device.isTracked else { continue }
            // The fix came before this start, so it is at least this old.
            arrivals[device.name] = Arrival(fix: Fix(time: last.time, coordinate: last.place), moment: now)
        }
        for name in try store.read(ReportedDevices.names) {
            reported[name] = ReportedDevice(lastAccepted: pipeline.tracker(of: name)?.position?.time, moment: now)
        }
        if try !store.read(LateFixes.devices).isEmpty { lateFixes.continuation.yield() }
        sources = try store.sourceStates()
        sources.removeSupersededSources { [pipeline] in pipeline.tracker(of: $0)?.position != nil }
    }

    /// Takes reports of a receiver, and waits while the store cannot keep up.
    ///
    /// - Parameter isRecording: Whether the receiver replays a recording, whose times are unrelated to the clock.
    func receive(_ reports: [ReceiverReport], isRecording: Bool) async {
        accept(reports, isRecording: isRecording)
        await commits.waitWhileCrowded(isRecording: isRecording)
    }

    /// Takes reports of a live receiver without waiting, if the caller is on the pipeline's event loop and the store
    /// keeps up.
    ///
    /// - Returns: Whether the reports were taken.
    nonisolated func receiveAtOnce(_ reports: [ReceiverReport]) -> Bool {
        guard eventLoop.inEventLoop else { return false }
        return assumeIsolated { pipeline in
            guard !pipeline.commits.isCrowded(isRecording: false) else { return false }
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
                // Only the reason has changed, so there is no event.
                if sources[device]?.isOnline == false { sources[device]?.reason = reason }
            case .skipped(let tally): skipped.add(tally)
            case .notice(let text, let device): logger.notice("\(device): \(text)")
            // The trip of a recording stays open, because another recording may continue it.
            case .ended: break
            }
        }
        considerHealth(now)
        commits.settle(now)
        tickSoon()
    }

    /// Commits when a commit is due until the task is cancelled, then commits everything that is pending.
    ///
    /// - Throws: ``CommitOverflow`` if the store has failed for too long. `StoreError` if the last commit fails, or if
    ///   the store must be reopened.
    func commitUntilCancelled() async throws {
        // On every exit, resume all tasks that wait for a commit.
        defer { commits.end() }
        while await commits.wait() {
            try await commits.commitWhatIsDue()
            if (commits.failure != nil) != (healthWatch.failedSince != nil) {
                healthWatch.failedSince = commits.failure == nil ? nil : clock.time()
                healthWatch.markStale()
                considerHealth(clock.moment())
                commits.settle(clock.moment())
            }
            if commits.failure != nil { tickSoon() }
            try await commits.answerProbes()
        }
        try await commits.drain()
    }

    /// Waits until a probe has passed this actor, the committing task, the store's writer and the hub; see
    /// ``LiveCommits/probe()``.
    func probe() async { await commits.probe() }

    /// Starts to call ``tick()`` about once a second while anything depends on the passing of time.
    ///
    /// While all devices are at rest, the daemon does not wake the processor.
    func startTicking() {
        isTicking = true
        tickSoon()
    }

    /// Schedules the next tick, unless one is scheduled.
    func tickSoon() {
        guard isTicking, !isTickScheduled, !commits.isDraining else { return }
        isTickScheduled = true
        // The executor is the event loop.
        eventLoop.scheduleTask(in: .seconds(1)) { [weak self] in
            self?.assumeIsolated { pipeline in
                pipeline.isTickScheduled = false
                if pipeline.tick() { pipeline.tickSoon() }
            }
        }
    }

    /// Emits the events that silence causes, and wakes the committing task if a commit is due.
    ///
    /// ``startTicking()`` calls it about once a second.
    ///
    /// - Returns: Whether anything still depends on the passing of time.
    @discardableResult
    func tick() -> Bool {
        let now = clock.moment()
        let before = pipeline.load
        var waits = commits.failure != nil
        for (device, arrival) in arrivals where !recorded.contains(device) {
            guard let last = arrival.fix.time, pipeline.tracker(of: device)?.openTrip != nil else { continue }
            waits = true
            // A phone without a network is silent and may be driving.
            if let report = reported[device], now - report.lastRequest < ReportedDevice.patience { continue }
            let passed = Int64(((now - arrival.moment - Self.lateness) * 1000).rounded(.down))
            guard passed > 0 else { continue }
            change(device) { $0.elapse(until: last.advanced(byMilliseconds: passed), into: &$1) }
        }
        for (device, report) in reported where sources[device]?.isOnline == true {
            waits = true
            guard now - report.lastRequest >= ReportedDevice.patience else { continue }
            note(device, isOnline: false, reason: "it has sent nothing for 6 hours")
        }
        commits.mark(before, now)
        commits.settle(now)
        return waits || !pipeline.load.isNone
    }

    /// The maximum delay of a fix after its measurement, in seconds (*Interfaces*).
    private static let lateness = 5.0

    /// Applies other settings from the next fix on.
    func adopt(_ policy: TrackingPolicy) {
        pipeline.adopt(policy)
        // The old settings led to the recorded decisions, so explanations of them would be wrong.
        histories.forgetAll()
    }

    /// Applies other rules for commits.
    func adopt(_ policy: CommitPolicy) { commits.policy = policy }

    /// Sets the configured receivers.
    ///
    /// The devices of other receivers go offline and are forgotten.
    ///
    /// - Parameter addresses: The addresses of the receivers; the health of others is not judged.
    func keep(receivers names: Set<String>, at addresses: [String: ReceiverAddress] = [:]) {
        receivers = names
        self.addresses = addresses
        for device in sources.keys where !names.contains(SourceState.receiver(of: device)) && reported[device] == nil {
            note(device, isOnline: false, reason: "it is not configured any more")
            sources[device] = nil
            healthWatch.forget(device)
        }
        considerHealth(clock.moment())
        commits.settle(clock.moment())
        tickSoon()
    }

    /// Returns a time that has certainly been reached; `nil` if none is known.
    ///
    /// Deletions by age use it, so that a wrong clock deletes nothing. It is the system's time, but at most a day after
    /// the newest fix. If the system's clock is not synchronised, it is the time of the newest fix.
    func trustedTime() -> Timestamp? {
        let newest = arrivals.values.compactMap(\.fix.time).max()
        let day = Timestamp.millisecondsPerDay
        guard clock.isSynchronised() != false else { return newest }
        return newest.map { min(clock.time(), $0.advanced(byMilliseconds: day)) } ?? clock.time()
    }

    private func ingest(_ fix: Fix, device: String, isLive: Bool, now: Double) {
        let before = pipeline.load
        let positions = change(device) { tracker, output in
            if isLive, let time = fix.time, !time.isOfUnknownWeek {
                var timeline = timelines[device, default: LiveTimeline()]
                let last = tracker.position?.time
                let effect = timeline.judge(
                    time, after: last, now: now, systemTime: clock.isSynchronised() == true ? clock.time() : nil,
                    latestKnown: [clock.time(), Self.released, last].compactMap(\.self).max())
                timelines[device] = timeline
                let proved = keepWaiting(fix, of: device, timeline)
                switch effect {
                case .passes: break
                case .held:
                    return histories.add(fix, of: device, &tracker, now: now, revision: pipeline.index.revision) {
                        $0.reject(reason: FixHistory.future)
                        return .rejected(FixHistory.future)
                    }
                case .restarts:
                    let way = last.map { time > $0 } ?? false ? "jumped ahead" : "gone back"
                    logger.notice("\(device) starts a new timeline, because its time has \(way) for good")
                    tracker.restart(into: &output)
                    histories.forget(device)
                }
                let wasLate = last.map { time <= $0 } ?? false
                for earlier in proved {
                    tracker.retractRejection(reason: wasLate ? FixGate.Rejection.late.rawValue : FixHistory.future)
                    histories.add(earlier, of: device, &tracker, now: now, revision: pipeline.index.revision) {
                        $0.ingest(earlier, in: pipeline.index, into: &output)
                    }
                }
            }
            histories.add(fix, of: device, &tracker, now: now, revision: pipeline.index.revision) {
                $0.ingest(fix, in: pipeline.index, into: &output)
            }
        }
        commits.mark(before, now)
        tell(positions, of: fix, device: device, since: now)
    }

    /// Passes a fix to a tracker, and keeps it to explain what came of it.
    func record(
        _ fix: Fix, of device: String, _ tracker: inout Tracker, now: Double, into output: inout Tracker.Output
    ) {
        histories.add(fix, of: device, &tracker, now: now, revision: pipeline.index.revision) {
            $0.ingest(fix, in: pipeline.index, into: &output)
        }
    }

    /// Publishes the positions of a fix that has arrived.
    func tell(_ positions: [Event], of fix: Fix, device: String, since now: Double) {
        guard !positions.isEmpty else { return }
        arrivals[device] = Arrival(fix: fix, moment: now)
        if hub.hasSubscribers { hub.publish(positions.map { EventRecord($0) }) }
        positionLatency.add(clock.moment() - now)
    }

    /// The day of the release, at which no clock can be.
    private static let released = Timestamp(ProgramInfo.released, millisecondsOfDay: 0)

    /// Keeps a fix whose time is to be proved, and returns those before it that it has proved.
    private func keepWaiting(_ fix: Fix, of device: String, _ timeline: LiveTimeline) -> [Fix] {
        if timeline.waiting == 0 {
            // Without this check, each good fix would look for a list that is not there.
            return waiting.isEmpty ? [] : Array((waiting.removeValue(forKey: device) ?? []).suffix(timeline.proved))
        }
        waiting[device] = (waiting[device] ?? []).suffix(min(timeline.waiting, Self.maximumWaiting) - 1) + [fix]
        return []
    }

    /// Changes the tracker of a device, and returns the positions that it emits.
    ///
    /// All devices of the store were restored at the start, so this reads nothing from the store.
    @discardableResult
    private func change(_ device: String, _ body: (inout Tracker, inout Tracker.Output) -> Void) -> [Event] {
        do {
            return try pipeline.change(device, body)
        } catch {
            logger.error("\(device): its state cannot be read: \(error)")
            return []
        }
    }

    /// Keeps whether a device is online, and emits an event if that is new.
    func note(_ device: String, isOnline: Bool, reason: String?) {
        healthWatch.note(device, isOnline: isOnline, now: clock.moment())
        if let known = sources[device], known.isOnline == isOnline {
            sources[device]?.reason = reason
            return removeSupersededSource(by: device)
        }
        let state = SourceState(isOnline: isOnline, reason: reason, since: clock.time())
        sources[device] = state
        removeSupersededSource(by: device)
        let before = pipeline.load
        pipeline.note(EventRecord(state, of: device, isClockSynchronised: clock.isSynchronised()))
        commits.mark(before, clock.moment())
        if isOnline {
            logger.notice("\(device) is online")
        } else {
            logger.warning("\(device) is offline: \(reason ?? "no reason given")")
        }
    }

    private func removeSupersededSource(by device: String) {
        sources.removeSupersededSource(by: device) { pipeline.tracker(of: $0)?.position != nil }
    }

    // MARK: Health

    /// Starts to judge the health when a receiver reports something and when its silence becomes a finding.
    ///
    /// While no receiver is online, this does not wake the processor.
    func startWatchingHealth() {
        isWatchingHealth = true
        considerHealth(clock.moment())
        commits.settle(clock.moment())
    }

    /// Judges the health with new facts about the machine, and emits the event `health.changed` if the findings differ
    /// from those of the last one.
    @discardableResult
    func reviewHealth(_ surroundings: HealthSnapshot.Surroundings) -> [HealthFinding] {
        self.surroundings = surroundings
        let now = clock.moment()
        let findings = judgeHealth(now)
        commits.settle(now)
        tickSoon()
        return findings
    }

    /// Takes a sample of the counters and judges the health, if either is due.
    private func considerHealth(_ now: Double) {
        if healthWatch.needsSample(now) { healthWatch.add(fixCounts, at: now) }
        guard isWatchingHealth, healthWatch.isDue(now) else { return }
        judgeHealth(now)
    }

    @discardableResult
    private func judgeHealth(_ now: Double) -> [HealthFinding] {
        if healthWatch.needsSample(now) { healthWatch.add(fixCounts, at: now) }
        let snapshot = healthSnapshot()
        let findings = snapshot.findings
        if let news = healthWatch.update(findings, now: now) {
            let before = pipeline.load
            pipeline.note(EventRecord(news, at: snapshot.time))
            commits.mark(before, now)
            for finding in news {
                logger.warning("\(finding.part.rawValue): \(finding.text). \(finding.remedy)")
            }
            if news.isEmpty { logger.notice("all is well") }
        }
        if isWatchingHealth, let wait = snapshot.nextDeadline { judgeHealth(in: wait) }
        return findings
    }

    /// Judges the health after a time, unless that is planned already.
    ///
    /// A fix that comes meanwhile changes no timer. When the time is up, the next deadline is computed.
    private func judgeHealth(in seconds: Double) {
        guard !isHealthScheduled, !commits.isDraining else { return }
        isHealthScheduled = true
        eventLoop.scheduleTask(in: TimeAmount(.seconds(min(seconds, 86_400)))) { [weak self] in
            self?.assumeIsolated { pipeline in
                pipeline.isHealthScheduled = false
                guard !pipeline.commits.isDraining else { return }
                let now = pipeline.clock.moment()
                pipeline.judgeHealth(now)
                pipeline.commits.settle(now)
            }
        }
    }

    /// Returns the devices of a receiver, sorted by name.
    func devices(ofReceiver name: String) -> [String] {
        sources.keys.filter { SourceState.receiver(of: $0) == name }.sorted()
    }
}
