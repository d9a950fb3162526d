import Foundation
import Positioning

/// A time zone of the tz database, by its name.
struct Zone: Hashable, Sendable, CustomStringConvertible {
    /// Its name: `Europe/Amsterdam`.
    let name: String
    private let rules: ZoneRules

    /// The longest name, in bytes; the longest there is has 32.
    static let longest = 64

    /// The zone of a name, such as `Europe/Amsterdam` or `UTC`; nil where there is none.
    ///
    /// Abbreviations such as `EST` are no names: they say nothing of summer time.
    init?(_ name: String) {
        let bytes = name.utf8
        guard bytes.count <= Self.longest, name == "UTC" || bytes.contains(UInt8(ascii: "/")),
            let rules = ZoneRules.of(name)
        else { return nil }
        self.name = name
        self.rules = rules
    }

    /// The name.
    var description: String { name }

    /// How far it is ahead of UTC at a moment, in seconds.
    func offset(at time: Timestamp) -> Int { rules.offset(at: time) }

    /// What clocks show at a moment.
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
        /// The offset before, in seconds ahead of UTC.
        var before: Int
        /// The offset from then on.
        var after: Int
    }

    /// The changes after one moment up to another.
    func changes(after start: Timestamp, upTo end: Timestamp) -> [Change] { rules.changes(after: start, upTo: end) }

    static func == (lhs: Zone, rhs: Zone) -> Bool { lhs.name == rhs.name }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// An offset as ISO 8601 has it: `+02:00`.
    static func text(ofOffset seconds: Int, separator: String = ":") -> String {
        let minutes = seconds.magnitude / 60
        func two(_ number: UInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(seconds < 0 ? "-" : "+")\(two(minutes / 60))\(separator)\(two(minutes % 60))"
    }
}
