import Foundation
import Positioning

/// A time zone of the tz database, by its name.
struct Zone: Hashable, Sendable, CustomStringConvertible {
    /// Its name: `Europe/Amsterdam`.
    let name: String
    private let rules: TimeZone

    /// The longest name, in bytes; the longest there is has 32.
    static let longest = 64

    /// The zone of a name, such as `Europe/Amsterdam` or `UTC`; nil where there is none.
    ///
    /// Abbreviations such as `EST` are no names: they say nothing of summer time.
    init?(_ name: String) {
        guard name == "UTC" || name.contains("/"), name.utf8.count <= Self.longest,
            let rules = TimeZone(identifier: name)
        else { return nil }
        self.name = name
        self.rules = rules
    }

    /// The name.
    var description: String { name }

    /// How far it is ahead of UTC at a moment, in seconds.
    func offset(at time: Timestamp) -> Int {
        rules.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.milliseconds) / 1000))
    }

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
    func changes(after start: Timestamp, upTo end: Timestamp) -> [Change] {
        var (changes, time): ([Change], Timestamp) = ([], start)
        while changes.count < Self.mostChanges {
            let date = Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)
            guard let next = rules.nextDaylightSavingTimeTransition(after: date) else { break }
            let moment = Timestamp(milliseconds: Int64(clamping: Int128(next.timeIntervalSince1970.rounded()) * 1000))
            guard moment > time, moment <= end else { break }
            let (before, after) = (offset(at: moment.advanced(byMilliseconds: -1)), offset(at: moment))
            if before != after { changes.append(Change(time: moment, before: before, after: after)) }
            time = moment
        }
        return changes
    }

    /// Those of a century.
    private static let mostChanges = 400

    /// An offset as ISO 8601 has it: `+02:00`.
    static func text(ofOffset seconds: Int, separator: String = ":") -> String {
        let minutes = seconds.magnitude / 60
        func two(_ number: UInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(seconds < 0 ? "-" : "+")\(two(minutes / 60))\(separator)\(two(minutes % 60))"
    }
}
