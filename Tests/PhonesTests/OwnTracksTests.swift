import Geodesy
import Phones
import Positioning
import Testing
import Time

@Suite struct OwnTracksTests {
    @Test func locationHasItsValuesInTheirUnits() throws {
        let report = report(
            #"""
            {"_type":"location","lat":41.5,"lon":2.25,"tst":1700000000,"acc":10,"alt":-1,"vel":36,"cog":0,"batt":74,
            "created_at":1700009999,"topic":"owntracks/rosa/calypso","SSID":"home","inregions":["home"]}
            """#)
        #expect(report.client == .owntracks)
        #expect(report.answer == .array)
        #expect(report.claimedDevice == "calypso")
        let fix = try #require(report.onlyFix)
        #expect(fix.time == moment("2023-11-14T22:13:20Z"))
        #expect(fix.fix.time == fix.time)
        #expect(fix.fix.coordinate == Coordinate(latitude: 41.5, longitude: 2.25))
        #expect(fix.fix.altitude == .meters(-1))
        #expect(abs((fix.fix.speed?.metersPerSecond ?? 0) - 10) < 1e-9)
        #expect(fix.fix.track == .degrees(0))
        #expect(abs((fix.fix.accuracy?.meters ?? 0) - 16.2) < 1e-9)
        #expect(fix.battery == 74)
        #expect(!fix.isFromTransition)
    }

    @Test func zerosThatAreSentAreZeros() throws {
        let fix = try #require(
            report(#"{"_type":"location","lat":1,"lon":2,"tst":9,"alt":0,"vel":0,"cog":0}"#).onlyFix?.fix)
        #expect(fix.altitude == .meters(0))
        #expect(fix.speed == .metersPerSecond(0))
        #expect(fix.track == .degrees(0))
    }

    @Test(arguments: ["", #","acc":-1,"vel":-1,"cog":-1"#, #","acc":null,"alt":"","vel":"fast","cog":361"#])
    func valuesThatAreMissingOrImplausibleAreUnknown(members: String) throws {
        let body = #"{"_type":"location","lat":1,"lon":2,"tst":9,"batt":-1\#(members)}"#
        let fix = try #require(report(body).onlyFix)
        #expect(fix.fix.altitude == nil)
        #expect(fix.fix.speed == nil)
        #expect(fix.fix.track == nil)
        #expect(fix.fix.accuracy == nil)
        #expect(fix.battery == nil)
    }

    @Test(arguments: [
        ("1700000000.0", "2023-11-14T22:13:20Z"), ("1700000000.25", "2023-11-14T22:13:20.250Z"),
        (#""1700000000""#, "2023-11-14T22:13:20Z"), ("4102444800", "2100-01-01T00:00:00Z"),
    ]) func timeIsInSeconds(json: String, expected: String) {
        let report = report(#"{"_type":"location","lat":1,"lon":2,"tst":\#(json)}"#)
        #expect(report.onlyFix?.time == moment(expected))
    }

    @Test(arguments: ["null", "0", "-5", #""soon""#, "1700000000000", "true", "[1]", "{}", #""""#])
    func locationWithoutAUsableTimeIsCounted(json: String) {
        #expect(report(#"{"_type":"location","lat":1,"lon":2,"tst":\#(json)}"#).onlyReason == .noTime)
    }

    @Test(arguments: [
        ("null", "2", IgnoredReason.noPosition), ("0", "0.0", .noPosition), (#""""#, "2", .noPosition),
        ("true", "2", .notANumber), (#""1x""#, "2", .notANumber), ("1", "[2]", .notANumber),
        ("90.5", "2", .outOfRange), ("1", "-181", .outOfRange),
    ]) func locationWithoutAUsablePlaceIsCounted(latitude: String, longitude: String, reason: IgnoredReason) {
        let report = report(#"{"_type":"location","lat":\#(latitude),"lon":\#(longitude),"tst":9}"#)
        #expect(report.onlyReason == reason)
        #expect(report.answer == .array)
    }

    @Test func placesOnTheEquatorAndTheAntimeridianAreFixes() {
        for (latitude, longitude) in [("0", "10"), ("10", "0"), ("-90", "180"), ("90", "-180")] {
            let report = report(#"{"_type":"location","lat":\#(latitude),"lon":\#(longitude),"tst":9}"#)
            #expect(report.onlyFix != nil, "\(latitude) \(longitude)")
        }
    }

    @Test func pingIsAFixOnlyWithAnAccuracy() {
        func ping(_ members: String) -> PhoneReport {
            report(#"{"_type":"location","t":"p","lat":1,"lon":2,"tst":9\#(members)}"#)
        }
        #expect(ping(#","acc":12"#).onlyFix != nil)
        #expect(ping("").onlyReason == .ping)
        #expect(ping(#","acc":-1"#).onlyReason == .ping)
        #expect(ping(#","acc":null"#).onlyReason == .ping)
    }

    @Test func crossingOfARegionIsAFix() throws {
        let fix = try #require(
            report(#"{"_type":"transition","event":"enter","lat":1,"lon":2,"tst":9,"wtst":5,"acc":20}"#).onlyFix)
        #expect(fix.isFromTransition)
        #expect(fix.transition?.event == "enter")
        #expect(abs((fix.fix.accuracy?.meters ?? 0) - 32.4) < 1e-9)
        // A crossing near a beacon has no place.
        #expect(report(#"{"_type":"transition","event":"enter","tst":9}"#).onlyReason == .noPosition)
        let long = String(repeating: "x", count: 1000)
        let bounded = report(#"{"_type":"transition","event":"\#(long)","lat":1,"lon":2,"tst":9}"#)
        #expect(bounded.onlyFix?.transition?.event.count == 32)
    }

    @Test(arguments: [
        "beacon", "card", "cmd", "dump", "encrypted", "lwt", "request", "status", "steps", "waypoint", "waypoints",
    ]) func otherMessagesAreCountedByTheirType(type: String) {
        let report = report(#"{"_type":"\#(type)","lat":1,"lon":2,"tst":9}"#)
        #expect(report.onlyReason == IgnoredReason(rawValue: type))
        #expect(report.answer == .array)
    }

    @Test(arguments: ["hologram", "action", "no-time", ""]) func unknownTypesHaveOneCount(type: String) {
        #expect(report(#"{"_type":"\#(type)"}"#).onlyReason == .unknownType)
    }

    @Test(arguments: [#"{"_type":["location"],"lat":1,"lon":2,"tst":9}"#, "{}", #"{"lat":1,"lon":2}"#])
    func objectsWithoutATypeAreAnsweredWithAnArray(body: String) {
        #expect(report(body).onlyReason == .noType)
        #expect(report(body).answer == .array)
    }

    @Test func arrayIsReadAsItsMessages() {
        let report = report(
            #"""
            [{"_type":"transition","event":"leave","lat":1,"lon":2,"tst":20},{"_type":"lwt"},7,
             {"_type":"location","lat":1,"lon":2,"tst":20},{"_type":"location","lat":1,"lon":2,"tst":10}]
            """#)
        #expect(report.client == .owntracks)
        #expect(report.fixes.map(\.time.milliseconds) == [10_000, 20_000, 20_000])
        #expect(report.fixes.map(\.isFromTransition) == [false, false, true])
        #expect(report.ignored == [.lwt: 1, .noType: 1])
        #expect(report.answer == .array)
    }
}
