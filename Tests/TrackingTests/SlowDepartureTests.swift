import Foundation
import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

/// A device that stands and then leaves so slowly that no trip begins, such as a boat whose anchor drags.
@Suite struct SlowDepartureTests {
    private struct Anchorage {
        var speed: Double
        var radius: Double
        var claims: Double?
        var rest = 1800.0
        var seed: UInt64 = 1

        private static let every = 5.0
        /// How far the boat lies from its anchor, in metres.
        private static let swing = 15.0

        /// Returns the seconds from the moment when the boat is beyond the radius and the margin to its exit, and the
        /// number of exits before it drags.
        func exit() -> (late: Double?, early: Int) {
            var journey = Journey()
            journey.move(east: 2, north: 0, for: 600, every: Self.every)
            let anchor = journey.fixes.last.known.coordinate
            journey.move(east: 0.5, north: 0, for: Self.swing / 0.5, every: Self.every)
            journey.rest(for: rest, every: Self.every)
            let begin = journey.fixes.last.known.time.known
            journey.move(east: speed, north: 0, for: 300 / speed, every: Self.every)
            var receiver = Receiver(deviation: 2, tells: true, seed: seed)
            receiver.correlationTime = Self.every
            var fixes = receiver.fixes(of: journey)
            for index in fixes.indices {
                fixes[index].accuracy = claims.map(Distance.meters)
                if claims == nil { fixes[index].speed = nil }
            }
            let geofence = Geofence(
                identity: .init(kind: .sight, id: "anchor"), title: "Anchor", center: anchor, radius: .meters(radius))
            let exits = Tracker.output(of: fixes, in: GeofenceIndex([(geofence, 1)])).events.filter {
                $0.type == "geofence.exit"
            }
            let due = (radius + max(10, claims ?? 0) - Self.swing) / speed
            return (
                exits.first { $0.time > begin }.map { $0.time.seconds(since: begin) - due },
                exits.count { $0.time <= begin }
            )
        }
    }

    @Test(arguments: [0.1, 0.2, 0.3, 0.5], [30.0, 60, 100])
    func anAnchorThatDragsLeavesSoon(speed: Double, radius: Double) throws {
        for seed in UInt64(1)...3 {
            let (late, early) = Anchorage(speed: speed, radius: radius, claims: 17.1, seed: seed).exit()
            #expect(early == 0)
            // It is out by 2.5 times the accuracy at most; the margin is once the accuracy.
            #expect(try #require(late) <= 1.5 * 17.1 / speed + 30)
        }
    }

    @Test(arguments: [0.2, 0.5])
    func aReceiverWithoutAccuracyLeavesSoonAfterANight(speed: Double) throws {
        for seed in UInt64(1)...3 {
            let (late, early) = Anchorage(speed: speed, radius: 60, claims: nil, rest: 7200, seed: seed).exit()
            #expect(early == 0)
            #expect(try #require(late) <= 60)
        }
    }

    /// A boat swings round its anchor at 30 m, within a circle of 50 m.
    @Test(arguments: UInt64(1)...4)
    func swingingForThreeHoursIsNoExit(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var journey = Journey()
        let anchor = journey.place(east: 0, north: 0)
        journey.silence(for: 0, east: 30)
        var angle = 0.0
        while journey.fixes.count < 3 * 720 {
            let turn = Double.random(in: -2...2, using: &random)
            for _ in 0..<60 {
                let next = angle + turn / 60
                journey.move(
                    east: 6 * (cos(next) - cos(angle)), north: 6 * (sin(next) - sin(angle)), for: 5, every: 5)
                angle = next
            }
        }
        let geofence = Geofence(
            identity: .init(kind: .sight, id: "anchor"), title: "Anchor", center: anchor, radius: .meters(50))
        let fixes = Receiver(deviation: 3, tells: true, seed: seed).fixes(of: journey)
        let output = Tracker.output(of: fixes, in: GeofenceIndex([(geofence, 1)]))
        #expect(output.types.filter { $0.hasPrefix("geofence.") } == ["geofence.enter", "geofence.dwell"])
    }

    /// A position that jumps for a minute and a half, with a good accuracy, has not left.
    @Test func aJumpIsNoExit() {
        var journey = Journey()
        journey.rest(for: 3600, every: 5)
        let home = journey.place(east: 0, north: 0)
        journey.silence(for: 5, east: 250)
        journey.rest(for: 90, every: 5)
        journey.silence(for: 5, east: -250)
        journey.rest(for: 3600, every: 5)
        var fixes = Receiver(deviation: 3, tells: true).fixes(of: journey)
        for index in fixes.indices { fixes[index].speed = nil }
        let geofence = Geofence(
            identity: .init(kind: .sight, id: "home"), title: "Home", center: home, radius: .meters(100))
        let output = Tracker.output(of: fixes, in: GeofenceIndex([(geofence, 1)]))
        #expect(!output.types.contains("geofence.exit"))
    }

    /// A jump is one even within the distance that a position at rest wanders, which a good receiver hardly does.
    @Test(arguments: [18.0, 20, 22, 24]) func aSmallJumpIsNoExit(meters: Double) {
        var journey = Journey()
        journey.rest(for: 7200, every: 5)
        let home = journey.place(east: 0, north: 0)
        journey.silence(for: 5, east: meters)
        journey.rest(for: 90, every: 5)
        journey.silence(for: 5, east: -meters)
        journey.rest(for: 3600, every: 5)
        var fixes = Receiver(deviation: 2, tells: true).fixes(of: journey)
        for index in fixes.indices { (fixes[index].accuracy, fixes[index].speed) = (.meters(2), nil) }
        let geofence = Geofence(
            identity: .init(kind: .sight, id: "door"), title: "Door", center: home, radius: .meters(5))
        let output = Tracker.output(of: fixes, in: GeofenceIndex([(geofence, 1)]))
        #expect(output.types.contains("geofence.enter"))
        #expect(!output.types.contains("geofence.exit"))
    }
}
