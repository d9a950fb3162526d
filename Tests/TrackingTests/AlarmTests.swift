import Foundation
import Geodesy
import Positioning
import Shapes
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

    /// Fixes of a boat that lies still, of which some are 60 m away.
    private static func wild(_ wild: Set<Int>, every seconds: Int) -> [Fix] {
        let journey = Journey()
        return (0..<120).map { number in
            var fix = Fix(
                time: Journey.begin.advanced(byMilliseconds: Int64(number * seconds) * 1000),
                coordinate: journey.place(east: wild.contains(number) ? 60 : 0, north: 0))
            fix.accuracy = .meters(8)
            return fix
        }
    }

    @Test func aSingleWildFixIsNoAlarm() {
        let index = GeofenceIndex([(Self.anchor(), 1)])
        #expect(Self.exits(Self.wild([50, 60, 70], every: 5), in: index).isEmpty)
        #expect(Self.exits(Self.wild([50, 51], every: 5), in: index).first?.second == 255)
        // The fixes before are too old to say anything.
        #expect(Self.exits(Self.wild([50], every: 60), in: index).first?.second == 3000)
    }

    @Test func aSingleWildFixIsNoAlarmInAPolygonEither() throws {
        let (south, west) = (Journey().place(east: -40, north: -40), Journey().place(east: 40, north: 40))
        let corners = [
            (south.longitude, south.latitude), (west.longitude, south.latitude), (west.longitude, west.latitude),
            (south.longitude, west.latitude), (south.longitude, south.latitude),
        ]
        let ring = corners.map { RawPosition(longitude: $0.0, latitude: $0.1) }
        let shape = try Shape.read(.polygons([[ring]])).shape
        var anchor = Geofence(identity: .init(kind: .sight, id: "anchor"), title: "Anchor", shape: shape)
        anchor.isAlarm = true
        let index = GeofenceIndex([(anchor, 1)])
        #expect(Self.exits(Self.wild([50, 60, 70], every: 5), in: index).isEmpty)
        #expect(Self.exits(Self.wild([50, 51], every: 5), in: index).first?.second == 255)
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
        var fixes = Self.fixes
        fixes[200].coordinate = Journey().place(east: 70, north: 0)
        let whole = Tracker.output(of: fixes, in: GeofenceIndex([(Self.anchor(), 1)])).lines
        // A single wild fix before, so that a cut may lie between it and what it proves.
        for cut in [200, 201, 202, 300, 310] {
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
