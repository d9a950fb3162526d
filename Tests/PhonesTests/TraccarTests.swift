import Geodesy
import Phones
import Positioning
import Testing

@Suite struct TraccarTests {
    @Test func locationHasItsValuesInTheirUnits() throws {
        let report = report(
            #"""
            {"device_id":"x","location":{"timestamp":"2023-11-14T22:13:20.250Z","coords":{"latitude":41.5,"longitude":2.25,
            "accuracy":10,"speed":5,"heading":90,"altitude":12.5},"battery":{"level":0.75,"is_charging":false}}}
            """#)
        #expect(report.client == .traccar)
        #expect(report.answer == .empty)
        let fix = try #require(report.onlyFix)
        #expect(fix.time == moment("2023-11-14T22:13:20.250Z"))
        #expect(fix.fix.coordinate == Coordinate(latitude: 41.5, longitude: 2.25))
        #expect(fix.fix.speed == .metersPerSecond(5))
        #expect(fix.fix.track == .degrees(90))
        #expect(fix.fix.altitude == .meters(12.5))
        #expect(abs((fix.fix.accuracy?.meters ?? 0) - 16.2) < 1e-9)
        #expect(fix.battery == 75)
    }

    @Test func minusOneIsUnknown() throws {
        let fix = try #require(
            report(
                #"""
                {"location":{"timestamp":"2023-11-14T22:13:20Z","coords":{"latitude":1,"longitude":2,"speed":-1,
                "heading":-1,"accuracy":-1},"battery":{"level":-1}},"device_id":"x"}
                """#
            ).onlyFix)
        #expect(fix.fix.speed == nil)
        #expect(fix.fix.track == nil)
        #expect(fix.fix.accuracy == nil)
        #expect(fix.battery == nil)
    }

    @Test(arguments: [
        (#"{"device_id":"x"}"#, IgnoredReason.noPosition), (#"{"device_id":"x","location":null}"#, .noPosition),
        (#"{"device_id":"x","location":7}"#, .unreadable), (#"{"device_id":"x","location":[7]}"#, .unreadable),
        (#"{"device_id":"x","location":{"timestamp":"2023-11-14T22:13:20Z"}}"#, .noPosition),
        (#"{"device_id":"x","location":{"coords":{"latitude":"x","longitude":null}}}"#, .notANumber),
        (#"{"device_id":"x","location":{"coords":{"latitude":1,"longitude":2}}}"#, .noTime),
        (#"{"device_id":"x","location":{"timestamp":false,"coords":{"latitude":1,"longitude":2}}}"#, .noTime),
    ]) func locationThatIsNoFixIsCounted(body: String, reason: IgnoredReason) {
        #expect(report(body).onlyReason == reason)
        #expect(report(body).answer == .empty)
    }

    @Test func listOfLocationsIsRead() {
        let location = #"{"timestamp":1700000000,"coords":{"latitude":1,"longitude":2}}"#
        let report = report(#"{"device_id":"x","location":[\#(location),\#(location),{}]}"#)
        #expect(report.fixes.count == 2)
        #expect(report.ignored == [.noPosition: 1])
    }
}
