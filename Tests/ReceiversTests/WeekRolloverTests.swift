import Geodesy
import Positioning
import TestSupport
import Testing

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
        ("2026-01-02T00:00:00Z", "2026-01-02T00:00:00.000Z"), ("2026-01-01T23:59:59Z", "2045-08-17T23:59:59.000Z"),
        ("2099-01-01T00:00:00Z", "2099-01-01T00:00:00.000Z"),
    ])
    func datesBeforeTheFirstPossibleOneAreCorrected(read: String, meant: String) {
        var rollover = WeekRollover(notBefore: CalendarDate(year: 2026, month: 1, day: 2))
        #expect(correct(&rollover, read) == meant)
    }

    @Test func theMultipleIsDeterminedOnce() {
        var rollover = WeekRollover(notBefore: CalendarDate(year: 2026, month: 1, day: 2))
        #expect(correct(&rollover, "2006-09-15T10:00:00Z") == "2026-05-01T10:00:00.000Z")
        #expect(correct(&rollover, "1987-01-30T10:00:00Z") == "2006-09-15T10:00:00.000Z")
        #expect(correct(&rollover, "2026-05-02T10:00:00Z") == "2026-05-02T10:00:00.000Z")
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
