import Positioning
import Time

/// What a live pipeline remembers to judge its health: the counts of fixes in the last minute, and what was told.
struct HealthWatch: Sendable {
    /// The counters of the devices at one moment.
    private struct Sample: Sendable {
        var moment: Double
        var counts: [String: HealthSnapshot.Counts]
    }

    /// The seconds between two samples.
    private static let interval = 10.0
    /// The length of the time over which refused fixes are counted, in seconds.
    private static let span = 60.0

    /// The moment of the start.
    let start: Double
    /// The moments at which receivers went online since the start.
    private(set) var online: [String: Double] = [:]
    /// The devices whose receivers have reported something since the start.
    private(set) var reported: Set<String> = []
    /// The moment since when the store cannot be written, by the system's clock.
    var failedSince: Timestamp?
    /// The last findings, with the time since when each is so.
    private(set) var before: [String: Timestamp] = [:]
    /// The names of the findings that the last event reported.
    private(set) var told: Set<String>
    /// Whether a state has changed since the last judgement.
    private(set) var isStale = false
    /// The devices about whose fixes there is a finding, so that a good one ends it.
    private var blind: Set<String> = []
    private var judged = -Double.infinity
    private var samples: [Sample] = []

    /// Begins with what the last event of the log reported.
    init(start: Double, told: [String: Timestamp]) {
        self.start = start
        self.told = Set(told.keys)
        before = told
    }

    /// Notes a report of a receiver's state.
    mutating func note(_ device: String, isOnline: Bool, now: Double) {
        isStale = true
        reported.insert(device)
        if !isOnline {
            online[device] = nil
        } else if online[device] == nil {
            online[device] = now
        }
    }

    /// Forgets a device whose receiver is not configured any more.
    mutating func forget(_ device: String) {
        isStale = true
        online[device] = nil
        reported.remove(device)
    }

    /// Notes that something else has changed.
    mutating func markStale() { isStale = true }

    /// Whether the next sample is due.
    func needsSample(_ now: Double) -> Bool { now - (samples.last?.moment ?? -.infinity) >= Self.interval }

    /// Adds a sample of the counters.
    mutating func add(_ counts: [String: HealthSnapshot.Counts], at now: Double) {
        samples.append(Sample(moment: now, counts: counts))
        // The last sample from before the span is the one to compare with.
        let oldest = samples.lastIndex { now - $0.moment >= Self.span } ?? 0
        samples = Array(samples.dropFirst(oldest))
    }

    /// Returns the fixes of a device in the last minute, given its counters now.
    func minute(of device: String, _ now: HealthSnapshot.Counts) -> HealthSnapshot.Counts {
        guard let before = samples.first?.counts[device], before.read <= now.read else { return now }
        var minute = HealthSnapshot.Counts(read: now.read - before.read, accepted: now.accepted - before.accepted)
        for (reason, count) in now.rejected.sorted where count > before.rejected[reason] {
            minute.rejected.count(reason, times: count - before.rejected[reason])
        }
        return minute
    }

    /// Whether a device has sent fixes since a sample that is ten to twenty seconds old, given its counters now.
    func isSending(_ device: String, _ counts: HealthSnapshot.Counts, now: Double) -> Bool {
        let recent = samples.last { now - $0.moment >= Self.interval } ?? samples.first
        return counts.read > recent?.counts[device]?.read ?? 0
    }

    /// Whether fixes of a device were refused in the last minute, but not only in the last ten to twenty seconds.
    func hasRefused(_ device: String, now: Double) -> Bool {
        guard let first = samples.first?.counts[device],
            let recent = samples.last(where: { now - $0.moment >= Self.interval })?.counts[device]
        else { return false }
        return recent.rejected.total > first.rejected.total
    }

    /// Whether to judge after a report of a receiver, without waiting for the timer.
    func isDue(_ now: Double) -> Bool { isStale || (!blind.isEmpty && now - judged >= 1) }

    /// Takes the findings of a judgement.
    ///
    /// - Returns: The findings to report in an event; `nil` if they are those of the last event, or the daemon was
    ///   started less than half a minute ago, when little is known yet.
    mutating func update(_ findings: [HealthFinding], now: Double) -> [HealthFinding]? {
        judged = now
        isStale = false
        let isEarly = now - start < HealthSnapshot.patience
        let known = before
        before = Dictionary(findings.map { ($0.id, $0.since) }) { $1 }
        if isEarly { before.merge(known) { found, _ in found } }
        blind = Set(
            findings.filter { $0.id.hasPrefix("no-fix/") || $0.id.hasPrefix("refused/") }.map(\.id))
        let news = findings.filter(\.isTold)
        let names = Set(news.map(\.id))
        guard !isEarly, names != told else { return nil }
        told = names
        return news
    }
}
