import Time

/// The time of a plan: a local clock time and the zone of the place.
///
/// It is stored as it was planned, because the dates on which clocks change may still be moved. The tz database
/// determines the moment when it is needed.
struct PlannedTime: Hashable, Sendable {
    /// The local clock time.
    var clock: WallClock
    /// The zone of the place.
    var zone: Zone
    /// The offset in seconds ahead of UTC that picks one of two equal clock times; `nil` for the first.
    var offset: Int?

    /// Creates a time in a zone.
    init(_ clock: WallClock, in zone: Zone, offset: Int? = nil) {
        self.clock = clock
        self.zone = zone
        self.offset = offset
    }

    /// The reasons why a text is not a planned time.
    enum Flaw: Error, Hashable, Sendable {
        /// The text is not a day, or a day and a time.
        case text
        /// The zone does not have the given offset at that time.
        case offset

        /// The reason as a clause that follows the name of the field.
        var reason: String {
            switch self {
            case .text: "must be a day or a day and a time to the minute, such as 2026-05-01 or 2026-05-01T10:00"
            case .offset: "must have an offset that the zone has then; omit it unless clocks show that time twice"
            }
        }
    }

    /// Parses `2026-05-01`, `2026-05-01T10:00`, or `2026-10-25T02:30+01:00` for a time that clocks show twice.
    init(_ text: String, in zone: Zone) throws(Flaw) {
        var clockText = Substring(text)
        var offset: Int?
        if let time = text.firstIndex(of: "T"), let sign = text[time...].firstIndex(where: { "+-Z".contains($0) }) {
            guard let seconds = Self.offset(text[sign...]) else { throw .text }
            offset = seconds
            clockText = text[..<sign]
        }
        guard let clock = WallClock(String(clockText)) else { throw .text }
        self.init(clock, in: zone)
        guard let offset else { return }
        let candidates = resolve().candidates
        guard candidates.contains(where: { $0.offset == offset }) else { throw .offset }
        if candidates.count > 1 { self.offset = offset }
    }

    /// The time as text that can be parsed again, with the offset if it has one.
    var text: String { "\(clock)\(offset.map { Zone.text(ofOffset: $0) } ?? "")" }

    private static func offset(_ text: Substring) -> Int? {
        if text == "Z" { return 0 }
        let digits = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
        guard digits.count == 2,
            digits.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let hours = digits.first.flatMap({ Int($0) }), hours <= 18, let minutes = digits.last.flatMap({ Int($0) }),
            minutes < 60
        else { return nil }
        return (text.first == "-" ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    /// The moment of a planned time according to the tz database.
    struct Resolution: Hashable, Sendable {
        var time: Timestamp
        /// The offset at that moment, in seconds ahead of UTC.
        var offset: Int
        /// The clock time at that moment; it differs from the planned one only if clocks skip the planned one.
        var clock: WallClock
        /// The moments at which clocks show the planned time: none if they skip it, two if they are set back.
        var candidates: [(time: Timestamp, offset: Int)]

        static func == (lhs: Resolution, rhs: Resolution) -> Bool {
            (lhs.time, lhs.offset, lhs.clock) == (rhs.time, rhs.offset, rhs.clock)
        }

        func hash(into hasher: inout Hasher) { hasher.combine(time) }
    }

    /// Resolves the time to a moment.
    ///
    /// A time that clocks skip is moved later by the skipped period. A time that they show twice is the first one,
    /// unless ``offset`` picks the second. A whole day is its first moment.
    func resolve() -> Resolution {
        let local = Timestamp(clock.date, millisecondsOfDay: Int64(clamping: clock.minute ?? 0) * 60_000)
        // No clock differs by more than 26 hours from UTC, or from what it showed before a change.
        let day = 26 * 3_600_000 as Int64
        let before = zone.offset(at: local.advanced(byMilliseconds: -day))
        let after = zone.offset(at: local.advanced(byMilliseconds: day))
        let usual = local.advanced(byMilliseconds: Int64(clamping: before) * -1000)
        if before == after, zone.offset(at: local) == before, zone.offset(at: usual) == before {
            return Resolution(time: usual, offset: before, clock: clock, candidates: [(usual, before)])
        }
        var candidates: [(time: Timestamp, offset: Int)] = []
        for offset in Set([before, zone.offset(at: local), after]) {
            let time = local.advanced(byMilliseconds: Int64(offset) * -1000)
            if zone.offset(at: time) == offset { candidates.append((time, offset)) }
        }
        candidates.sort { $0.time < $1.time }
        if let first = candidates.first {
            let chosen = candidates.first { $0.offset == offset } ?? first
            return Resolution(time: chosen.time, offset: chosen.offset, clock: clock, candidates: candidates)
        }
        // Clocks skip this time. Taken with the offset before the change, the moment lies after the change.
        let time = local.advanced(byMilliseconds: Int64(clamping: before) * -1000)
        var shown = zone.wallClock(at: time)
        if clock.minute == nil { shown.minute = nil }
        return Resolution(time: time, offset: zone.offset(at: time), clock: shown, candidates: [])
    }

    /// The moment of the time; see ``resolve()``.
    var instant: Timestamp { resolve().time }

    /// The moment at which it ends: the time itself, or the end of a whole day.
    var end: Timestamp {
        guard clock.minute == nil else { return instant }
        return PlannedTime(WallClock(date: clock.date.advanced(byDays: 1)), in: zone).instant
    }
}
