import Foundation
import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

/// Dates that lie years apart are no stop of years.
@Suite struct LongSilenceTests {
    @Test(arguments: ["1980-01-06T02:11:52Z", "1999-08-22T00:00:00Z", "2016-05-01T00:00:00Z"], [20, 400])
    func aReceiverThatFindsTheDateHasNotStoodForYears(date: String, seconds: Int) throws {
        let begin = try #require(Timestamp(rfc3339: date))
        var journey = Journey()
        journey.rest(for: 60)
        journey.move(east: 10, north: 0, for: 300)
        journey.rest(for: 1200)
        let before = (0..<seconds).map { second in
            Fix(
                time: begin.advanced(byMilliseconds: Int64(second) * 1000),
                coordinate: journey.place(east: 0, north: 0))
        }
        let output = Tracker.output(of: before + journey.fixes)
        let trip = try #require(output.trips.first)
        #expect(output.trips.count == 1)
        #expect(trip.start >= Journey.begin && abs(trip.distance.meters - 3000) < 100)
        #expect(
            output.stops.allSatisfy { stop in
                stop.end.map { $0.seconds(since: stop.start) < 86_400 } ?? false
            })
    }

    /// A caravan that stands all winter has one stop.
    @Test func aWinterIsOneStop() {
        var journey = Journey()
        journey.rest(for: 1200)
        journey.silence(for: 180 * 86_400)
        journey.rest(for: 1200)
        #expect(Tracker.output(of: journey.fixes).stops.count == 1)
    }
}
