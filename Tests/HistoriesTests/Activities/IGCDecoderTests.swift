import Geodesy
import Positioning
import Testing
import Time

@testable import Histories

@Suite struct IGCDecoderTests {
    private static let fix = "B1101355206343N00006198WA0058700558"

    private static func read(_ lines: String..., date: CalendarDate? = nil) -> ActivityReading {
        ActivityReading(IGCDecoder(date: date), lines.joined(separator: "\r\n"))
    }

    @Test(arguments: ["HFDTE160701", "HFDTEDATE:160701,01", "HFDTE:160701", "HODTEDATE: 160701"])
    func aFixHasThePlaceTheTimeAndTheAltitudeOfTheSatellites(header: String) throws {
        let reading = Self.read("AXXX001", header, Self.fix, "G1234")
        let fix = try #require(reading.fixes.first)
        #expect((reading.items.count, reading.failure) == (1, nil))
        #expect(reading.times == ["2001-07-16T11:01:35.000Z"])
        #expect(fix.coordinate == Coordinate(latitudeE7: 521_057_167, longitudeE7: -1_033_000))
        #expect(fix.altitude == .meters(558))
        #expect(fix.mode == .threeDimensional)
        #expect((fix.speed, fix.accuracy, fix.satellites) == (nil, nil, nil))
    }

    @Test func aFixInTwoDimensionsHasNoAltitude() throws {
        let reading = Self.read(
            "HFDTE160701", "B1101355206343N00006198WV0058700558", "B1101360000000N00000000EV0000000000",
            "B1101375206343S10006198EA00587-0012")
        #expect(reading.fixes.map(\.mode) == [.twoDimensional, .threeDimensional])
        #expect(reading.fixes.map(\.altitude) == [nil, .meters(-12)])
        #expect(reading.fixes.last?.coordinate == Coordinate(latitudeE7: -521_057_167, longitudeE7: 1_001_033_000))
        #expect(reading.dropped == [.noPosition: 1])
    }

    @Test func additionsAreWhereTheIRecordSays() throws {
        let reading = Self.read(
            "HFDTE160701", "I063638FXA3940SIU4143TDS4446ENL4749GSP5052TRT", Self.fix + "01207250999108359",
            Self.fix, Self.fix + "0", Self.fix + "00007999999036361")
        let fix = try #require(reading.fixes.first)
        #expect(reading.times[0] == "2001-07-16T11:01:35.250Z")
        #expect(fix.accuracy == .meters(12))
        #expect(fix.satellites == 7)
        #expect(fix.speed == .kilometersPerHour(108))
        #expect(fix.track == .degrees(359))
        #expect(reading.fixes.dropFirst().map(\.accuracy) == [nil, nil, nil])
        #expect(reading.fixes.map(\.track) == [.degrees(359), nil, nil, nil])
        #expect(reading.times == ["35.250", "35.000", "35.000", "35.999"].map { "2001-07-16T11:01:\($0)Z" })
    }

    @Test(arguments: [("3636TDS", "5", "500"), ("3637TDS", "25", "250"), ("3639TDS", "1239", "123")])
    func fractionsHaveAnyNumberOfDigits(addition: String, digits: String, milliseconds: String) {
        let reading = Self.read("HFDTE160701", "I01" + addition, Self.fix + digits)
        #expect(reading.times == ["2001-07-16T11:01:35.\(milliseconds)Z"])
    }

    @Test func theDateChangesAtMidnightAndNotWhenTheClockGoesBack() {
        func line(_ time: String) -> String { "B\(time)5206343N00006198WA0058700558" }
        let reading = Self.read(
            "HFDTE311299", line("235958"), line("000001"), line("235959"), "HFDTE311299", line("000002"),
            line("070000"), line("063000"), "HFDTE030100", line("010000"))
        #expect(
            reading.times == [
                "1999-12-31T23:59:58.000Z", "2000-01-01T00:00:01.000Z", "1999-12-31T23:59:59.000Z",
                "2000-01-01T00:00:02.000Z", "2000-01-01T07:00:00.000Z", "2000-01-01T06:30:00.000Z",
                "2000-01-03T01:00:00.000Z",
            ])
        #expect(reading.fixes.map(\.beginsSegment) == [true] + [Bool](repeating: false, count: 6))
    }

    @Test func brokenLinesAreDropped() {
        let reading = Self.read(
            "HFDTE160701", "B1234", "B2501355206343N00006198WA0058700558", "B1101355266343X00006198WA0058700558",
            "B1101355260000N00006198WA0058700558", "B1101359106343N00006198WA0058700558", "X" + Self.fix,
            "L" + String(repeating: "x", count: 5000), "B" + String(repeating: "1", count: 5000), Self.fix)
        #expect(reading.fixes.count == 1)
        #expect(reading.dropped == [.unreadable: 4, .outOfRange: 1])
    }

    @Test func aFlightWithoutADateIsRefusedUnlessOneIsGiven() {
        #expect(Self.read("AXXX001", Self.fix).failure?.reason.contains("no date") == true)
        #expect(Self.read("AXXX001", "HFDTE320199", Self.fix).failure != nil)
        let given = Self.read("AXXX001", Self.fix, date: CalendarDate(year: 2024, month: 6, day: 29))
        #expect(given.times == ["2024-06-29T11:01:35.000Z"])
        #expect(Self.read(Self.fix, "HFDTE160701", Self.fix).dropped == [.noTime: 1])
        #expect(Self.read("\u{FEFF}HFDTE160701", Self.fix).times == ["2001-07-16T11:01:35.000Z"])
        #expect(Self.read("").failure != nil)
        #expect(Self.read("{}").failure != nil)
        #expect(Self.read("AXXX001", "HFDTE160701").failure == nil)
    }
}
