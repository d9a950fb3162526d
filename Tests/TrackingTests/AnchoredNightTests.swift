import Geodesy
import Positioning
import Simulation
import Testing
import Time
import Tracking

/// Nights at anchor: no alarm while the anchor holds, and one in time when it drags.
@Suite struct AnchoredNightTests {
    /// Returns the seconds at which a night's alarm was given first, and at which the boat first passed the boundary.
    private static func outcome(_ night: AnchoredNight) -> (alarm: Double?, passed: Double?) {
        var anchor = Geofence(
            identity: .init(kind: .sight, id: "anchor"), title: "Anchor", center: AnchoredNight.anchor,
            radius: night.radius)
        anchor.isAlarm = true
        let index = GeofenceIndex([(anchor, 1)])
        var tracker = Tracker(device: "boat")
        var (alarm, passed): (Double?, Double?) = (nil, nil)
        night.forEachFix { fix, second, distance in
            var output = Tracker.Output()
            tracker.ingest(fix, in: index, into: &output)
            if output.types.contains("geofence.exit") { alarm = second }
            if distance > night.boundary.meters { passed = passed ?? second }
            return alarm == nil
        }
        return (alarm, passed)
    }

    @Test(arguments: 0..<20) func aBoatThatSwingsGivesNoAlarm(seed: UInt64) {
        #expect(Self.outcome(AnchoredNight(seed: seed, drags: false)).alarm == nil)
    }

    /// Nights in which a single fix is so wrong that it lies beyond the margin.
    @Test(arguments: [658, 779]) func aSingleWildFixInANightGivesNoAlarm(seed: UInt64) {
        let night = AnchoredNight(seed: seed, drags: false)
        var beyond = 0
        night.forEachFix { fix, _, _ in
            let distance = UnitVector(fix.coordinate).distance(to: UnitVector(AnchoredNight.anchor))
            if distance > night.boundary { beyond += 1 }
            return true
        }
        #expect(beyond > 0)
        #expect(Self.outcome(night).alarm == nil)
    }

    @Test(arguments: 0..<20) func aBoatThatDragsGivesItWithinAMinuteOfTheBoundary(seed: UInt64) throws {
        let (alarm, passed) = Self.outcome(AnchoredNight(seed: seed, drags: true))
        // Noise may give it before.
        #expect(try #require(alarm) <= (passed ?? .infinity) + 60)
    }

    /// A boat that is held where it came to rest, as its first fix lies outside of the circle.
    @Test func anAnchorDroppedBesideTheHoldIsArmed() {
        var journey = Journey()
        journey.rest(for: 600, every: 5)
        journey.move(east: 0.15, north: 0, for: 300, every: 5)
        var tracker = Tracker(device: "boat")
        var output = Tracker.Output()
        var index = GeofenceIndex()
        for fix in journey.fixes { tracker.ingest(fix, in: index, into: &output) }
        // 45 m from where it came to rest, the anchor drops in a circle of 40 m.
        var anchor = Geofence(
            identity: .init(kind: .sight, id: "anchor"), title: "Anchor", center: journey.place(east: 45, north: 0),
            radius: .meters(40))
        anchor.isAlarm = true
        index.update(anchor, revision: 1)
        let known = journey.fixes.count
        journey.rest(for: 60, every: 5)
        journey.move(east: 0.3, north: 0, for: 600, every: 5)
        for fix in journey.fixes.dropFirst(known) { tracker.ingest(fix, in: index, into: &output) }
        #expect(output.types.contains("geofence.enter"))
        #expect(output.types.contains("geofence.exit"))
    }
}
