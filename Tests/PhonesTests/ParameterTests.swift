import Geodesy
import Phones
import Positioning
import Testing
import Time

@Suite struct ParameterTests {
    private static let usual =
        "id=x&timestamp=1700000000&lat=41.5&lon=2.25&speed=10&bearing=90&altitude=12.5&accuracy=10&batt=88.0"

    @Test func queryAndFormOfOsmAndsProtocolAreReadAlike() throws {
        let query = report(query: Self.usual)
        #expect(query == report(Self.usual))
        #expect(query == report("id=x&timestamp=1700000000", query: Self.usual))
        #expect(query.client == .osmand)
        #expect(query.answer == .empty)
        let fix = try #require(query.onlyFix)
        #expect(fix.time == moment("2023-11-14T22:13:20Z"))
        #expect(fix.fix.coordinate == Coordinate(latitude: 41.5, longitude: 2.25))
        #expect(abs((fix.fix.speed?.metersPerSecond ?? 0) - 5.14444) < 1e-4)
        #expect(fix.fix.track == .degrees(90))
        #expect(fix.fix.altitude == .meters(12.5))
        #expect(abs((fix.fix.accuracy?.meters ?? 0) - 16.2) < 1e-9)
        #expect(fix.battery == 88)
    }

    @Test(arguments: [
        ("1700000000", "2023-11-14T22:13:20Z"), ("1700000000250", "2023-11-14T22:13:20.250Z"),
        ("2023-11-14T22:13:20Z", "2023-11-14T22:13:20Z"), ("2023-11-15T00:13:20%2B02:00", "2023-11-14T22:13:20Z"),
        ("2023-11-15T00:13:20+02:00", "2023-11-14T22:13:20Z"), ("2023-11-14+22:13:20", "2023-11-14T22:13:20Z"),
        ("2023-11-14%2022:13:20.5", "2023-11-14T22:13:20.500Z"),
        ("2023-11-14T22:13:20.250Z", "2023-11-14T22:13:20.250Z"),
        // The first number of milliseconds, and the last one of seconds.
        ("2147483647", "1970-01-25T20:31:23.647Z"), ("2147483646", "2038-01-19T03:14:06Z"),
    ]) func timesOfTheProtocolAreRead(text: String, expected: String) {
        #expect(report(query: "lat=1&lon=2&timestamp=\(text)").onlyFix?.time == moment(expected))
    }

    @Test(arguments: [
        "", "&timestamp=", "&timestamp=yesterday", "&timestamp=0", "&timestamp=-4", "&timestamp=2024-13-45T99:00:00Z",
        "&timestamp=1e300", "&timestamp=NaN", "&timestamp=1700000000" + String(repeating: "0", count: 300),
    ]) func fixWithoutAUsableTimeIsCounted(parameter: String) {
        #expect(report(query: "lat=1&lon=2\(parameter)").onlyReason == .noTime)
    }

    @Test(arguments: [
        ("lat=1", IgnoredReason.noPosition), ("lon=1", .noPosition), ("id=9", .noPosition), ("lat=&lon=1", .noPosition),
        ("lat=0&lon=0.0", .noPosition), ("location=12.5", .noPosition), ("lat=1&lon=2&valid=false", .noPosition),
        ("lat=NaN&lon=1", .notANumber), ("lat=1&lon=Infinity", .notANumber), ("lat=1e400&lon=1", .notANumber),
        ("location=a,b", .notANumber), ("location=12,5%3B13,5", .notANumber), ("lat=91&lon=1", .outOfRange),
        ("location=1,180.5", .outOfRange), ("lat=0x10&lon=1", .notANumber),
    ]) func fixWithoutAUsablePlaceIsCounted(parameters: String, reason: IgnoredReason) {
        let report = report(query: "timestamp=9&" + parameters)
        #expect(report.onlyReason == reason)
        #expect(report.client == .osmand)
        #expect(report.answer == .empty)
    }

    @Test func placeInOneParameterIsRead() {
        let fix = report(query: "timestamp=9&location=41.5%2C+2.25&valid=true").onlyFix
        #expect(fix?.fix.coordinate == Coordinate(latitude: 41.5, longitude: 2.25))
    }

