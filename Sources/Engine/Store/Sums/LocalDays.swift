import Foundation
public import Time

/// The days of a time zone, from one local midnight to the next.
///
/// The days follow each other without a gap, whatever clocks do at midnight. If they skip it, the day begins with the
/// first moment after. If they show it twice, the day begins with one of the two.
public struct LocalDays: Sendable {
    /// The name of the zone in the tz database.
    public let zone: String
    private let rules: TimeZone

    /// Creates the days of the zone with a name; those of UTC if there is none.
    public init(zone name: String) {
        zone = name
        rules = TimeZone(identifier: name) ?? .gmt
    }

    /// The name of the machine's time zone.
    public static var zoneOfMachine: String { TimeZone.current.identifier }

    /// Returns the day of a moment.
    public func day(of time: Timestamp) -> CalendarDate {
        let shown = clockDay(of: time)
        if time < begin(of: shown) { return CalendarDate(daysSinceEpoch: shown.daysSinceEpoch - 1) }
        let next = CalendarDate(daysSinceEpoch: shown.daysSinceEpoch + 1)
        return time < begin(of: next) ? shown : next
    }

    /// Returns the first moment of a day.
    public func begin(of day: CalendarDate) -> Timestamp {
        let midnight = Timestamp(day, millisecondsOfDay: 0)
        let usual = midnight.advanced(byMilliseconds: -offset(at: midnight))
        let time =
            offset(at: usual) == offset(at: midnight) ? usual : midnight.advanced(byMilliseconds: -offset(at: usual))
        if isOn(day, time), !isOn(day, time.advanced(byMilliseconds: -1)) { return time }
        // Clocks change at midnight. No zone is more than a day from UTC.
        var before = midnight.milliseconds - Timestamp.millisecondsPerDay
        var at = midnight.milliseconds + Timestamp.millisecondsPerDay
        while at - before > 1 {
            let middle = before + (at - before) / 2
            if isOn(day, Timestamp(milliseconds: middle)) { at = middle } else { before = middle }
        }
        return Timestamp(milliseconds: at)
    }

    /// Whether clocks show a day or a later one.
    private func isOn(_ day: CalendarDate, _ time: Timestamp) -> Bool {
        clockDay(of: time).daysSinceEpoch >= day.daysSinceEpoch
    }

    /// Returns the day that clocks show.
    private func clockDay(of time: Timestamp) -> CalendarDate {
        let local = time.milliseconds + offset(at: time)
        let day = Timestamp.millisecondsPerDay
        return CalendarDate(daysSinceEpoch: (local - (local >= 0 ? 0 : day - 1)) / day)
    }

    /// Returns the milliseconds ahead of UTC.
    private func offset(at time: Timestamp) -> Int64 {
        let date = Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)
        return Int64(clamping: rules.secondsFromGMT(for: date)) * 1000
    }
}
