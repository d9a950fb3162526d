import Foundation
import Geodesy
import Positioning
import TestSupport
import Testing
import Time

@testable import Tracking

/// A geofence with a watch behaves like one that is added and removed at the watch's bounds, for the watch's devices.
@Suite struct WatchTests {
    private struct Watched {
        var geofence: Geofence
        var watch: Geofence.Watch?
    }

    private static let origin = Coordinate(latitude: 52, longitude: 5).known

    private static func place(east: Double, north: Double) -> Coordinate {
        Coordinate(
            latitude: origin.latitude + north / 111_195, longitude: origin.longitude + east / (111_195 * 0.61566)
        ).known
    }

    private static func time(_ seconds: Double) -> Timestamp {
        Timestamp(milliseconds: 1_777_629_600_000 + Int64(seconds * 1000))
    }

    private static func world(_ random: inout SeededGenerator) -> [Watched] {
        (0..<150).map { number in
            let geofence = Geofence(
                identity: .init(kind: .init(rawValue: "location"), id: "g\(number)"), title: "G\(number)",
                center: place(
                    east: .random(in: -600...600, using: &random), north: .random(in: -600...600, using: &random)),
                radius: .meters(.random(in: 20...150, using: &random)))
            guard number % 5 > 0 else { return Watched(geofence: geofence) }
            let since = Double.random(in: -200...2000, using: &random)
            let watch = Geofence.Watch(
                since: time(since.rounded()), until: time((since + .random(in: 1...900, using: &random)).rounded()),
                devices: [["van"], ["bike", "van"], ["bike"], []].randomElement(using: &random).known)
            return Watched(geofence: geofence, watch: watch)
        }
    }

    /// Returns a walk with a fix every second, with stops and silences now and then.
    private static func fixes(_ random: inout SeededGenerator) -> [(seconds: Double, place: Coordinate)] {
        var (east, north, seconds) = (0.0, 0.0, 0.0)
        var fixes: [(seconds: Double, place: Coordinate)] = []
        while fixes.count < 1500 {
            let (x, y) = (Double.random(in: -12...12, using: &random), Double.random(in: -12...12, using: &random))
            let stands = Int.random(in: 0...4, using: &random) == 0
            for _ in 0..<Int.random(in: 5...40, using: &random) {
                seconds += 1
                if !stands, abs(east + x) < 500, abs(north + y) < 500 { (east, north) = (east + x, north + y) }
                fixes.append((seconds, place(east: east, north: north)))
            }
            if Int.random(in: 0...9, using: &random) == 0 { seconds += .random(in: 50...300, using: &random).rounded() }
        }
        return fixes
    }

    @Test func aWatchActsLikeAddingAndRemovingTheGeofence() {
        let lines = (UInt64(1)...20).flatMap(compare)
        #expect(lines.count { $0.contains("removed") } > 10)
        #expect(lines.count { $0.contains("initial") } > 10)
    }

    private func compare(seed: UInt64) -> [String] {
        var random = SeededGenerator(seed: seed)
        let world = Self.world(&random)
        let watched = GeofenceIndex(
            world.map { one in
                var geofence = one.geofence
                geofence.watch = one.watch
                return (geofence, 1)
            })
        var changing = GeofenceIndex(world.filter { $0.watch == nil }.map { ($0.geofence, 1) }, revision: 1)
        var revision: Int64 = 1
        var (engine, oracle) = (GeofenceEngine(device: "van"), GeofenceEngine(device: "van"))
        let policy = TrackingPolicy()
        var (told, expected): ([String], [String]) = ([], [])
        var isWatched: Set<String> = []
        for fix in Self.fixes(&random) {
            let now = Self.time(fix.seconds)
            for one in world {
                guard let watch = one.watch, watch.devices.contains("van") else { continue }
                let id = one.geofence.identity.id
                let isDue = watch.since <= now && now <= watch.until
                guard isDue != isWatched.contains(id) else { continue }
                revision += 1
                if isDue {
                    isWatched.insert(id)
                    changing.update(one.geofence, revision: revision)
                } else {
                    isWatched.remove(id)
                    changing.remove(one.geofence.identity, revision: revision)
                }
            }
            let step = GeofenceEngine.PlacedFix(time: now, place: fix.place)
            func lines(_ run: (GeofenceEngine.Emit) -> Void) -> [String] {
                var events: [Event] = []
                run { events.append(Event(kind: $0, time: $1, device: "van", place: $2)) }
                return events.sorted(by: Event.precedes).map { String(decoding: $0.json(), as: UTF8.self) }
            }
            told += lines { engine.advance(step, in: watched, policy: policy, emit: $0) }
            expected += lines { oracle.advance(step, in: changing, policy: policy, emit: $0) }
        }
        #expect(told == expected, "seed \(seed)")
        return told
    }

