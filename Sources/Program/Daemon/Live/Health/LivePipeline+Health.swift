import Positioning
import RPC
import Receivers
import Service
import Store
import Time
import Tracking

extension LivePipeline {
    /// Everything known now that decides whether the daemon is well.
    func healthSnapshot() -> HealthSnapshot {
        let now = clock.moment()
        let time = clock.time()
        var snapshot = HealthSnapshot(
            time: time, uptime: now - healthWatch.start, isSynchronised: clock.isSynchronised(), store: store.path,
            receivers: receivers.count + reported.count)
        let awaited = receivers.subtracting(sources.keys.map(SourceState.receiver(of:)))
        snapshot.sources = Set(sources.keys).union(awaited).sorted().map { source(of: $0, now: now, time: time) }
        let online = snapshot.sources.filter { $0.state?.isOnline == true }.map { receiver(of: $0.device) }
        let counts = Dictionary(online.map { ($0, 1) }, uniquingKeysWith: +)
        for index in snapshot.sources.indices {
            let source = snapshot.sources[index]
            let others = (counts[receiver(of: source.device)] ?? 0) - (source.state?.isOnline == true ? 1 : 0)
            snapshot.sources[index].hasSibling = others > 0
        }
        if let failure = commits.failure {
            let isFull = if case .full = failure.error { true } else { false }
            snapshot.failure = (failure.error.description, isFull, healthWatch.failedSince ?? time)
        }
        snapshot.droppedPoints = commits.numbers.droppedPoints
        snapshot.damage = health.state
        snapshot.phones = phonesHealth(now: now)
        snapshot.surroundings = surroundings
        snapshot.before = healthWatch.before
        return snapshot
    }

    private func receiver(of device: String) -> String { SourceState.receiver(of: device) }

    private func source(of device: String, now: Double, time: Timestamp) -> HealthSnapshot.Source {
        var source = HealthSnapshot.Source(
            device: device, address: addresses[receiver(of: device)], state: sources[device])
        source.isReported = healthWatch.reported.contains(device)
        source.online = healthWatch.online[device].map { now - $0 }
        let counts = HealthSnapshot.Counts(of: pipeline.tracker(of: device))
        source.minute = healthWatch.minute(of: device, counts)
        source.hasRefusedBefore = healthWatch.hasRefused(device, now: now)
        source.isSending = healthWatch.isSending(device, counts, now: now)
        guard counts.accepted > 0, let arrival = arrivals[device] else { return source }
        let age = now - arrival.moment
        source.fixAge = age
        source.ahead = arrival.fix.time.map { $0.seconds(since: time) + age }
        return source
    }

    /// The counters of the devices with receivers.
    var fixCounts: [String: HealthSnapshot.Counts] {
        var counts: [String: HealthSnapshot.Counts] = [:]
        for device in sources.keys { counts[device] = HealthSnapshot.Counts(of: pipeline.tracker(of: device)) }
        return counts
    }

    /// Returns how long ago the last accepted fix of a device came, in seconds, and whether it is too old to say where
    /// the device is now; `nil` without a fix.
    func age(of device: String) async -> FixAge? { fixAge(of: device) }

    /// As ``age(of:)``, within the actor.
    func fixAge(of device: String) -> FixAge? {
        guard let arrival = arrivals[device] else { return nil }
        var age = max(0, clock.moment() - arrival.moment)
        if pipeline.tracker(of: device)?.statistics.accepted ?? 0 == 0, let last = arrival.fix.time {
            // It came before the start, so the clock must say when.
            age = max(age, clock.time().seconds(since: last))
        }
        let idle =
            reported[device] == nil
            ? addresses[receiver(of: device)].map { $0.idle / .seconds(1) } ?? 0 : ReportedDevice.idle
        return FixAge(seconds: age, isOld: age >= max(HealthSnapshot.patience, idle))
    }
}

extension HealthSnapshot.Counts {
    init(of tracker: Tracker?) {
        let statistics = tracker?.statistics ?? Tracker.Statistics()
        self.init(read: statistics.read, accepted: statistics.accepted, rejected: statistics.rejected)
    }
}

extension HealthSnapshot {
    /// The seconds until the silence of a receiver may become a finding; `nil` if none is online.
    var nextDeadline: Double? {
        let waits = sources.compactMap { source -> Double? in
            guard let address = source.address, !address.isFile, source.state?.isOnline == true else { return nil }
            let blind = min(source.fixAge ?? .infinity, source.online ?? uptime, uptime)
            let wait = max(Self.patience, address.idle / .seconds(1)) - blind
            return wait > 0 ? wait : nil
        }
        // The half minute after the start, in which nothing is told, ends too.
        let start = Self.patience - uptime
        return (waits + (start > 0 ? [start] : [])).min().map { max($0, 0) + 0.1 }
    }
}

extension LocationDatabase {
    /// Returns the findings of the last event `health.changed`, with the time since when each is so.
    ///
    /// Only the latest events are searched, so that a log of years costs nothing.
    func lastHealthFindings() throws -> [String: Timestamp] {
        guard let event = try read({ try EventLog.last(ofType: EventRecord.healthChanged, in: $0) }),
            case .array(let findings)? = try? JSONValue(parsing: event.line.span)["findings"]
        else { return [:] }
        let pairs = findings.compactMap { finding -> (String, Timestamp)? in
            guard case .string(let id)? = finding["id"], case .string(let since)? = finding["since"],
                let time = Timestamp(rfc3339: since)
            else { return nil }
            return (id, time)
        }
        return Dictionary(pairs) { $1 }
    }
}
