import NMEA
import Positioning
import Testing
import Time

@Suite struct DateTests {
    private func gga(_ time: String) -> String { "GPGGA,\(time),5222.3834,N,00453.5333,E,1,08,0.9,12.5,M,46.9,M,," }
    private func rmc(_ time: String, _ date: String) -> String {
        "GPRMC,\(time),A,5222.3834,N,00453.5333,E,,,\(date),,"
    }

    @Test func fixesBeforeAnyDateHaveNoTime() {
        let decoded = Decoded(Recording([gga("100000"), gga("100001"), rmc("100002", "010526")]))
        #expect(decoded.times == ["none", "none", "2026-05-01T10:00:02.000Z"])
    }

    @Test func theDateMayBeAnywhereInItsEpoch() {
        let decoded = Decoded(Recording([gga("100000"), "GPZDA,100000,01,05,2026,00,00", gga("100001")]))
        #expect(decoded.times == ["2026-05-01T10:00:00.000Z", "2026-05-01T10:00:01.000Z"])
    }

    @Test func theDateOfAnEpochWithoutPositionIsKept() {
        let decoded = Decoded(Recording(["GPZDA,100002,01,05,2026,00,00", gga("100000"), gga("100001")]))
        #expect(decoded.times == ["2026-05-01T10:00:00.000Z", "2026-05-01T10:00:01.000Z"])
    }

