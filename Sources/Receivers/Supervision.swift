import Positioning

/// What a connection brings.
enum Hearing: Hashable, Sendable {
    /// A receiver said something that makes sense, perhaps with fixes; gpsd says which one.
    case sense([Fix], from: String? = nil)
    /// Bytes came that make no sense so far.
    case noise
    /// gpsd has these receivers.
    case listing([String])
    /// gpsd answers; nothing is known of its receivers yet.
    case opened
    /// gpsd has closed this receiver.
    case closed(String)
    /// Nothing came for the idle time.
    case silence
    /// This was not read.
    case skipped(Tally)
}

/// Judges from what its connections bring whether a receiver is online.
///
/// A plain value: it is told what happens and when, and says what to report and how long to wait before the next
/// attempt. A state is reported when it changes, not each attempt; and the reason of being offline when it becomes
/// another.
struct Supervision: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// A connection that brought sense for so long was a good one: the waits begin anew after it.
    static let steady = Duration.seconds(10)
    /// How often it is reported what was skipped: for counters, which nobody reads more often.
    static let skippedInterval = Duration.seconds(60)

    private struct State {
        /// Nil where nothing was reported yet.
        var isOnline: Bool?
        /// Why it is offline, as was reported last.
        var reason: String?
        var lastSense: Instant
    }

    private let name: String
    private let idle: Duration
    private var names: DeviceNames
    private var states: [String: State] = [:]
    private var backoff: Backoff
    private var firstSense: Instant?
    private var lastSense: Instant
    private var skipped = Tally()
    private var lastSkipped: Instant
    /// Whether nothing that makes sense has come for the idle time.
    private(set) var isSilent = false

    /// A receiver of whose state nothing is known yet.
    ///
    /// - Parameter known: the devices that it has given before; the first that becomes of each is reported.
    init(name: String, idle: Duration, isLocal: Bool, known: [String] = [], at now: Instant) {
        self.name = name
        self.idle = idle
        names = DeviceNames(name)
        backoff = Backoff(isLocal: isLocal)
        lastSense = now
        lastSkipped = now
        for device in known { states[device] = State(isOnline: nil, lastSense: now) }
    }

    /// A connection is begun.
    mutating func begin(at now: Instant) {
        firstSense = nil
        lastSense = now
        isSilent = false
    }

    /// A connection has brought something.
    mutating func take(_ hearing: Hearing, at now: Instant) -> [ReceiverReport] {
        switch hearing {
        case .sense(let fixes, let path): return take(fixes, from: path, at: now)
        case .noise:
            guard now - lastSense >= idle else { return [] }
            isSilent = true
            return lose("no NMEA sentence in what it sends for \(seconds)", at: now)
        case .listing(let paths):
            names.list(paths)
            return []
        case .opened:
            // What kept the connection from being made is over.
            return sortedDevices.filter { states[$0]?.isOnline == false && states[$0]?.reason != silence }
                .flatMap { lose($0, Self.isUnheard) }
        case .closed(let path):
            let reports = lose(names.name(of: path), "gpsd has closed it")
            let isOtherOnline = states.contains { $0.key != name && $0.value.isOnline == true }
            return isWholeKnown && !isOtherOnline ? reports + lose(name, "gpsd has closed it") : reports
        case .silence:
            isSilent = true
            return lose(silence, at: now)
        case .skipped(let tally):
            skipped.add(tally)
            return now - lastSkipped >= Self.skippedInterval ? takeSkipped(at: now) : []
        }
    }

    /// The connection has ended, or could not be had.
    mutating func end(_ reason: String, at now: Instant) -> [ReceiverReport] {
        if let firstSense, now - firstSense >= Self.steady { backoff.reset() }
        // A connection that was given up for its silence has told so in better words.
        return (isSilent ? [] : lose(reason, at: now)) + takeSkipped(at: now)
    }

    /// How long to wait before the next attempt; `random` is from 0 to below 1.
    mutating func wait(random: Double) -> Duration { backoff.wait(random: random) }

    /// Why a receiver is offline that has said nothing since the connection was made.
    private static let isUnheard = "gpsd answers, and nothing was heard from the receiver yet"

    private var silence: String { "silent for \(seconds)" }

    private var seconds: String { "\(ReceiverAddress.number(idle / .seconds(1))) s" }

    private mutating func take(_ fixes: [Fix], from path: String?, at now: Instant) -> [ReceiverReport] {
        let device = names.name(of: path)
        var reports: [ReceiverReport] = []
        if device != name, isWholeKnown {
            if states[name]?.isOnline != true { reports.append(.online(device: name)) }
            states[name] = State(isOnline: true, lastSense: now)
        }
        if states[device]?.isOnline != true { reports.append(.online(device: device)) }
        if !fixes.isEmpty { reports.append(.fixes(fixes, device: device)) }
        states[device] = State(isOnline: true, lastSense: now)
        if firstSense == nil { firstSense = now }
        lastSense = now
        isSilent = false
        for device in sortedDevices {
            guard let state = states[device], state.isOnline != false, now - state.lastSense >= idle else { continue }
            reports += lose(device, silence)
        }
        return reports
    }

    /// All devices are gone; the receiver itself where none was ever heard.
    private mutating func lose(_ reason: String, at now: Instant) -> [ReceiverReport] {
        guard !states.isEmpty else {
            states[name] = State(isOnline: false, reason: reason, lastSense: now)
            return [.offline(device: name, reason: reason)]
        }
        return sortedDevices.flatMap { lose($0, reason) }
    }

    private mutating func lose(_ device: String, _ reason: String) -> [ReceiverReport] {
        guard let state = states[device], state.isOnline != false || state.reason != reason else { return [] }
        states[device]?.isOnline = false
        states[device]?.reason = reason
        return state.isOnline == false
            ? [.stillOffline(device: device, reason: reason)] : [.offline(device: device, reason: reason)]
    }

    /// Whether the source was told of as a whole, before anything was known of its receivers.
    ///
    /// None of them has its name then, and it is online as long as any of them is.
    private var isWholeKnown: Bool { states[name] != nil && !names.isGiven(name) }

    private var sortedDevices: [String] { states.count == 1 ? Array(states.keys) : states.keys.sorted() }

    private mutating func takeSkipped(at now: Instant) -> [ReceiverReport] {
        guard !skipped.isEmpty else { return [] }
        defer {
            skipped = Tally()
            lastSkipped = now
        }
        return [.skipped(skipped)]
    }
}
