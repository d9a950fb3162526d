import Foundation
import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

/// A tracker that goes on reporting its last speed while it stands.
@Suite struct StuckSpeedTests {
    private static func seconds(_ time: Timestamp?) -> Double? { time?.seconds(since: Journey.begin) }

    /// The device drives for a quarter of an hour, stops for ten minutes, drives on, and parks for an hour.
    @Test(arguments: [1.0, 10, 30], [(0.0, 8.0), (0, 20), (3, 8), (3, 20)])
    func theStopAndTheEndAreFound(every: Double, device: (deviation: Double, speed: Double)) throws {
        let (deviation, speed) = device
        var journey = Journey()
        journey.move(east: speed, north: 0, for: 900, every: every)
        journey.rest(for: 600, every: every)
        journey.move(east: 0, north: speed, for: 900, every: every)
        journey.rest(for: 3600, every: every)
        var fixes = Receiver(deviation: deviation, tells: false).fixes(of: journey)
        for index in fixes.indices { fixes[index].speed = .metersPerSecond(speed) }
        let output = Tracker.output(of: fixes)
        let trip = try #require(output.trips.first)
        #expect(output.trips.count == 1)
        #expect(abs(try #require(Self.seconds(trip.start))) <= 30)
        #expect(abs(try #require(Self.seconds(trip.end)) - 2400) <= 30)
        #expect(abs(trip.distance.meters - (1800 - every) * speed) < 18 * speed)
        #expect(trip.stops == 1)
        let stop = try #require(output.stops.first)
        #expect(abs(try #require(Self.seconds(stop.start)) - 900) <= 30)
        #expect(abs(try #require(Self.seconds(stop.end)) - 1500) <= 30)
    }

    /// A receiver that tells the truth about laps is believed, although it goes nowhere.
    @Test func lapsAreStillATrip() {
        var journey = Journey()
        for second in 0..<1800 {
            let angle = Double(second) * 3.5 / (200 / (2 * .pi))
            journey.move(east: 3.5 * cos(angle), north: 3.5 * sin(angle), for: 1)
        }
        let output = Tracker.output(of: Receiver(tells: true).fixes(of: journey))
        #expect(output.trips.map(\.stops) == [0])
    }
}
