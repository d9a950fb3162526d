import Time

/// Determines the day of times without a date, starting from the last dated one.
struct DayTracker {
    /// The step back, in milliseconds, above which a midnight has passed.
    ///
    /// A smaller one is a sentence out of order.
    static let halfDay: Int64 = Timestamp.millisecondsPerDay / 2
    /// The step ahead, in milliseconds, above which a sentence is out of order across a midnight.
    ///
    /// A smaller one is a gap.
    static let longestGap: Int64 = Timestamp.millisecondsPerDay - 3_600_000

    private var date: CalendarDate?
    private var time: TimeOfDay?

    /// Creates a keeper.
    ///
    /// `date` is the day on which the recording begins, or `nil` if it is unknown.
    init(date: CalendarDate?) { self.date = date }

    /// Sets the day and time of a dated sentence.
    mutating func set(_ date: CalendarDate, _ time: TimeOfDay) {
        self.date = date
        self.time = time
    }

    /// Returns the day of a time that follows the last one, or `nil` if no day is known yet.
    mutating func date(of next: TimeOfDay) -> CalendarDate? {
        guard let known = date else { return nil }
        if let time {
            date = CalendarDate(daysSinceEpoch: known.daysSinceEpoch + Self.days(from: time, to: next))
        }
        time = next
        return date
    }

    /// Returns the day of a time that precedes another one on a known day.
    static func date(of time: TimeOfDay, before next: TimeOfDay, on date: CalendarDate) -> CalendarDate {
        CalendarDate(daysSinceEpoch: date.daysSinceEpoch - days(from: time, to: next))
    }

    /// Returns the number of midnights between two consecutive times of day.
    private static func days(from time: TimeOfDay, to next: TimeOfDay) -> Int64 {
        let step = next.milliseconds - time.milliseconds
        return step < -halfDay ? 1 : step > longestGap ? -1 : 0
    }
}
