public import Time

/// The hours of the week in which a geofence is watched, in the time zone of its place.
public struct ActiveHours: Hashable, Sendable, Codable {
    /// A span of the week in local time.
    public struct Span: Hashable, Sendable, Codable {
        /// The first minute, counted from Monday at midnight.
        public var start: Int32
        /// The first minute after it, later than the start, and at most a week.
        public var end: Int32

        /// Creates a span between two minutes of the week.
        public init(start: Int32, end: Int32) { (self.start, self.end) = (start, end) }
    }

    /// What the local time is ahead of UTC from a moment on.
    public struct Offset: Hashable, Sendable, Codable {
        /// The first moment.
        public var since: Timestamp
        /// The seconds that local time is ahead.
        public var seconds: Int32

        /// Creates an offset that holds from a moment on.
        public init(since: Timestamp, seconds: Int32) { (self.since, self.seconds) = (since, seconds) }
    }

    /// The spans of the week.
    public let spans: [Span]
    /// The offsets of the time zone, in order of time; the first one also holds before it.
    public let offsets: [Offset]

    /// Creates hours in a time zone.
    public init(spans: [Span], offsets: [Offset]) { (self.spans, self.offsets) = (spans, offsets) }

    private static let minute: Int64 = 60_000
    private static let week: Int64 = 7 * Timestamp.millisecondsPerDay
    /// 1 January 1970 was a Thursday, three days after a Monday.
    private static let monday: Int64 = 3 * Timestamp.millisecondsPerDay

    /// Returns whether a moment is within the hours, and the next moment at which that may be different.
    public func state(at time: Timestamp) -> (isActive: Bool, until: Timestamp) {
        let offset = offsets.last { $0.since <= time } ?? offsets.first
        let change = offsets.first { $0.since > time }?.since ?? .latest
        let now = Self.inWeek(time.milliseconds + Int64(offset?.seconds ?? 0) * 1000 + Self.monday)
        var (isActive, left) = (false, Self.week)
        for span in spans {
            let (start, end) = (Int64(span.start) * Self.minute, Int64(span.end) * Self.minute)
            // A span may have begun in the week before.
            if start <= now && now < end || now + Self.week < end { isActive = true }
            for bound in [start, end] {
                let wait = Self.inWeek(bound - now)
                left = min(left, wait > 0 ? wait : Self.week)
            }
        }
        return (isActive, min(time.advanced(byMilliseconds: left), change))
    }

    private static func inWeek(_ milliseconds: Int64) -> Int64 {
        let rest = milliseconds % Self.week
        return rest < 0 ? rest + Self.week : rest
    }
}

extension ActiveHours {
    /// The reason why a text has no hours.
    public struct Flaw: Error, Hashable, Sendable {
        /// The reason, as a clause.
        public let reason: String
    }

    /// The most spans of a week: three a day, each.
    private static let mostSpans = 21
    private static let days = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"]
    private static let minutesPerDay: Int32 = 1440

    /// Reads hours in the manner of opening hours: `Mo-Fr 08:00-17:00; Sa,Su 10:00-12:00,14:00-16:00`.
    ///
    /// Without days, they are those of every day. A span that ends at or before its start ends on the day after.
    ///
    /// - Throws: a ``Flaw`` that names the part which is not understood.
    public static func spans(from text: String) throws(Flaw) -> [Span] {
        var spans: [Span] = []
        for rule in text.split(separator: ";") {
            let words = rule.split(separator: " ", omittingEmptySubsequences: true)
            guard let times = words.last, words.count <= 2 else {
                throw Flaw(reason: "\"\(rule.prefix(40))\" is not days and times, such as Mo-Fr 08:00-17:00")
            }
            let days = try words.count == 2 ? self.days(words[0]) : Array(0..<7)
            for time in times.split(separator: ",") {
                let bounds = time.split(separator: "-").map(minutes)
                guard bounds.count == 2, let start = bounds[0], start < minutesPerDay, let end = bounds[1] else {
                    throw Flaw(reason: "\"\(time.prefix(40))\" is not two times, such as 08:00-17:00")
                }
                for day in days {
                    let midnight = Int32(day) * minutesPerDay
                    spans.append(
                        Span(start: midnight + start, end: midnight + end + (end > start ? 0 : minutesPerDay)))
                }
            }
        }
        guard !spans.isEmpty else { throw Flaw(reason: "it has no times, such as 08:00-17:00") }
        guard spans.count <= mostSpans else { throw Flaw(reason: "it has more than \(mostSpans) spans in a week") }
        return spans
    }

    /// Returns the numbers of days: `Mo-Fr`, `Sa,Su`, `Fr-Mo`.
    private static func days(_ text: Substring) throws(Flaw) -> [Int] {
        var found: [Int] = []
        for part in text.split(separator: ",") {
            let bounds = part.split(separator: "-").map { name in days.firstIndex { $0 == name } }
            guard let first = bounds.first ?? nil, let last = bounds.last ?? nil, bounds.count <= 2 else {
                throw Flaw(
                    reason: "\"\(part.prefix(40))\" is not a day or two; the days are \(days.joined(separator: ", "))")
            }
            // From Friday to Monday the week begins again.
            let count = last >= first ? last - first : last - first + 7
            for step in 0...count { found.append((first + step) % 7) }
        }
        return found
    }

    /// Returns the minutes of a time `HH:MM` from midnight; 24:00 is the end of the day.
    private static func minutes(_ text: Substring) -> Int32? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2,
            parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let hours = Int32(parts[0]), let minutes = Int32(parts[1]), minutes < 60,
            hours < 24 || hours == 24 && minutes == 0
        else { return nil }
        return hours * 60 + minutes
    }
}
