import RPC
import Service
import Sights
import Time

/// The length of the period of a ranking.
enum RankingPeriod: String, CaseIterable, Sendable {
    /// All time.
    case total
    /// A calendar year in UTC.
    case year
    /// A calendar month in UTC.
    case month

    /// One period, such as a certain month.
    struct Span: Sendable {
        /// The times in the period; `nil` for all time.
        var range: Range<Timestamp>?
        /// The period's number in the table `sight_tally`.
        var number: Int64

        static let total = Span(range: nil, number: SightTally.allOfTime)
    }

    /// Returns the period of this length that contains a moment.
    ///
    /// - Throws: `Refusal.invalid` naming `at` if the calendar does not have the whole period.
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
        else { throw Refusal.invalid("at", "must be in a year from 1 to 9998") }
        let range = Timestamp(begin, millisecondsOfDay: 0)..<Timestamp(end, millisecondsOfDay: 0)
        return Span(
            range: range, number: SightTally.period(year: year, month: self == .month ? month : 0))
    }
}

extension Int64 {
    /// Returns the quotient rounded down, including for negative numbers.
    fileprivate func divided(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