    @Test func savingAndRestoringKeepsTheSameEvents() {
        var random = SeededGenerator(seed: 7)
        let world = Self.world(&random)
        var index = GeofenceIndex(
            world.map { one in
                var geofence = one.geofence
                geofence.watch = one.watch
                return (geofence, 1)
            })
        let fixes = Self.fixes(&random).map { Fix(time: Self.time($0.seconds), coordinate: $0.place) }
        var policy = TrackingPolicy()
        policy.gate.isOff = true
        var (tracker, whole) = (Tracker(device: "van", policy: policy), Tracker(device: "van", policy: policy))
        var (output, expected) = (Tracker.Output(), Tracker.Output())
        for (number, fix) in fixes.enumerated() {
            if number % 97 == 0 {
                tracker = Tracker(device: "van", policy: policy, saved: tracker.saved(in: index), in: &index)
            }
            tracker.ingest(fix, in: index, into: &output)
            whole.ingest(fix, in: index, into: &expected)
        }
        #expect(output.lines == expected.lines)
        #expect(output.lines.count > 50)
    }

    @Test func changedTimesOrDevicesResetTheStateButATitleDoesNot() {
        var geofence = Geofence(
            identity: .init(kind: .init(rawValue: "location"), id: "a"), title: "A", center: Self.origin,
            radius: .meters(50))
        geofence.watch = .init(since: Self.time(100), until: Self.time(200), devices: ["van"])
        var index = GeofenceIndex([(geofence, 1)])
        var engine = GeofenceEngine(device: "van")
        func types(at seconds: Double) -> [String] {
            var types: [String] = []
            engine.advance(
                .init(time: Self.time(seconds), place: Self.origin), in: index, policy: TrackingPolicy()
            ) { kind, time, place in
                types.append(Event(kind: kind, time: time, device: "van", place: place).type)
            }
            return types
        }
        #expect(types(at: 50).isEmpty)
        geofence.watch?.since = Self.time(60)
        index.update(geofence, revision: 2)
        #expect(types(at: 59.999).isEmpty)
        #expect(types(at: 60) == ["geofence.enter"])
        geofence.title = "B"
        index.update(geofence, revision: 2)
        #expect(types(at: 61).isEmpty)
        geofence.watch?.devices = ["bike"]
        index.update(geofence, revision: 3)
        #expect(types(at: 62) == ["geofence.exit"])
        geofence.watch = nil
        index.update(geofence, revision: 4)
        #expect(types(at: 63) == ["geofence.enter"])
        #expect(types(at: 250).allSatisfy { $0 == "geofence.dwell" })
    }

    @Test func explanationsSayWhyAGeofenceIsNotWatched() {
        var geofence = Geofence(
            identity: .init(kind: .init(rawValue: "location"), id: "a"), title: "A", center: Self.origin,
            radius: .meters(50))
        geofence.watch = .init(since: Self.time(100), until: Self.time(200), devices: ["van"])
        func rows(_ device: String) -> [ExplainedFix] {
            var explainer = Explainer(geofence, device: device, policy: TrackingPolicy())
            return [99.0, 100, 201].map { seconds in
                explainer.explain(
                    Fix(time: Self.time(seconds), coordinate: Self.origin),
                    .accepted(.init(time: Self.time(seconds), place: Self.origin)))
            }
        }
        let van = rows("van")
        #expect(van[0].reason == "not watched yet: it is watched from \(Self.time(100)) to \(Self.time(200))")
        #expect(van[1].reason.hasPrefix("enters: 0 m <= 50 m"))
        #expect(van[2].reason == "not watched any more: it was watched from \(Self.time(100)) to \(Self.time(200))")
        #expect(van[2].events.map(\.type) == ["geofence.exit"])
        #expect(
            rows("bike").map(\.reason) == Array(repeating: "not watched for bike, only for other devices", count: 3))
    }

    @Test func unusedWatchesAreDroppedFromTheIndex() {
        var geofence = Geofence(
            identity: .init(kind: .init(rawValue: "location"), id: "a"), title: "A", center: Self.origin,
            radius: .meters(50))
        var index = GeofenceIndex([], revision: 0)
        for day in 0..<100 {
            geofence.watch = .init(
                since: Self.time(Double(day)), until: Self.time(Double(day + 1)), devices: ["van"])
            for id in ["a", "b"] {
                geofence.identity.id = id
                index.update(geofence, revision: Int64(day + 1))
            }
            #expect(index.watches.count == 1)
            #expect(index.geofence(of: geofence.identity)?.geofence.watch == geofence.watch)
        }
        index.remove(geofence.identity, revision: 101)
        #expect(index.watches.count == 1)
        geofence.watch = nil
        geofence.identity.id = "a"
        index.update(geofence, revision: 102)
        #expect(index.watches.count == 0)
    }
}
