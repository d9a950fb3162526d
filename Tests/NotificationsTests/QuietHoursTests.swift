import FeatureSupport
import Testing
import Time

@testable import Notifications
@testable import Service

/// Quiet hours by local time.
///
/// `moment(0)` is 2026-05-01 10:00 UTC.
@Suite struct QuietHoursTests {
    private func hours(_ text: String, _ zone: String) throws -> QuietHours {
        try #require(QuietHours.ZoneName(zone).flatMap { QuietHours(text, zone: $0) })
    }

    @Test func hoursAcrossMidnightApplyOnBothSidesOfIt() throws {
        let quiet = try hours("22:00-07:00", "UTC")
        let hour = 3600.0
        #expect(!quiet.contains(moment(0)))
        #expect(!quiet.contains(moment(12 * hour - 0.001)))
        #expect(quiet.contains(moment(12 * hour)))
        #expect(quiet.contains(moment(20 * hour)))
        #expect(!quiet.contains(moment(21 * hour)))
    }

    @Test func hoursWithinADayEndAtTheirEnd() throws {
        let quiet = try hours("09:30-10:01", "UTC")
        #expect(quiet.contains(moment(0)))
        #expect(quiet.contains(moment(59.999)))
        #expect(!quiet.contains(moment(60)))
        #expect(!quiet.contains(moment(-1800.001)))
    }

    @Test func hoursAreInTheTimeZone() throws {
        // 10:00 UTC is 12:00 summer time in Amsterdam, and 15:30 at +05:30.
        #expect(try hours("12:00-12:01", "Europe/Amsterdam").contains(moment(0)))
        #expect(try hours("15:30-15:31", "+05:30").contains(moment(0)))
        #expect(try hours("06:59-07:01", "-03:00").contains(moment(0)))
        // Half a year later, in winter, Amsterdam is one hour behind that.
        #expect(try hours("11:00-11:01", "Europe/Amsterdam").contains(moment(215 * 86_400)))
    }

    @Test func timesBefore1970AreHandled() throws {
        #expect(try hours("23:59-00:00", "UTC").contains(Timestamp(milliseconds: -1)))
    }

    @Test(arguments: ["", "22-7", "22:00", "22:00-24:00", "22:60-07:00", "9:00-10:00", "22:00-22:00", "+1:00-02:00"])
    func isNotARangeOfHours(_ text: String) throws {
        let zone = try #require(QuietHours.ZoneName("UTC"))
        #expect(QuietHours(text, zone: zone) == nil)
    }

    @Test(arguments: ["", "Mars/Olympus", "+2", "+24:00", "02:00", "Europe", "../../etc/localtime"])
    func isNotATimeZone(_ text: String) { #expect(QuietHours.ZoneName(text) == nil) }

    @Test func hoursAreWrittenAsTheyWereParsed() throws {
        #expect(try hours("22:05-07:00", "UTC").text == "22:05-07:00")
    }
}
