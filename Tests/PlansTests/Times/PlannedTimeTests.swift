import TestSupport
import Testing
import Time

@testable import Plans

@Suite struct PlannedTimeTests {
    private func time(_ text: String, _ zone: String) throws -> PlannedTime {
        try PlannedTime(text, in: Zone(zone).known)
    }

    @Test(arguments: [
        // Usual times, in winter and in summer.
        ("2026-05-01T10:00", "Europe/Amsterdam", "2026-05-01T08:00:00.000Z", "2026-05-01T10:00"),
        ("2026-12-01T10:00", "Europe/Amsterdam", "2026-12-01T09:00:00.000Z", "2026-12-01T10:00"),
        ("2026-05-01T10:00", "Asia/Kathmandu", "2026-05-01T04:15:00.000Z", "2026-05-01T10:00"),
        ("2026-05-01T00:00", "Pacific/Kiritimati", "2026-04-30T10:00:00.000Z", "2026-05-01T00:00"),
        ("2026-05-01T23:59", "Pacific/Pago_Pago", "2026-05-02T10:59:00.000Z", "2026-05-01T23:59"),
        ("2026-05-01", "America/New_York", "2026-05-01T04:00:00.000Z", "2026-05-01"),
        ("2026-05-01T10:00", "UTC", "2026-05-01T10:00:00.000Z", "2026-05-01T10:00"),
        // Skipped hours. Lord Howe skips half an hour, Apia skipped a day, Beirut skips midnight.
        ("2026-03-29T02:30", "Europe/Amsterdam", "2026-03-29T01:30:00.000Z", "2026-03-29T03:30"),
        ("2026-03-29T02:00", "Europe/Amsterdam", "2026-03-29T01:00:00.000Z", "2026-03-29T03:00"),
        ("2026-03-29T03:00", "Europe/Amsterdam", "2026-03-29T01:00:00.000Z", "2026-03-29T03:00"),
        ("2026-03-08T02:15", "America/New_York", "2026-03-08T07:15:00.000Z", "2026-03-08T03:15"),
        ("2026-10-04T02:10", "Australia/Lord_Howe", "2026-10-03T15:40:00.000Z", "2026-10-04T02:40"),
        ("2011-12-30T12:00", "Pacific/Apia", "2011-12-30T22:00:00.000Z", "2011-12-31T12:00"),
        ("2026-03-29", "Asia/Beirut", "2026-03-28T22:00:00.000Z", "2026-03-29"),
        // Hours that occur twice: the first one, or the one with the given offset.
        ("2026-10-25T02:30", "Europe/Amsterdam", "2026-10-25T00:30:00.000Z", "2026-10-25T02:30"),
        ("2026-10-25T02:30+02:00", "Europe/Amsterdam", "2026-10-25T00:30:00.000Z", "2026-10-25T02:30"),
        ("2026-10-25T02:30+01:00", "Europe/Amsterdam", "2026-10-25T01:30:00.000Z", "2026-10-25T02:30"),
        ("2026-10-25T03:00", "Europe/Amsterdam", "2026-10-25T02:00:00.000Z", "2026-10-25T03:00"),
        ("2026-11-01T01:30", "America/New_York", "2026-11-01T05:30:00.000Z", "2026-11-01T01:30"),
        ("2026-11-01T01:30-05:00", "America/New_York", "2026-11-01T06:30:00.000Z", "2026-11-01T01:30"),
        // A redundant offset.
        ("2026-05-01T10:00+02:00", "Europe/Amsterdam", "2026-05-01T08:00:00.000Z", "2026-05-01T10:00"),
        ("2026-05-01T10:00Z", "UTC", "2026-05-01T10:00:00.000Z", "2026-05-01T10:00"),
    ])
    func aPlannedTimeResolvesInItsZone(_ text: String, _ zone: String, _ moment: String, _ shown: String) throws {
        let resolution = try time(text, zone).resolve()
        #expect(resolution.time.description == moment)
        #expect(resolution.clock.description == shown)
    }

