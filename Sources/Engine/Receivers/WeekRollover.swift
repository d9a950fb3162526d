public import Positioning
public import Time

/// Corrects the dates of a receiver that has miscounted the GPS weeks.
///
/// GPS sends the number of the week modulo 1,024. A receiver whose firmware is too old reports a date that lies a
/// multiple of 1,024 weeks in the past. No true date lies before the build of the program. So this moves earlier dates
/// forward by the smallest multiple that suffices, but never beyond the present: a date that would lie in the future is
/// that of a recording, and stays. The multiple is kept until the receiver shows that it was wrong; use one value for
/// each connection.
public struct WeekRollover: Sendable {
    /// The number of weeks after which the number that GPS sends starts over (IS-GPS-200, section 3.3.4).
    public static let weeks: Int64 = 1024

    private static let cycle = weeks * 7 * Timestamp.millisecondsPerDay
    /// How far after ``notBefore`` a corrected date may lie if no clock is synchronised: two years after the release.
    private static let span = 4 * 365 * Timestamp.millisecondsPerDay
    /// How far a corrected date may be ahead of a synchronised clock.
    private static let tolerance = Timestamp.millisecondsPerDay

    private let notBefore: CalendarDate?
    private let synchronisedTime: @Sendable () -> Timestamp?
    private var cycles: Int64?

    /// Creates a corrector of dates before `notBefore`.
    ///
    /// If that is `nil`, it corrects none.
    ///
    /// - Parameter synchronisedTime: returns the system's time if its clock is synchronised. No date is moved beyond it,
    ///   or beyond two years after the release if it is `nil`.
    public init(
        notBefore: CalendarDate?, synchronisedTime: @escaping @Sendable () -> Timestamp? = { nil }
    ) {
        self.notBefore = notBefore
        self.synchronisedTime = synchronisedTime
    }

    /// Corrects the time of a fix if its date lies before the first possible one.
    public mutating func correct(_ fix: inout Fix) {
        guard let notBefore, let time = fix.time else { return }
        let least = Timestamp(notBefore, millisecondsOfDay: 0)
        guard time < least else {
            // A receiver that knows the date was not wrong by the multiple that its first date suggested.
            cycles = nil
            return
        }
        func moved(_ cycles: Int64) -> Timestamp { time.advanced(byMilliseconds: cycles * Self.cycle) }
        let latest =
            synchronisedTime()?.advanced(byMilliseconds: Self.tolerance) ?? least.advanced(byMilliseconds: Self.span)
        if let cycles, moved(cycles) >= least, moved(cycles) <= latest {
            fix.time = moved(cycles)
            return
        }
        let missing = (least.milliseconds(since: time) + Self.cycle - 1) / Self.cycle
        guard moved(missing) <= latest else { return }
        cycles = missing
        fix.time = moved(missing)
    }

    /// Returns a corrector by the same rules for another connection.
    func anew() -> WeekRollover { WeekRollover(notBefore: notBefore, synchronisedTime: synchronisedTime) }
}
