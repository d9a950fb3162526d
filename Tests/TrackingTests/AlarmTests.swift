import Foundation
import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

@Suite struct AlarmTests {
    private static func anchor(isAlarm: Bool = true) -> Geofence {
        var anchor = Geofence(
            identity: .init(kind: .sight, id: "anchor"), title: "Anchor", center: Journey().origin, radius: .meters(40))
        anchor.isAlarm = isAlarm
        return anchor
    }

    /// A boat that lies still for twenty minutes, and then drags its anchor for ten at 0.2 m/s.
    private static var fixes: [Fix] {
        var journey = Journey()
        journey.rest(for: 1200, every: 5)
        journey.move(east: 0.2, north: 0, for: 600, every: 5)
        return journey.fixes
    }

    private static func exits(_ fixes: [Fix], in index: GeofenceIndex) -> [(second: Double, line: String)] {
        Tracker.output(of: fixes, in: index).events.filter { $0.type == "geofence.exit" }.map {
            ($0.time.seconds(since: Journey.begin), String(decoding: $0.json(), as: UTF8.self))
        }
    }

    @Test func draggingIsReportedAtOnceAndAgainEachMinute() throws {
        let exits = Self.exits(Self.fixes, in: GeofenceIndex([(Self.anchor(), 1)]))
        let first = try #require(exits.first)
        // 50 m are the radius and the margin, which takes 250 s.
        #expect((1450...1460).contains(first.second))
        #expect(first.line.hasSuffix("\"alarm\":true}"))
        #expect(exits.map(\.second) == exits.indices.map { first.second + 60 * Double($0) })
        #expect(exits.count == 6)
        #expect(exits.last?.line.hasSuffix("\"alarm\":true,\"again\":5}") == true)
    }

    @Test func withoutAlarmItIsReportedOnce() {
        let exits = Self.exits(Self.fixes, in: GeofenceIndex([(Self.anchor(isAlarm: false), 1)]))
        #expect(exits.count <= 1)
        #expect(exits.allSatisfy { !$0.line.contains("alarm") })
    }

    @Test func acknowledgingEndsItAndKeepsTheState() {
        var index = GeofenceIndex([(Self.anchor(), 1)])
        var tracker = Tracker(device: "van")
        var output = Tracker.Output()
        for fix in Self.fixes {
            tracker.ingest(fix, in: index, into: &output)
            let exits = output.types.count { $0 == "geofence.exit" }
            if exits == 2 { index.update(Self.anchor(isAlarm: false), revision: 2) }
        }
        #expect(output.types.count { $0 == "geofence.exit" } == 2)
        #expect(output.types.count { $0 == "geofence.enter" } == 1)
    }

    @Test func comingBackEndsIt() {
        var journey = Journey()
        journey.rest(for: 300, every: 5)
        journey.move(east: 1, north: 0, for: 90, every: 5)
        journey.move(east: -1, north: 0, for: 90, every: 5)
        journey.rest(for: 600, every: 5)
        #expect(Self.exits(journey.fixes, in: GeofenceIndex([(Self.anchor(), 1)])).count <= 2)
    }

    @Test func aRestartBetweenAnyTwoFixesChangesNothing() throws {
        let fixes = Self.fixes
        let whole = Tracker.output(of: fixes, in: GeofenceIndex([(Self.anchor(), 1)])).lines
        for cut in [300, 310] {
            var index = GeofenceIndex([(Self.anchor(), 1)])
            var tracker = Tracker(device: "van")
            var output = Tracker.Output()
            for fix in fixes.prefix(cut) { tracker.ingest(fix, in: index, into: &output) }
            let bytes = try JSONEncoder().encode(tracker.saved(in: index))
            var restored = Tracker(
                device: "van", saved: try JSONDecoder().decode(Tracker.Saved.self, from: bytes), in: &index)
            for fix in fixes.dropFirst(cut) { restored.ingest(fix, in: index, into: &output) }
            restored.finish(into: &output)
            #expect(output.lines == whole)
        }
    }
}
