import Positioning

/// Input from a connection, as the supervision sees it.
enum ReceiverInput: Hashable, Sendable {
    /// A receiver sent valid data, possibly with fixes.
    ///
    /// gpsd names the receiver; a datagram has its sender's address.
    case validData([Fix], from: String? = nil)
    /// Bytes came that are not valid so far.
    case noise
    /// gpsd has these receivers.
    case listing([String])
    /// gpsd answers.
    ///
    /// Nothing is known of its receivers yet.
    case opened
    /// gpsd has closed this receiver.
    case closed(String)
    /// Nothing came for the idle time.
    case silence
    /// Input was skipped.
    case skipped(Tally)
    /// Something that a person may want to know, as a clause.
    case notice(String)
}

/// Decides from the input of its connections whether a receiver is online.
///
/// This is a plain value. Its caller passes in what happens and when; it returns what to report and how long to wait
/// before the next attempt. It reports a state when the state changes instead of at each attempt, and the reason for
/// being offline when the reason changes.
struct Supervision: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The time for which a connection must deliver valid data to count as good.
    ///
    /// After it, the waits start over.
    static let steady = Duration.seconds(10)
    /// The interval between reports of skipped input.
    ///
    /// They feed counters, which nobody reads more often.
    static let skippedInterval = Duration.seconds(60)

    /// The number of devices up to which each silence is reported at once.
    private static let fewDevices = 64

    private struct State {
        /// Whether the device was reported as online; `nil` if nothing was reported yet.
        var isOnline: Bool?
        /// The last reported reason for being offline.
        var reason: String?
        var lastValidData: Instant
    }

    private let name: String
    private let idle: Duration
    private var names: DeviceNames
    /// The names of those who send datagrams; `nil` for other sources.
    private var senders: SenderNames?
    private var states: [String: State] = [:]
    /// The moment before which no device can have been silent for the idle time.
    private var nextLook: Instant
    private var backoff: Backoff
    private var firstValidData: Instant?
    private var lastValidData: Instant
    private var skipped = Tally()
    private var lastSkipped: Instant
    /// Whether no valid data has come for the idle time.
    private(set) var isSilent = false

    /// Creates the supervision of a receiver whose state is unknown.
    ///
    /// - Parameter known: the devices that the receiver had before. The first state of each is reported.
    init(
        name: String, idle: Duration, isLocal: Bool, hasSenders: Bool = false, known: [String] = [], at now: Instant
    ) {
        self.name = name
        self.idle = idle
        names = DeviceNames(name)
        senders = hasSenders ? SenderNames(name, known: known, at: now) : nil
        backoff = Backoff(isLocal: isLocal)
        lastValidData = now
        lastSkipped = now
        nextLook = now
        for device in known { states[device] = State(isOnline: nil, lastValidData: now) }
    }

    /// Notes that a connection attempt begins.
    mutating func begin(at now: Instant) {
        firstValidData = nil
        lastValidData = now
        isSilent = false
    }

    /// Processes input from a connection, and returns what to report.
    mutating func process(_ input: ReceiverInput, at now: Instant) -> [ReceiverReport] {
        switch input {
        case .validData(let fixes, let path): return process(fixes, from: path, at: now)
        case .noise:
            guard now - lastValidData >= idle else { return [] }
            isSilent = true
            return reportOffline("no NMEA sentence in its data for \(seconds)", at: now)
        case .listing(let paths):
            names.list(paths)
            return []
        case .opened:
            // The failure that prevented the connection is over.
            return sortedDevices.filter { states[$0]?.isOnline == false && states[$0]?.reason != silence }
                .flatMap { reportOffline($0, Self.noDataReason) }
        case .notice(let text): return [.notice(text, device: name)]
        case .closed(let path):
            guard let device = names.name(of: path) else { return [] }
            let reports = reportOffline(device, "gpsd has closed it")
            let isOtherOnline = states.contains { $0.key != name && $0.value.isOnline == true }
            return isWholeKnown && !isOtherOnline ? reports + reportOffline(name, "gpsd has closed it") : reports
        case .silence:
            isSilent = true
            return reportOffline(silence, at: now)
        case .skipped(let tally):
            skipped.add(tally)
            return now - lastSkipped >= Self.skippedInterval ? reportSkipped(at: now) : []
        }
    }

    /// Processes the end of a connection, or a failed attempt, and returns what to report.
    mutating func end(_ reason: String, at now: Instant) -> [ReceiverReport] {
        if let firstValidData, now - firstValidData >= Self.steady { backoff.reset() }
        // If the connection ended because of silence, a better description has been reported already.
        return (isSilent ? [] : reportOffline(reason, at: now)) + reportSkipped(at: now)
    }

    /// Returns how long to wait before the next attempt.
    ///
    /// `random` is at least 0 and less than 1.
    mutating func wait(random: Double) -> Duration { backoff.wait(random: random) }

    /// The reason of a receiver that has sent nothing since the connection was made.
    private static let noDataReason = "gpsd answers, but the receiver has sent nothing yet"

    private var silence: String { "silent for \(seconds)" }

    private var seconds: String { "\(ReceiverAddress.number(idle / .seconds(1))) s" }

    private mutating func process(_ fixes: [Fix], from path: String?, at now: Instant) -> [ReceiverReport] {
        guard var device = names.name(of: senders == nil ? path : nil) else {
            skipped.count("too-many-receivers")
            return []
        }
        var reports: [ReceiverReport] = []
        if let path, senders != nil {
            guard let known = senders?.name(of: path, at: now) else {
                skipped.count("too-many-senders")
                return []
            }
            device = known
        }
        if device != name, isWholeKnown {
            if states[name]?.isOnline != true { reports.append(.online(device: name)) }
            states[name] = State(isOnline: true, lastValidData: now)
        }
        if states[device]?.isOnline != true { reports.append(.online(device: device)) }
        if !fixes.isEmpty { reports.append(.fixes(fixes, device: device)) }
        states[device] = State(isOnline: true, lastValidData: now)
        if firstValidData == nil { firstValidData = now }
        lastValidData = now
        isSilent = false
        return reports + reportSilence(at: now)
    }

    /// Reports the devices that have been silent for the idle time.
    ///
    /// All of them are looked at only when the first can be silent, and of many at most once a second.
    private mutating func reportSilence(at now: Instant) -> [ReceiverReport] {
        guard now >= nextLook else { return [] }
        var reports: [ReceiverReport] = []
        var next = now + idle
        for device in sortedDevices {
            guard let state = states[device], state.isOnline != false else { continue }
            if now - state.lastValidData >= idle {
                reports += reportOffline(device, silence)
            } else {
                next = min(next, state.lastValidData + idle)
            }
        }
        nextLook = states.count > Self.fewDevices ? max(next, now + .seconds(1)) : next
        return reports
    }

    /// Reports all devices as offline, or the receiver itself if it has no devices yet.
    private mutating func reportOffline(_ reason: String, at now: Instant) -> [ReceiverReport] {
        guard !states.isEmpty else {
            states[name] = State(isOnline: false, reason: reason, lastValidData: now)
            return [.offline(device: name, reason: reason)]
        }
        return sortedDevices.flatMap { reportOffline($0, reason) }
    }

    private mutating func reportOffline(_ device: String, _ reason: String) -> [ReceiverReport] {
        guard let state = states[device], state.isOnline != false || state.reason != reason else { return [] }
        states[device]?.isOnline = false
        states[device]?.reason = reason
        return state.isOnline == false
            ? [.stillOffline(device: device, reason: reason)] : [.offline(device: device, reason: reason)]
    }

    /// Whether the source has been reported as a whole, before its receivers were known.
    ///
    /// In this case none of its receivers has its name, and the source is online while any of them is.
    private var isWholeKnown: Bool { senders == nil && states[name] != nil && !names.isGiven(name) }

    private var sortedDevices: [String] { states.count == 1 ? Array(states.keys) : states.keys.sorted() }

    private mutating func reportSkipped(at now: Instant) -> [ReceiverReport] {
        guard !skipped.isEmpty else { return [] }
        defer {
            skipped = Tally()
            lastSkipped = now
        }
        return [.skipped(skipped)]
    }
}
