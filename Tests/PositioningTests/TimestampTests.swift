import Foundation
import TestSupport
import Testing
import Time

@Suite struct TimestampTests {
    @Test(arguments: [
        ("2026-05-01T10:00:03Z", "2026-05-01T10:00:03.000Z"), ("2026-05-01T10:00:03.4567Z", "2026-05-01T10:00:03.457Z"),
        ("2026-05-01T10:00:03+02:00", "2026-05-01T08:00:03.000Z"),
        ("2026-05-01T00:30:00-0130", "2026-05-01T02:00:00.000Z"),
        (" 2026-05-01t10:00:03z\n", "2026-05-01T10:00:03.000Z"), ("2026-05-01 10:00:03", "2026-05-01T10:00:03.000Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"), ("2026-12-31T24:00:00Z", "2027-01-01T00:00:00.000Z"),
        ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"), ("2000-02-29T12:00Z", "2000-02-29T12:00:00.000Z"),
        ("2026-05-01T10:00:03.9999Z", "2026-05-01T10:00:04.000Z"), ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
    ])
    func timesAreParsedInEachForm(row: (String, String)) {
        #expect(Timestamp(rfc3339: row.0)?.description == row.1)
    }

    @Test(arguments: [
        "", "2026", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "1900-02-29T00:00:00Z", "2026-05-01T25:00:00Z",
        "2026-05-01T10:60:00Z", "2026-05-01T10:00:61Z", "2026-05-01T10:00:00X", "2026-05-01T10:00:00.Z",
        "2026-5-1T10:00:00Z",
        "2026-05-01T10:00:00+15:00", "0000-01-01T00:00:00Z", "2026-05-01T24:00:01Z",
    ])
    func invalidTimesAreNotParsed(text: String) { #expect(Timestamp(rfc3339: text) == nil) }

    @Test func datesAreTheSameAsFoundations() throws {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        var random = SeededGenerator(seed: 1)
        for _ in 0..<2000 {
            let days = Int64.random(in: -100_000...100_000, using: &random)
            let (year, month, day) = CalendarDate(daysSinceEpoch: days).components
            let truth = calendar.dateComponents(
                [.year, .month, .day], from: Date(timeIntervalSince1970: Double(days) * 86400))
            #expect((truth.year, truth.month, truth.day) == (year, month, day))
            #expect(CalendarDate(year: year, month: month, day: day)?.daysSinceEpoch == days)
        }
    }

    @Test func writtenTimesAreParsedBack() {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<2000 {
            let time = Timestamp(milliseconds: .random(in: -60_000_000_000_000...250_000_000_000_000, using: &random))
            #expect(Timestamp(rfc3339: time.description) == time)
        }
    }

    /// A leading space keeps a text from the fast parser of the usual form.
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func theFastParserOfTheUsualFormGivesTheSameTimes(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let characters = Array("0123456789-:TZ.tz,+ a/;".utf8)
        for _ in 0..<5000 {
            var text = Array(
                (Bool.random(using: &generator) ? "2024-02-28T23:59:59Z" : "1999-12-31T00:00:00.050Z").utf8)
            for _ in 0..<Int.random(in: 0...2, using: &generator) {
                text[Int.random(in: 0..<text.count, using: &generator)] =
                    characters.randomElement(using: &generator) ?? 0
            }
            let other = [0x20] + text
            #expect(
                Timestamp(rfc3339: text.span) == Timestamp(rfc3339: other.span),
                "\(String(decoding: text, as: UTF8.self))")
        }
    }

    @Test(arguments: [Int64.min, -62_167_219_200_001, -1, 0, 253_402_300_800_000, .max])
    func everyMomentIsClampedToTheYears0To9999(milliseconds: Int64) {
        let moment = Timestamp(milliseconds: milliseconds)
        #expect((Timestamp.earliest...Timestamp.latest).contains(moment))
        #expect(Timestamp(exactly: milliseconds) == (moment.milliseconds == milliseconds ? moment : nil))
        for step in [Int64.min, -1, 1, .max] {
            let other = moment.advanced(byMilliseconds: step)
            #expect((Timestamp.earliest...Timestamp.latest).contains(other))
            #expect(other.milliseconds(since: moment) == -moment.milliseconds(since: other))
        }
        let date = CalendarDate(daysSinceEpoch: milliseconds)
        #expect((0...9999).contains(date.components.year))
        #expect((Timestamp.earliest...Timestamp.latest).contains(Timestamp(date, millisecondsOfDay: milliseconds)))
    }

    @Test func theEarliestAndLatestMomentsCanBeWritten() {
        #expect(Timestamp.earliest.description == "0000-01-01T00:00:00.000Z")
        #expect(Timestamp.latest.description == "9999-12-31T23:59:59.999Z")
    }
}
