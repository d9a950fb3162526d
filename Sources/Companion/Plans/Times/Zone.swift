import Foundation
import Time

/// A time zone of the tz database.
struct Zone: Hashable, Sendable, CustomStringConvertible {
    /// The name, such as `Europe/Amsterdam`.
    let name: String
    private let rules: ZoneRules

    /// The longest accepted name, in bytes; the longest name in the tz database has 32.
    static let longest = 64

    /// Creates the zone with a name such as `Europe/Amsterdam` or `UTC`, or returns `nil` if there is none.
    ///
    /// Abbreviations such as `EST` are refused, because they do not include summer time.
    init?(_ name: String) {
        let bytes = name.utf8
        // Foundation accepts a name that it knows with U+0000 at its end.
        guard bytes.count <= Self.longest, !bytes.contains(0), name == "UTC" || bytes.contains(UInt8(ascii: "/")),
            let rules = ZoneRules.of(name)
        else { return nil }
        self.name = name
        self.rules = rules
    }

    var description: String { name }

    /// Returns the offset at a moment, in seconds ahead of UTC.
    func offset(at time: Timestamp) -> Int { rules.offset(at: time) }

    /// Returns what clocks show at a moment.
    func wallClock(at time: Timestamp) -> WallClock {
        let local = time.advanced(byMilliseconds: Int64(clamping: offset(at: time)) * 1000)
        let days =
            (local.milliseconds - (local.milliseconds >= 0 ? 0 : Timestamp.millisecondsPerDay - 1))
            / Timestamp.millisecondsPerDay
        let date = CalendarDate(daysSinceEpoch: days)
        let rest = local.milliseconds - date.daysSinceEpoch * Timestamp.millisecondsPerDay
        return WallClock(date: date, minute: Int(clamping: rest / 60_000))
    }

    /// A change of the zone's offset.
    struct Change: Hashable, Sendable {
        /// The first moment of the new offset.
        var time: Timestamp
        /// The offset before the change, in seconds ahead of UTC.
        var before: Int
        /// The offset after the change, in seconds ahead of UTC.
        var after: Int
    }

    /// Returns the changes after `start`, up to and including `end`.
    func changes(after start: Timestamp, upTo end: Timestamp) -> [Change] { rules.changes(after: start, upTo: end) }

    static func == (lhs: Zone, rhs: Zone) -> Bool { lhs.name == rhs.name }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// Returns an offset in the form of ISO 8601, such as `+02:00`.
    static func text(ofOffset seconds: Int, separator: String = ":") -> String {
        let minutes = seconds.magnitude / 60
        func two(_ number: UInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(seconds < 0 ? "-" : "+")\(two(minutes / 60))\(separator)\(two(minutes % 60))"
    }
}
