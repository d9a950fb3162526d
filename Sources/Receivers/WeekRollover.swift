public import Positioning

/// Corrects the dates of a receiver that has lost count of the weeks.
///
/// GPS sends the number of the week modulo 1,024, and a receiver older than its firmware expects reports a date that
/// lies a multiple of 1,024 weeks back. No real date lies before the program was built, so such dates are moved on by
/// the smallest multiple that mends it. The multiple is found once; one corrector belongs to one connection.
public struct WeekRollover: Sendable {
    /// After so many weeks the number that GPS sends begins anew (IS-GPS-200, section 3.3.4).
    public static let weeks: Int64 = 1024

    private static let days = weeks * 7
    private let notBefore: CalendarDate?
    private var cycles: Int64?

    /// A corrector of dates before this one; of none without it.
    public init(notBefore: CalendarDate?) { self.notBefore = notBefore }

    /// Moves the fix's time where its date lies before the first possible one.
    public mutating func correct(_ fix: inout Fix) {
        guard let notBefore, let time = fix.time else { return }
        let limit = Timestamp(notBefore, millisecondsOfDay: 0)
        guard time < limit else { return }
        let cycle = Self.days * Timestamp.millisecondsPerDay
        let missing = cycles ?? (limit.milliseconds(since: time) + cycle - 1) / cycle
        cycles = missing
        fix.time = time.advanced(byMilliseconds: missing * cycle)
    }
}
