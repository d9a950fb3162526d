internal import Positioning

/// Gives days to times of day that have none, from the last that was dated.
struct DayKeeper {
    /// A fall back by more than this is a midnight; a smaller one is a sentence out of order.
    static let halfDay: Int64 = Timestamp.millisecondsPerDay / 2
    /// A jump ahead by more than this is a sentence out of order over a midnight; a smaller one is a gap.
    static let longestGap: Int64 = Timestamp.millisecondsPerDay - 3_600_000

    private var date: CalendarDate?
    private var time: TimeOfDay?

    /// Nothing is known but perhaps the day on which the recording begins.
    init(date: CalendarDate?) { self.date = date }

    /// A sentence has said which day it is.
    mutating func set(_ date: CalendarDate, _ time: TimeOfDay) {
        self.date = date
        self.time = time
    }

    /// The day that a time of day after the last one belongs to; nil where no day is known yet.
    mutating func date(of next: TimeOfDay) -> CalendarDate? {
        guard let known = date else { return nil }
        if let time {
            date = CalendarDate(daysSinceEpoch: known.daysSinceEpoch + Self.days(from: time, to: next))
        }
        time = next
        return date
    }

    /// The day that a time of day before another one belongs to.
    static func date(of time: TimeOfDay, before next: TimeOfDay, on date: CalendarDate) -> CalendarDate {
        CalendarDate(daysSinceEpoch: date.daysSinceEpoch - days(from: time, to: next))
    }

    /// How many midnights lie between two times of day that follow each other.
    private static func days(from time: TimeOfDay, to next: TimeOfDay) -> Int64 {
        let step = next.milliseconds - time.milliseconds
        return step < -halfDay ? 1 : step > longestGap ? -1 : 0
    }
}
