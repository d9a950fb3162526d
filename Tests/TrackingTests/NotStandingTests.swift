import Foundation
import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

/// Devices that are not at a stop, although they stay within its radius or send nothing.
@Suite(.slow) struct NotStandingTests {
    /// Runs round a track of 200 m at 3.5 m/s.
    private static func run(_ journey: inout Journey, seconds: Int) {
        for second in 0..<seconds {
            let angle = Double(second) * 3.5 / (200 / (2 * .pi))
            journey.move(east: 3.5 * cos(angle), north: 3.5 * sin(angle), for: 1)
        }
    }

    /// Climbs in bends of 67 m at 0.9 m/s.
    private static func climb(_ journey: inout Journey, bends: Int) {
        for bend in 0..<bends { journey.move(east: bend % 2 == 0 ? 0.9 : -0.9, north: 0.1, for: 75) }
    }

    @Test(arguments: [3.0, 8], UInt64(1)...3)
    func lapsAreATripIfTheReceiverReportsSpeed(deviation: Double, seed: UInt64) throws {
        for rest in [0.0, 1200] {
            var journey = Journey()
            journey.rest(for: rest)
            Self.run(&journey, seconds: 2400)
            journey.rest(for: 1200)
            let output = Tracker.output(of: Receiver(deviation: deviation, tells: true, seed: seed).fixes(of: journey))
            let trip = try #require(output.trips.first)
            #expect(output.trips.count == 1)
            #expect(trip.stops == 0)
            #expect(abs(trip.start.seconds(since: Journey.at(rest))) < 10)
            #expect((7900...9100).contains(trip.distance.meters))
        }
    }

    /// Laps after a short rest belong to the trip that led there.
    @Test(arguments: UInt64(1)...3)
    func lapsWithinATripAreNotAStop(seed: UInt64) throws {
        var journey = Journey()
        journey.move(east: 1.3, north: 0, for: 600)
        journey.rest(for: 400)
        Self.run(&journey, seconds: 2400)
        journey.rest(for: 300)
        journey.move(east: -1.3, north: 0, for: 600)
        let output = Tracker.output(of: Receiver(tells: true, seed: seed).fixes(of: journey))
        #expect(output.trips.count == 1)
        #expect(output.stops.count == 2)
        #expect(output.stops.allSatisfy { $0.end.map { [start = $0.start] in $0.seconds(since: start) < 460 } == true })
    }

    @Test(arguments: [3.0, 8], UInt64(1)...3)
    func aClimbInBendsIsNotAStopIfTheReceiverReportsSpeed(deviation: Double, seed: UInt64) {
        var journey = Journey()
        journey.move(east: 0, north: 1.3, for: 600)
        Self.climb(&journey, bends: 16)
        journey.move(east: 0, north: 1.3, for: 600)
        let output = Tracker.output(of: Receiver(deviation: deviation, tells: true, seed: seed).fixes(of: journey))
        #expect(output.types == ["trip.start", "trip.end"])
    }

    /// The train moves at 66 m/s before and after, and for 18 minutes no fix comes.
    @Test(arguments: [true, false])
    func aTrainThatIsSilentForLongIsOneJourney(tells: Bool) throws {
        let output = Self.journey(speed: 66, silence: 1080, way: 66 * 1080, tells: tells)
        let trips = output.trips
        #expect(trips.count == 2)
        let joined = output.changes.compactMap { change -> [String]? in
            if case .tripsJoined(let first, let second, _) = change { [first, second] } else { nil }
        }
        #expect(joined == [trips.map(\.id)])
    }

    /// A ferry at a third of the van's speed, and a van that parks for half an hour, separate two trips.
    @Test(arguments: [(1080.0, 5000.0), (2400.0, 9000.0)], [true, false])
    func aSlowSilenceSeparatesTwoTrips(silence: (Double, Double), tells: Bool) {
        let output = Self.journey(speed: 15, silence: silence.0, way: silence.1, tells: tells)
        #expect(output.trips.count == 2)
        #expect(!output.changes.contains { if case .tripsJoined = $0 { true } else { false } })
    }

    private static func journey(speed: Double, silence: Double, way: Double, tells: Bool) -> Tracker.Output {
        var journey = Journey()
        journey.rest(for: 600)
        journey.move(east: speed, north: 0, for: 900)
        journey.silence(for: silence, east: way)
        journey.move(east: speed, north: 0, for: 900)
        journey.rest(for: 1200)
        return Tracker.output(of: Receiver(tells: tells).fixes(of: journey))
    }

    /// An indoor receiver is silent for up to a minute and a half, reports a place 600 m off for some fixes, and is
    /// back.
    @Test(arguments: [5.0, 85], [10.0, 150])
    func anExcursionOfAnIndoorReceiverIsNotATrip(silence: Double, stay: Double) {
        var journey = Journey()
        journey.rest(for: 1800, every: 5)
        journey.silence(for: silence, east: 600)
        journey.rest(for: stay, every: 5)
        journey.silence(for: 5, east: -600)
        journey.rest(for: 1800, every: 5)
        let output = Tracker.output(of: Receiver(deviation: 8, tells: false).fixes(of: journey))
        #expect(output.trips == [])
    }

    /// Speeds that a receiver at rest invents: at random, wandering, or always the same.
    enum Invention: CaseIterable { case random, wandering, constant }

    /// Invented speeds alone start no trip.
    @Test(arguments: Invention.allCases, [3.0, 10])
    func inventedSpeedsStartNoTrip(invention: Invention, deviation: Double) {
        for (number, every) in [1.0, 5].enumerated() {
            var random = SeededGenerator(seed: UInt64(number) + 1)
            var level = 0.7
            var fixes = ParkedDrift(
                deviation: deviation, every: every, duration: 6 * 3600, seed: UInt64(number) + 3
            ).fixes()
            for index in fixes.indices {
                switch invention {
                case .random: level = .random(in: 0...2, using: &random)
                case .wandering: level = max(0, 0.99 * level + 0.008 + .random(in: -0.14...0.14, using: &random))
                case .constant: level = 1
                }
                fixes[index].speed = .metersPerSecond(level)
            }
            #expect(Tracker.output(of: fixes).trips == [])
        }
    }
}
