import Foundation
import Geodesy
import TestSupport
import Testing
import Time
import Tracking

/// The time at which a device departed, and what it did until that was certain.
@Suite struct DepartureTests {
    private static func span(_ stop: StopSummary) -> ClosedRange<Double>? {
        stop.end.map { stop.start.seconds(since: Journey.begin)...$0.seconds(since: Journey.begin) }
    }

    /// A boat swings round its anchor at 40 m for a night; its trip starts when it really leaves.
    @Test(arguments: [3.0, 8], [true, false])
    func aBoatAtAnchorDepartsWhenItLeavesTheAnchorage(deviation: Double, tells: Bool) throws {
        for seed in UInt64(1)...3 {
            var random = SeededGenerator(seed: seed)
            var journey = Journey()
            var angle = 0.0
            while journey.fixes.count < 8 * 360 {
                // Wind and tide turn it within about half an hour.
                let turn = Double.random(in: -2...2, using: &random)
                for _ in 0..<60 {
                    let next = angle + turn / 60
                    journey.move(
                        east: 4 * (cos(next) - cos(angle)), north: 4 * (sin(next) - sin(angle)), for: 10, every: 10)
                    angle = next
                }
            }
            let night = Double(journey.fixes.count) * 10
            journey.move(east: 3, north: 0, for: 900, every: 10)
            journey.rest(for: 1200, every: 10)
            let output = Tracker.output(of: Receiver(deviation: deviation, tells: tells, seed: seed).fixes(of: journey))
            let trip = try #require(output.trips.first)
            #expect(output.trips.count == 1)
            #expect(abs(trip.start.seconds(since: Journey.at(night))) <= 120)
            #expect(abs(trip.moving - 900) <= 120)
        }
    }

    /// A walker who walks 110 m, stands there for five minutes and walks on has been at two places.
    @Test(arguments: UInt64(1)...4)
    func aStopBesideTheLastOneIsReported(seed: UInt64) throws {
        var journey = Journey()
        journey.rest(for: 1200)
        journey.move(east: 1, north: 0, for: 110)
        journey.rest(for: 300)
        journey.move(east: 0, north: 1.3, for: 600)
        journey.rest(for: 1200)
        let output = Tracker.output(of: Receiver(tells: false, seed: seed).fixes(of: journey))
        #expect(output.stops.count == 3)
        let beside = try #require(output.stops.dropFirst().first.flatMap(Self.span))
        #expect(abs(beside.lowerBound - 1310) < 40 && abs(beside.upperBound - 1610) < 40)
        let own = output.types.filter { $0.hasPrefix("stop.") }
        #expect(own.enumerated().allSatisfy { $0.element == ($0.offset % 2 == 0 ? "stop.start" : "stop.end") })
    }

    /// A night without a fix is not a part of a trip.
    ///
    /// The trip begins after it. If the device is elsewhere by then, the stop ends before it.
    @Test(arguments: [0.0, 300])
    func aDepartureIsNotDatedBackOverANight(way: Double) throws {
        var journey = Journey()
        journey.rest(for: 1200)
        journey.silence(for: 8 * 3600, east: way)
        journey.move(east: 10, north: 0, for: 600)
        journey.rest(for: 1200)
        let output = Tracker.output(of: Receiver(tells: false).fixes(of: journey))
        let trip = try #require(output.trips.first)
        #expect((0...30).contains(trip.start.seconds(since: Journey.at(1200 + 8 * 3600))))
        let night = try #require(output.stops.first.flatMap(Self.span))
        #expect(way > 0 ? night.upperBound <= 1200 : night.upperBound >= 1200 + 8 * 3600)
    }

    /// A silence within a trip was a stop if its ends lie close together.
    @Test(arguments: [(240.0, 60.0, 1), (240.0, 150.0, 0), (100.0, 0.0, 0)])
    func aSilenceThatEndsWhereItBeganIsAStop(silence: Double, way: Double, stops: Int) throws {
        var journey = Journey()
        journey.move(east: 10, north: 0, for: 300)
        journey.silence(for: silence, east: way)
        journey.move(east: 10, north: 0, for: 300)
        let trip = try #require(Tracker.output(of: journey.fixes).trips.first)
        #expect(trip.stops == stops)
    }

    /// A slow walker whose receiver reports every two minutes does not count as standing.
    @Test func sparseFixesOfASlowWalkAreNotStops() {
        var journey = Journey()
        journey.rest(for: 1200, every: 120)
        journey.move(east: 0.7, north: 0, for: 3600, every: 120)
        journey.rest(for: 1200, every: 120)
        let output = Tracker.output(of: Receiver(tells: false).fixes(of: journey))
        #expect(output.trips.map(\.stops) == [0])
    }
}
