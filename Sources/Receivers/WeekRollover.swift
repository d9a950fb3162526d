public import Positioning

/// Corrects the dates of a receiver that has miscounted the GPS weeks.
///
/// GPS sends the number of the week modulo 1,024. A receiver whose firmware is too old reports a date that lies a
/// multiple of 1,024 weeks in the past. No true date lies before the build of the program. So this moves earlier dates
/// forward by the smallest multiple that suffices. The multiple is determined once; use one value for each connection.
public struct WeekRollover: Sendable {
    /// The number of weeks after which the number that GPS sends starts over (IS-GPS-200, section 3.3.4).
    public static let weeks: Int64 = 1024

    private static let days = weeks * 7
    private let notBefore: CalendarDate?
    private var cycles: Int64?

    /// Creates a corrector of dates before `notBefore`.
    ///
    /// If that is `nil`, it corrects none.
    public init(notBefore: CalendarDate?) { self.notBefore = notBefore }

    /// Corrects the time of a fix if its date lies before the first possible one.
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
