import Foundation
import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

@Suite struct SpeedLimitTests {
    private static var index: GeofenceIndex {
        var zone = Geofence(
            identity: .init(kind: .sight, id: "zone"), title: "Zone", center: Journey().origin, radius: .kilometers(2))
        zone.speedLimit = .metersPerSecond(14)
        return GeofenceIndex([(zone, 1)])
    }

    /// A drive to the east with the given speeds, a second each.
    private static func drive(_ speeds: [Double], reportsSpeed: Bool = true) -> [Fix] {
        var journey = Journey()
        for speed in speeds { journey.move(east: speed, north: 0, for: 1) }
        return zip(journey.fixes, speeds).map { fix, speed in
            var fix = fix
            if reportsSpeed { fix.speed = .metersPerSecond(speed) }
            return fix
        }
    }

    private static func reports(_ fixes: [Fix], in index: GeofenceIndex = index) -> [(second: Double, line: String)] {
        Tracker.output(of: fixes, in: index).events.filter { $0.type == "geofence.speed" }.map {
            ($0.time.seconds(since: Journey.begin), String(decoding: $0.json(), as: UTF8.self))
        }
    }

    private static func speeds(_ parts: (speed: Double, seconds: Int)...) -> [Double] {
        parts.flatMap { Array(repeating: $0.speed, count: $0.seconds) }
    }

    @Test(arguments: [true, false]) func fiveSecondsAboveTheLimitAreReportedOnceAndTheirEndOnce(
        reportsSpeed: Bool
    ) throws {
        let told = Self.reports(
            Self.drive(Self.speeds((10, 30), (20, 20), (10, 20)), reportsSpeed: reportsSpeed))
        #expect(told.count == 2)
        let (first, last) = (try #require(told.first), try #require(told.last))
        // Fixes 31 to 50 are above the limit.
        #expect((first.second, last.second) == (36, 56))
        #expect(first.line.contains(#""title":"Zone""#))
        #expect(first.line.hasSuffix(#""limit":14,"speed":20}"#) == reportsSpeed || !reportsSpeed)
        #expect(!first.line.contains("max_speed"))
        #expect(last.line.contains(#""max_speed":20"#))
        #expect(last.line.hasSuffix(#""seconds":20}"#))
    }

    @Test func aWildFixAndAShortBurstReportNothing() {
        #expect(Self.reports(Self.drive(Self.speeds((10, 30), (40, 1), (10, 30), (20, 5), (10, 30)))).isEmpty)
    }

    @Test func slowingDownForAMomentDoesNotEndIt() {
        let told = Self.reports(Self.drive(Self.speeds((10, 30), (20, 10), (12, 4), (20, 10), (10, 20))))
        #expect(told.map(\.second) == [36, 60])
    }

    @Test func leavingTheGeofenceEndsIt() {
        let told = Self.reports(Self.drive(Self.speeds((10, 30), (30, 120))))
        #expect(told.count == 2)
        #expect(told.last?.line.contains("max_speed") == true)
    }

    @Test func withoutALimitNothingIsReported() {
        var zone = Self.index.all[0].geofence
        zone.speedLimit = nil
        #expect(Self.reports(Self.drive(Self.speeds((10, 30), (20, 60))), in: GeofenceIndex([(zone, 1)])).isEmpty)
    }

    @Test func theDevicesOwnLimitNamesNoGeofence() throws {
        var policy = TrackingPolicy()
        policy.speedLimit = .metersPerSecond(14)
        let events = Tracker.output(of: Self.drive(Self.speeds((10, 30), (20, 60))), policy: policy).events
        let event = try #require(events.first { $0.type == "geofence.speed" })
        #expect(event.subject == nil)
        #expect(!String(decoding: event.json(), as: UTF8.self).contains("geofence\":{"))
    }

    @Test func aRestartBetweenAnyTwoFixesChangesNothing() throws {
        let fixes = Self.drive(Self.speeds((10, 30), (20, 20), (10, 20)))
        let whole = Tracker.output(of: fixes, in: Self.index).lines
        for cut in [33, 40, 53] {
            var index = Self.index
            var tracker = Tracker(device: "van")
            var output = Tracker.Output()
            for fix in fixes.prefix(cut) { tracker.ingest(fix, in: index, into: &output) }
            let bytes = try JSONEncoder().encode(tracker.saved(in: index))
            let saved = try JSONDecoder().decode(Tracker.Saved.self, from: bytes)
            var restored = Tracker(device: "van", saved: saved, in: &index)
            for fix in fixes.dropFirst(cut) { restored.ingest(fix, in: index, into: &output) }
            restored.finish(into: &output)
            #expect(output.lines == whole)
        }
    }
}