    @Test func midnightBeginsTheNextDay() {
        let decoded = Decoded(Recording([rmc("235958", "311226"), gga("235959"), gga("000000"), gga("000001")]))
        #expect(
            decoded.times == [
                "2026-12-31T23:59:58.000Z", "2026-12-31T23:59:59.000Z", "2027-01-01T00:00:00.000Z",
                "2027-01-01T00:00:01.000Z",
            ])
    }

    @Test func everyMidnightBeginsAnotherDay() throws {
        let start = try #require(CalendarDate(year: 2026, month: 2, day: 27))
        let hours = (0..<72).map { $0 % 24 < 10 ? "0\($0 % 24)0000" : "\($0 % 24)0000" }
        let decoded = Decoded(Recording(hours.map(gga)), date: start)
        #expect(decoded.fixes.count == 72)
        let first = Timestamp(start, millisecondsOfDay: 0)
        #expect(
            decoded.fixes.map(\.time) == (0..<72).map { first.advanced(byMilliseconds: Int64($0) * 3_600_000) })
    }

    @Test func aSmallStepBackIsNotMidnight() {
        let decoded = Decoded(Recording([rmc("120000", "010526"), gga("115959"), gga("060000"), gga("120001")]))
        #expect(
            decoded.times == [
                "2026-05-01T12:00:00.000Z", "2026-05-01T11:59:59.000Z", "2026-05-01T06:00:00.000Z",
                "2026-05-01T12:00:01.000Z",
            ])
    }

    @Test func aSmallStepBackOverMidnightReturnsToItsDay() {
        let decoded = Decoded(
            Recording([rmc("235959", "010526"), gga("000000"), gga("235959.5"), gga("000001"), gga("180000")]))
        #expect(
            decoded.times == [
                "2026-05-01T23:59:59.000Z", "2026-05-02T00:00:00.000Z", "2026-05-01T23:59:59.500Z",
                "2026-05-02T00:00:01.000Z", "2026-05-02T18:00:00.000Z",
            ])
    }

    @Test func theDateOfAVoidSentenceIsIgnored() {
        let decoded = Decoded(Recording(["GPRMC,235952,V,,,,,,,050180,,,N", gga("100000")]))
        #expect(decoded.times == ["none"])
    }

    @Test func aDateThatComesAfterItsEpochAppliesToTheNext() {
        var decoder = NMEADecoder()
        var fixes: [Fix] = []
        decoder.feed(Recording([gga("100003")]).bytes.span, into: &fixes)
        decoder.endEpoch(into: &fixes)
        decoder.feed(Recording([rmc("100003", "010526"), gga("100004")]).bytes.span, into: &fixes)
        decoder.finish(into: &fixes)
        #expect(fixes.map { $0.time?.description ?? "none" } == ["none", "2026-05-01T10:00:04.000Z"])
    }

    private func awaiting(_ sentences: [String]) -> (times: [String], datedLater: Int) {
        var decoder = NMEADecoder(awaitsDate: true)
        var fixes: [Fix] = []
        decoder.feed(Recording(sentences).bytes.span, into: &fixes)
        decoder.finish(into: &fixes)
        return (fixes.map { $0.time?.description ?? "none" }, decoder.datedLater)
    }

    @Test func aRecordingIsDatedBackFromADateAtItsEnd() {
        let (times, count) = awaiting([gga("235958"), gga("235959"), gga("000000"), "GPZDA,000001,02,05,2026,00,00"])
        #expect(times == ["2026-05-01T23:59:58.000Z", "2026-05-01T23:59:59.000Z", "2026-05-02T00:00:00.000Z"])
        #expect(count == 3)
    }

    @Test func aRecordingWithoutAnyDateHasNoTimes() {
        let (times, count) = awaiting([gga("100000"), gga("100001")])
        #expect(times == ["none", "none"])
        #expect(count == 0)
    }

    @Test func fixesWithoutATimeKeepTheirPlaceAmongOthersDatedLater() {
        let (times, count) = awaiting(
            ["GPGLL,5222.0,N,00453.0,E", "GPGLL,5223.0,N,00453.0,E", gga("100000"), rmc("100001", "010526")])
        #expect(times == ["none", "2026-05-01T10:00:00.000Z", "2026-05-01T10:00:01.000Z"])
        #expect(count == 1)
    }

    /// At most a day of fixes waits if a recording never gives its date.
    @Test func atMostADayOfFixesWaitsForADate() {
        var decoder = NMEADecoder(awaitsDate: true)
        var fixes: [Fix] = []
        let epochs = (0..<2000).map { gga(Receiver.clock($0)) }
        let bytes = Recording(epochs).bytes
        for _ in 0..<44 { decoder.feed(bytes.span, into: &fixes) }
        #expect(fixes.count > 86_400)
        #expect(fixes.allSatisfy { $0.time == nil })
    }

    @Test func datesAreUsedAsTheyAreWritten() {
        let decoded = Decoded(Recording([rmc("100000", "220899"), rmc("100001", "010526")]))
        #expect(decoded.times == ["1999-08-22T10:00:00.000Z", "2026-05-01T10:00:01.000Z"])
    }

    @Test func datesInSentencesOverrideTheGivenDate() throws {
        let given = try #require(CalendarDate(year: 2020, month: 1, day: 1))
        let decoded = Decoded(Recording([gga("100000"), rmc("100001", "010526"), gga("100002")]), date: given)
        #expect(
            decoded.times == ["2020-01-01T10:00:00.000Z", "2026-05-01T10:00:01.000Z", "2026-05-01T10:00:02.000Z"])
    }

    @Test func theSameTimeOnAnotherDayIsAnotherEpoch() {
        let decoded = Decoded(Recording([rmc("120000", "010526"), rmc("120000", "020526"), rmc("120000", "030526")]))
        #expect(decoded.fixes.count == 3)
    }

    @Test func aRejectedSentenceLeavesTheRestOfItsEpoch() {
        let decoded = Decoded(Recording([rmc("100000", "010526"), rmc("100001", "000000"), gga("100001")]))
        #expect(decoded.times == ["2026-05-01T10:00:00.000Z", "2026-05-01T10:00:01.000Z"])
        #expect(decoded.reasons == ["date 1"])
    }

    @Test(arguments: ["235959", "235959.9996", "235960"]) func noTimeIsBeyondTheYear9999(_ time: String) {
        let decoded = Decoded(
            Recording(["GPZDA,\(time),31,12,9999,00,00", gga(time), gga("000001"), gga("120000"), gga("000002")]))
        #expect(decoded.fixes.count == 4)
        #expect(decoded.times.allSatisfy { $0.hasPrefix("9999-12-31T") })
        #expect(decoded.times.allSatisfy { Timestamp(rfc3339: $0)?.description == $0 })
    }
}