    @Test func anOffsetIsKeptOnlyWhereTheTimeIsAmbiguous() throws {
        #expect(try time("2026-10-25T02:30+01:00", "Europe/Amsterdam").text == "2026-10-25T02:30+01:00")
        #expect(try time("2026-10-25T02:30", "Europe/Amsterdam").text == "2026-10-25T02:30")
        #expect(try time("2026-05-01T10:00+02:00", "Europe/Amsterdam").text == "2026-05-01T10:00")
    }

    @Test(arguments: [
        "", "2026", "2026-02-30", "2026-13-01", "2026-5-1", "2026-05-01T", "2026-05-01T24:00", "2026-05-01T10",
        "2026-05-01T10:60", "2026-05-01T10:00:30", "2026-05-01 10:00", "2026-05-01T10:00+2", "2026-05-01T10:00+02:60",
        "2026-05-01T+1:-1", "10:00", "2026-05-01T1o:00", "٢٠٢٦-05-01",
    ])
    func invalidTimesAreRefused(_ text: String) {
        #expect(throws: PlannedTime.Flaw.text) { try time(text, "Europe/Amsterdam") }
    }

    @Test func anOffsetThatTheZoneDoesNotHaveIsRefused() {
        #expect(throws: PlannedTime.Flaw.offset) { try time("2026-05-01T10:00+01:00", "Europe/Amsterdam") }
        #expect(throws: PlannedTime.Flaw.offset) { try time("2026-03-29T02:30+01:00", "Europe/Amsterdam") }
    }

    @Test func onlyZoneNamesOfTheDatabaseAreAccepted() {
        for name in [
            "Europe/Amsterdam", "Europe/Kyiv", "America/Argentina/Buenos_Aires", "Asia/Kolkata", "Pacific/Apia", "UTC",
        ] {
            #expect(Zone(name)?.name == name)
        }
        for name in [
            "EST", "GMT+5", "Foo/Bar", "", "europe/amsterdam", "../../etc/passwd", "/", "Pacific/Apia\u{0}",
        ] {
            #expect(Zone(name) == nil, "\(name)")
        }
    }

    /// Checks every quarter of an hour of a year, in zones with different rules.
    ///
    /// The clock at the resolved time shows the planned time, or a time that is later by the skipped span.
    @Test(arguments: [
        "Europe/Amsterdam", "America/New_York", "Australia/Lord_Howe", "America/St_Johns", "Asia/Kathmandu",
        "Africa/Casablanca", "Antarctica/Troll",
    ])
    func resolvedTimesShowThePlannedTime(_ name: String) throws {
        let zone = try #require(Zone(name))
        let start = CalendarDate(year: 2026, month: 1, day: 1).known
        var last = Timestamp.earliest
        for quarter in 0..<365 * 96 {
            let clock = WallClock(date: start.advanced(byDays: Int64(quarter / 96)), minute: quarter % 96 * 15)
            let resolution = PlannedTime(clock, in: zone).resolve()
            #expect(zone.wallClock(at: resolution.time) == resolution.clock)
            if resolution.candidates.isEmpty {
                #expect(resolution.clock.description > clock.description)
            } else {
                #expect(resolution.clock == clock)
                // Times decrease only after a skipped hour, whose times were moved forward.
                #expect(resolution.time >= last || resolution.candidates.count == 1)
            }
            last = resolution.time
        }
        #expect(last > Timestamp(start, millisecondsOfDay: 0))
    }

    @Test func theClockChangesOfAYearAreFound() throws {
        let zone = try #require(Zone("Europe/Amsterdam"))
        let start = Timestamp(CalendarDate(year: 2026, month: 1, day: 1).known, millisecondsOfDay: 0)
        let end = start.advanced(byMilliseconds: 365 * Timestamp.millisecondsPerDay)
        let changes = zone.changes(after: start, upTo: end)
        #expect(changes.map(\.time.description) == ["2026-03-29T01:00:00.000Z", "2026-10-25T01:00:00.000Z"])
        #expect(changes.map(\.before) == [3600, 7200] && changes.map(\.after) == [7200, 3600])
        #expect(try #require(Zone("Asia/Kathmandu")).changes(after: start, upTo: end).isEmpty)
    }
}
