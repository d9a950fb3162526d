import Geodesy
import Positioning
import Receivers
import Store
import TestSupport
import Testing
import Time
import Tracking

@testable import Daemon

/// A receiver that reports a wrong date for a while, while no clock is synchronised.
@Suite(.slow, .timeLimit(.minutes(2))) struct WrongDateTests {
    private static let day = 86_400.0

    /// Stands for 90 s, drives for 300 s at 10 m/s and rests, with a date that is wrong for some seconds.
    private func journey(
        wrong: Range<Int>, by error: Double
    ) async throws -> (trips: [TripSummary], stops: [StopSummary]) {
        let rig = try await LiveRig(try Stores.temporary())
        try await rig.run {
            for second in 0..<1_400 {
                rig.clock.move(by: 1)
                var fix = LiveRig.fix(Double(second), east: Double(min(max(0, second - 90), 300)) * 10)
                if wrong.contains(second) { fix.time = LiveRig.time(Double(second) + error) }
                await rig.pipeline.receive([.fixes([fix], device: "van")], isRecording: false)
                await rig.pipeline.tick()
            }
            await rig.pipeline.probe()
        }
        return (try rig.store.trips().map(\.summary), try rig.store.stops(ofDevice: "van"))
    }

    private static let right = LiveRig.time(0)...LiveRig.time(1_400)

    /// The date is 20 or 46 years behind, or 300 or 1,000 days ahead, for a minute from the start on.
    @Test(arguments: [-46 * 365 * day, -20 * 365 * day, 300 * day, 1_000 * day])
    func aWrongDateAtTheStartLosesNothingOfTheDrive(error: Double) async throws {
        let (trips, stops) = try await journey(wrong: 0..<60, by: error)
        let trip = try #require(trips.first)
        #expect(trips.count == 1)
        #expect(abs(trip.start.seconds(since: LiveRig.time(90))) <= 10)
        #expect(abs(trip.distance.meters - 3_000) < 100)
        #expect(stops.allSatisfy { Self.right.contains($0.start) })
    }

    /// A jump ahead within the drive is taken back by the fixes that follow.
    @Test(arguments: [-46 * 365 * day, 30 * day, 1_000 * day], [5, 60])
    func aWrongDateWithinTheDriveLosesNothingElse(error: Double, seconds: Int) async throws {
        let (trips, stops) = try await journey(wrong: 200..<200 + seconds, by: error)
        let distance = trips.filter { Self.right.contains($0.start) }.reduce(0) { $0 + $1.distance.meters }
        #expect(distance > 3_000 - 10 * Double(seconds) - 100)
        #expect(stops.allSatisfy { stop in stop.end.map { $0.seconds(since: stop.start) < Self.day } ?? true })
    }

    /// The first week of GPS is no date, however long a receiver reports it.
    @Test func theFirstWeekOfGPSIsNoDate() async throws {
        let week = try #require(Timestamp(rfc3339: "1980-01-06T02:00:00Z"))
        let (trips, stops) = try await journey(wrong: 0..<60, by: week.seconds(since: LiveRig.time(0)))
        #expect(trips.count == 1 && stops.allSatisfy { Self.right.contains($0.start) })
    }
}
