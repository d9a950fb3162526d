import Geodesy
import Phones
import Positioning
import Testing

@Suite struct OverlandTests {
    private static func feature(_ time: String, _ more: String = "") -> String {
        #"""
        {"type":"Feature","geometry":{"type":"Point","coordinates":[2.25,41.5,99]},
        "properties":{"timestamp":"\#(time)","device_id":"calypso"\#(more)}}
        """#
    }

    @Test func featureHasItsValuesInTheirUnits() throws {
        let values =
            #","altitude":null,"speed":5,"course":90,"horizontal_accuracy":10,"battery_level":0.64,"wifi":"""#
        let report = report(#"{"locations":[\#(Self.feature("2023-11-14T15:13:20-0700", values))],"trip":{}}"#)
        #expect(report.client == .overland)
        #expect(report.answer == .overland)
        #expect(report.claimedDevice == "calypso")
        let fix = try #require(report.onlyFix)
        #expect(fix.time == moment("2023-11-14T22:13:20Z"))
        #expect(fix.fix.coordinate == Coordinate(latitude: 41.5, longitude: 2.25))
        #expect(fix.fix.altitude == nil)
        #expect(fix.fix.speed == .metersPerSecond(5))
        #expect(fix.fix.track == .degrees(90))
        #expect(abs((fix.fix.accuracy?.meters ?? 0) - 16.2) < 1e-9)
        #expect(fix.battery == 64)
    }

    @Test func fixesAreSortedByTime() {
        let times = ["2023-11-14T22:00:02Z", "2023-11-14T22:00:01Z", "2023-11-14T22:00:03+00:00"]
        let report = report(#"{"locations":[\#(times.map { Self.feature($0) }.joined(separator: ","))]}"#)
        #expect(report.fixes.map(\.time) == times.compactMap { moment($0) }.sorted())
    }

    @Test func currentPlaceIsNoFix() throws {
        let current = Self.feature("2023-11-14T22:00:09Z")
        let report = report(#"{"locations":[],"current":\#(current)}"#)
        #expect(report.fixes.isEmpty)
        #expect(report.ignored.isEmpty)
        #expect(report.current?.time == moment("2023-11-14T22:00:09Z"))
        for odd in ["null", "7", "{}", #"{"geometry":{"coordinates":[1,2]}}"#] {
            let report = PhonesTests.report(#"{"locations":[],"current":\#(odd)}"#)
            #expect(report.current == nil)
            #expect(report.ignored.isEmpty)
            #expect(report.answer == .overland)
        }
    }

    @Test func eventsTripsAndVisitsAreNoFixes() {
        let time = "2023-11-14T22:00:00Z"
        let features = [
            Self.feature(time, #","action":"will_terminate""#), #"{"properties":{"action":"started_tracking"}}"#,
            Self.feature(time, #","type":"trip","mode":"car""#), Self.feature(time, #","action":"visit""#),
            Self.feature(time, #","action":null"#),
        ]
        let report = report(#"{"locations":[\#(features.joined(separator: ","))]}"#)
        #expect(report.fixes.count == 1)
        #expect(report.ignored == [.action: 2, .trip: 1, .visit: 1])
    }

    @Test func oneBrokenFeatureDoesNotRefuseItsBatch() {
        let broken = [
            "17", "null", "[]", "{}", #"{"geometry":null,"properties":null}"#,
            #"{"geometry":{"coordinates":[]},"properties":{"timestamp":"2023-11-14T22:00:00Z"}}"#,
            #"{"geometry":{"coordinates":[null,1]},"properties":{"timestamp":"2023-11-14T22:00:00Z"}}"#,
            #"{"geometry":{"coordinates":[1,95]},"properties":{"timestamp":"2023-11-14T22:00:00Z"}}"#,
            #"{"geometry":{"coordinates":[1,2]},"properties":{}}"#,
        ]
        let good = Self.feature("2023-11-14T22:00:00Z")
        let report = report(#"{"locations":[\#((broken + [good]).joined(separator: ","))]}"#)
        #expect(report.fixes.count == 1)
        #expect(
            report.ignored == [.unreadable: 3, .noPosition: 3, .notANumber: 1, .outOfRange: 1, .noTime: 1])
        #expect(report.answer == .overland)
    }

    @Test(arguments: [#"{"locations":{"type":"Feature"}}"#, #"{"locations":null}"#])
    func batchWithoutAListIsAnsweredAsASuccess(body: String) {
        #expect(report(body).onlyReason == .unreadable)
        #expect(report(body).answer == .overland)
    }

    @Test func faultsWithinATextDoNotLoseABatch() {
        let time = "2023-11-14T22:00:00Z"
        let texts = [#"\ud83d"#, #"\udE00\u0041"#, #"\u0000"#, "a\tb", #"\ud83d\ude00"#, #"\\u0000"#, #"\ud83d\u0041"#]
        for text in texts {
            let report = report(#"{"locations":[\#(Self.feature(time, #","wifi":"\#(text)""#))]}"#)
            #expect(report.onlyFix != nil, "\(text)")
        }
        var bytes = Array(#"{"locations":[\#(Self.feature(time, #","wifi":"@""#))]}"#.utf8)
        if let index = bytes.lastIndex(of: UInt8(ascii: "@")) { bytes[index] = 0xFF }
        #expect(PhoneReport(reading: PhoneRequest(head: .init(), body: bytes)).onlyFix != nil)
    }
}