    @Test func unknownValuesAreUnknown() throws {
        let fix = try #require(
            report(query: "timestamp=9&lat=1&lon=2&speed=-1&bearing=-1&altitude=&accuracy=&batt=").onlyFix)
        #expect(fix.fix.speed == nil)
        #expect(fix.fix.track == nil)
        #expect(fix.fix.altitude == nil)
        #expect(fix.fix.accuracy == nil)
        #expect(fix.battery == nil)
    }

    @Test func dilutionGivesTheAccuracyWhereNoneIsReported() throws {
        let fix = try #require(report(query: "timestamp=9&lat=1&lon=2&hdop=2&heading=7").onlyFix?.fix)
        #expect(fix.accuracy == .meters(38))
        #expect(fix.hdop == 2)
        #expect(fix.track == .degrees(7))
        let both = report(query: "timestamp=9&lat=1&lon=2&hdop=2&accuracy=100").onlyFix?.fix
        #expect(both?.accuracy == .meters(162))
    }

    @Test func ownAppOfOsmAndHasMetersPerSecondAndARadius() throws {
        let fix = try #require(
            report(query: "app=osmand&timestamp=1700000000000&lat=1&lon=2&speed=5&hdop=10").onlyFix?.fix)
        #expect(fix.speed == .metersPerSecond(5))
        #expect(abs((fix.accuracy?.meters ?? 0) - 16.2) < 1e-9)
        #expect(fix.hdop == nil)
    }

    @Test func osmAndIsKnownByItsUsualAddress() throws {
        let usual = "id=x&lat=1&lon=2&altitude=3&speed=5&bearing=7&hdop=10"
        #expect(report(query: usual + "&timestamp=1700000000000").onlyFix?.fix.speed == .metersPerSecond(5))
        let knots = 5 * 1852.0 / 3600
        for rest in ["1700000000", "1700000000000&batt=50", "1700000000000&app=other"] {
            let speed = report(query: "\(usual)&timestamp=\(rest)").onlyFix?.fix.speed?.metersPerSecond
            #expect(abs((speed ?? 0) - knots) < 1e-9, "\(rest)")
        }
    }

    @Test func parametersOfGPSLoggerAreRead() throws {
        let report = report(
            query: "&lat=41.5&lon=2.25&alt=12.5&acc=10&dir=90&spd=5&timestamp=1700000000"
                + "&time=2023-11-14T22:13:20.250Z&batt=57.0&profile=Default+Profile&hdop=0.9&vdop=&")
        #expect(report.client == .gpslogger)
        #expect(report.answer == .empty)
        let fix = try #require(report.onlyFix)
        #expect(fix.time == moment("2023-11-14T22:13:20.250Z"))
        #expect(fix.fix.speed == .metersPerSecond(5))
        #expect(fix.fix.track == .degrees(90))
        #expect(fix.fix.altitude == .meters(12.5))
        #expect(abs((fix.fix.accuracy?.meters ?? 0) - 16.2) < 1e-9)
        #expect(fix.battery == 57)
    }

    @Test func zerosOfGPSLoggerAreUnknown() throws {
        let fix = try #require(
            report(query: "lat=1&lon=2&alt=0.0&acc=0.0&dir=0.0&spd=0.0&timestamp=9").onlyFix?.fix)
        #expect(fix.speed == nil)
        #expect(fix.track == nil)
        #expect(fix.altitude == nil)
        #expect(fix.accuracy == nil)
    }

    @Test func namesOfGPSLoggerWithoutItsSpeedAreReadAsOsmAnds() {
        let report = report(query: "lat=1&lon=2&acc=10&time=2023-11-14T22:13:20Z&dir=5&alt=6")
        #expect(report.client == .osmand)
        #expect(report.onlyFix?.fix.track == .degrees(5))
        #expect(report.onlyFix?.time == moment("2023-11-14T22:13:20Z"))
    }

    @Test func bodyThatIsNoFormDoesNotHideTheQuery() {
        for body in ["hello", "{\"time\":\"now\"}", "[", "\u{0}"] {
            #expect(report(body, query: Self.usual) == report(query: Self.usual), "\(body)")
        }
        // An app that is recognised by its JSON goes first: the address has only its secret.
        #expect(report(#"{"_type":"lwt"}"#, query: "id=9").client == .owntracks)
    }

    @Test func bytesThatAreNotTextAreNoError() {
        #expect(report(query: "lat=%ff%fe&lon=1&timestamp=9").onlyReason == .notANumber)
        #expect(report(query: "lat=1&lon=2&timestamp=9&desc=%ff%").onlyFix != nil)
        let body: [UInt8] = Array("lat=1&lon=2&timestamp=9&desc=".utf8) + [0xFF, 0xC3, 0x28]
        #expect(PhoneReport(reading: PhoneRequest(head: .init(), body: body)).onlyFix != nil)
    }
}
