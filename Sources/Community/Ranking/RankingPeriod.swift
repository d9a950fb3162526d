import Places
import Positioning
import RPC
import Service

/// What of time a ranking is over.
enum RankingPeriod: String, CaseIterable, Sendable {
    /// All of it.
    case total
    /// A year of the calendar, in UTC.
    case year
    /// A month of the calendar, in UTC.
    case month

    /// One such period.
    struct Span: Sendable {
        /// From when to before when it is; nil for all of time.
        var range: Range<Timestamp>?
        /// Its number in the table of tallies.
        var number: Int64

        static let total = Span(range: nil, number: SightTally.allOfTime)
    }

    /// The one that holds a moment.
    ///
    /// - Throws: 4 naming `at` where the calendar has no such year.
    func span(around moment: Timestamp) throws(Refusal) -> Span {
        guard self != .total else { return .total }
        let days = moment.milliseconds.divided(by: Timestamp.millisecondsPerDay)
        let (year, month, _) = CalendarDate(daysSinceEpoch: days).components
        let (first, next) =
            switch self {
            case .month where month < 12: ((year, month), (year, month + 1))
            case .month: ((year, month), (year + 1, 1))
            default: ((year, 1), (year + 1, 1))
            }
        guard let begin = CalendarDate(year: first.0, month: first.1, day: 1),
            let end = CalendarDate(year: next.0, month: next.1, day: 1)
        else { throw Refusal.invalid("at", "must lie in a year from 1 to 9998") }
        let range = Timestamp(begin, millisecondsOfDay: 0)..<Timestamp(end, millisecondsOfDay: 0)
        return Span(
            range: range, number: SightTally.period(year: year, month: self == .month ? month : 0))
    }
}

extension Int64 {
    /// The quotient rounded down, also below zero.
    fileprivate func divided(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
