import Geodesy
import Positioning
import TestSupport
import Testing
import Time

@testable import Receivers

@Suite struct WeekRolloverTests {
    private static func time(_ text: String) -> Timestamp { Timestamp(rfc3339: text).known }

    private func correct(_ rollover: inout WeekRollover, _ text: String) -> String? {
        var fix = Fix(time: Self.time(text), coordinate: Coordinate(latitude: 0, longitude: 0).known)
        rollover.correct(&fix)
        return fix.time?.description
    }

    /// 1,024 weeks before 2026-05-01 is 2006-09-15, and another 1,024 weeks before that is 1987-01-30.
    @Test(arguments: [
        ("2026-05-01T10:00:00Z", "2026-05-01T10:00:00.000Z"), ("2006-09-15T10:00:00Z", "2026-05-01T10:00:00.000Z"),
        ("1987-01-30T10:00:00.250Z", "2026-05-01T10:00:00.250Z"),
        ("2026-01-02T00:00:00Z", "2026-01-02T00:00:00.000Z"), ("2099-01-01T00:00:00Z", "2099-01-01T00:00:00.000Z"),
    ])
    func datesBeforeTheFirstPossibleOneAreCorrected(read: String, meant: String) {
        var rollover = WeekRollover(notBefore: CalendarDate(year: 2026, month: 1, day: 2))
        #expect(correct(&rollover, read) == meant)
    }

    /// The logs of other years are recordings that somebody sends, and a receiver that knows no week begins in 1980.
    @Test(arguments: ["2026-01-01T23:59:59Z", "2018-03-01T10:00:00Z", "2023-07-01T10:00:00Z", "1980-01-06T00:00:10Z"])
    func noDateIsMovedFarBeyondTheRelease(read: String) {
        var rollover = WeekRollover(notBefore: CalendarDate(year: 2026, month: 1, day: 2))
        #expect(correct(&rollover, read) == Self.time(read).description)
    }

    /// 1,024 weeks after 2010-10-01 is 2030-05-17.
    @Test(arguments: [
        ("2030-05-17T12:00:00Z", "2030-05-17T10:00:00.000Z"), ("2030-05-16T12:00:00Z", "2030-05-17T10:00:00.000Z"),
        ("2030-05-15T12:00:00Z", "2010-10-01T10:00:00.000Z"), ("2028-01-01T12:00:00Z", "2010-10-01T10:00:00.000Z"),
    ])
    func aSynchronisedClockIsTheBound(clock: String, meant: String) {
        let now = Self.time(clock)
        var rollover = WeekRollover(notBefore: CalendarDate(year: 2026, month: 1, day: 2)) { now }
        #expect(correct(&rollover, "2010-10-01T10:00:00Z") == meant)
    }

    /// A receiver begins with the first week of a count, and then knows better.
    @Test func theWeeksAreCountedAgainIfTheFirstGuessWasWrong() {
        var rollover = WeekRollover(notBefore: CalendarDate(year: 2026, month: 1, day: 2))
        #expect(correct(&rollover, "1987-01-30T10:00:00Z") == "2026-05-01T10:00:00.000Z")
        #expect(correct(&rollover, "2006-09-15T10:00:01Z") == "2026-05-01T10:00:01.000Z")
        #expect(correct(&rollover, "1987-01-30T10:00:02Z") == "2026-05-01T10:00:02.000Z")
        #expect(correct(&rollover, "2026-05-02T10:00:00Z") == "2026-05-02T10:00:00.000Z")
        #expect(correct(&rollover, "2006-09-15T10:00:03Z") == "2026-05-01T10:00:03.000Z")
    }

    @Test func withoutAFirstDateOrATimeNothingIsCorrected() {
        var none = WeekRollover(notBefore: nil)
        #expect(correct(&none, "1987-01-30T10:00:00Z") == "1987-01-30T10:00:00.000Z")
        var rollover = WeekRollover(notBefore: CalendarDate(year: 2026, month: 1, day: 2))
        var fix = Fix(time: nil, coordinate: Coordinate(latitude: 0, longitude: 0).known)
        rollover.correct(&fix)
        #expect(fix.time == nil)
    }
}
