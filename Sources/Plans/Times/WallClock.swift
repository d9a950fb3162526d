package import Positioning

/// What a calendar and a clock on the wall show: a day, and a time of day to the minute where it is known.
struct WallClock: Hashable, Sendable, CustomStringConvertible {
    /// The day.
    var date: CalendarDate
    /// Minutes since midnight by the clock; nil for the whole day.
    var minute: Int?

    /// A day, and a time of day in minutes.
    init(date: CalendarDate, minute: Int? = nil) {
        self.date = date
        self.minute = minute.map { min(max($0, 0), Self.lastMinute) }
    }

    private static let lastMinute = 24 * 60 - 1

    /// Reads `2026-05-01` or `2026-05-01T10:00`, with seconds of zero too; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let date = CalendarDate(text: first) else { return nil }
        self.init(date: date)
        guard parts.count == 2 else { return }
        let fields = parts[1].split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(fields.count), fields.count == 2 || fields.last == "00",
            let hour = fields.first.flatMap({ CalendarDate.number($0, digits: 2) }), hour < 24,
            let minute = CalendarDate.number(fields[1], digits: 2), minute < 60
        else { return nil }
        self.minute = hour * 60 + minute
    }

    /// `10:00`; nil where there is no time of day.
    var time: String? {
        minute.map { minute in
            let (hour, rest) = minute.quotientAndRemainder(dividingBy: 60)
            return "\(hour < 10 ? "0" : "")\(hour):\(rest < 10 ? "0" : "")\(rest)"
        }
    }

    /// `2026-05-01T10:00`, or the day alone.
    var description: String { date.text + (time.map { "T" + $0 } ?? "") }
}

extension CalendarDate: Comparable {
    /// The earlier day comes first.
    package static func < (lhs: CalendarDate, rhs: CalendarDate) -> Bool { lhs.daysSinceEpoch < rhs.daysSinceEpoch }
}

extension CalendarDate {
    /// Reads `2026-05-01`; nil for anything else.
    init?(text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let year = Self.number(parts[0], digits: 4),
            let month = Self.number(parts[1], digits: 2),
            let day = Self.number(parts[2], digits: 2)
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// `2026-05-01`.
    var text: String {
        let (year, month, day) = components
        let zeros = String(repeating: "0", count: max(0, 4 - "\(year)".utf8.count))
        return "\(zeros)\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
    }

    /// The day so many days later.
    func advanced(byDays days: Int64) -> CalendarDate {
        let (sum, overflows) = daysSinceEpoch.addingReportingOverflow(days)
        return CalendarDate(daysSinceEpoch: overflows ? (days < 0 ? .min : .max) : sum)
    }

    /// A number of exactly so many ASCII digits.
    fileprivate static func number(_ text: some StringProtocol, digits: Int) -> Int? {
        guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }
}
