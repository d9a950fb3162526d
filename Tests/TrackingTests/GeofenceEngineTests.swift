import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

/// The engine compared with a brute force that looks at every geofence at every fix.
@Suite(.slow) struct GeofenceEngineTests {
    struct World {
        var name: String
        var latitude: ClosedRange<Double>
        var longitude: @Sendable (Double) -> Double
    }

    static let worlds = [
        World(name: "city", latitude: 52.30...52.40) { 4.8 + 0.15 * $0 },
        World(name: "antimeridian", latitude: -16.9 ... -16.8) {
            $0 < 0.5 ? 179.95 + 0.1 * $0 : -180 + 0.1 * ($0 - 0.5)
        },
        World(name: "pole", latitude: -90 ... -89.95) { -180 + 360 * $0 },
    ]

    static func place(_ world: World, _ random: inout SeededGenerator) -> Coordinate {
        Coordinate(
            latitude: .random(in: world.latitude, using: &random),
            longitude: world.longitude(.random(in: 0..<1, using: &random))
        ).known
    }

    static func geofences(_ world: World, count: Int, _ random: inout SeededGenerator) -> [Geofence] {
        (0..<count).map { number in
            Geofence(
                identity: .init(kind: .sight, id: "s\(number)"), title: "Sight \(number)",
                center: place(world, &random),
                radius: .meters([10.0, 50, 120, 400, 1500].randomElement(using: &random) ?? 50))
        }
    }

    /// Returns fixes that hop from near one place to near another, with pauses and jumps; some are inaccurate.
    static func track(_ world: World, _ random: inout SeededGenerator) -> [Fix] {
        var fixes: [Fix] = []
        var time = Journey.begin
        var here = UnitVector(place(world, &random))
        for _ in 0..<60 {
            let goal = UnitVector(place(world, &random))
            let steps = Int.random(in: 1...40, using: &random)
            for step in 1...steps {
                let share = Double(step) / Double(steps)
                let point =
                    UnitVector(
                        towardsX: here.x + (goal.x - here.x) * share, y: here.y + (goal.y - here.y) * share,
                        z: here.z + (goal.z - here.z) * share) ?? goal
                time = time.advanced(byMilliseconds: Int64.random(in: 500...20_000, using: &random))
                var fix = Fix(time: time, coordinate: Coordinate(point))
                if Int.random(in: 0..<4, using: &random) == 0 {
                    fix.accuracy = .meters(.random(in: 1...150, using: &random))
                }
                fix.beginsSegment = Int.random(in: 0..<50, using: &random) == 0
                fixes.append(fix)
            }
            here = goal
        }
        return fixes
    }

    @Test(arguments: ["city", "antimeridian", "pole"], [true, false])
    func eventsAreTheSameAsByBruteForce(name: String, gateIsOff: Bool) throws {
        let world = try #require(Self.worlds.first { $0.name == name })
        for seed in UInt64(1)...4 {
            var random = SeededGenerator(seed: seed)
            let geofences = Self.geofences(world, count: 300, &random)
            let fixes = Self.track(world, &random)
            var policy = TrackingPolicy()
            policy.gate.isOff = gateIsOff
            if seed == 4 { policy.exitMargin = .zero }
            var oracle = GeofenceOracle(policy: policy)
            let index = GeofenceIndex(geofences.map { ($0, 1) })
            var engine = GeofenceEngine()
            var gate = FixGate(policy: policy.gate)
            var (isBroken, told, expected) = (false, [String](), [String]())
            for fix in fixes {
                var fix = fix
                fix.beginsSegment = fix.beginsSegment || isBroken
                let isAccepted = gate.judge(&fix) == nil
                isBroken = !isAccepted && fix.beginsSegment
                guard isAccepted, let time = fix.time else { continue }
                expected += oracle.advance(fix, geofences)
                var events: [Event] = []
                let step = GeofenceEngine.PlacedFix(
                    time: time, place: fix.coordinate, accuracy: gateIsOff ? nil : fix.accuracy,
                    isApart: fix.beginsSegment)
                engine.advance(step, in: index, policy: policy) { kind, time, place in
                    events.append(Event(kind: kind, time: time, device: "van", place: place))
                }
                told += events.sorted(by: Event.precedes).map { String(decoding: $0.json(), as: UTF8.self) }
            }
            #expect(told == expected, "seed \(seed)")
            #expect(told.count > 50)
        }
    }

    @Test func addedResizedAndRemovedGeofencesCountFromTheNextFix() {
        let journey = Journey()
        let here = Geofence(
            identity: .init(kind: .sight, id: "here"), title: "Here", center: journey.origin, radius: .meters(50))
        var index = GeofenceIndex()
        var tracker = Tracker(device: "van")
        var seconds = 0.0
        func next() -> [String] {
            seconds += 1
            var output = Tracker.Output()
            tracker.ingest(Fix(time: Journey.at(seconds), coordinate: journey.origin), in: index, into: &output)
            return output.lines.map { line in
                line.contains("initial") ? "enter initial" : line.contains("removed") ? "exit removed" : "other"
            }
        }
        #expect(next() == [])
        index.update(here, revision: 1)
        #expect(next() == ["enter initial"])
        #expect(next() == [])
        var larger = here
        larger.radius = .meters(80)
        index.update(larger, revision: 2)
        #expect(next() == ["enter initial"])
        larger.title = "Renamed"
        index.update(larger, revision: 3)
        #expect(next() == [])
        index.remove(here.identity, revision: 4)
        #expect(next() == ["exit removed"])
        #expect(next() == [])
    }

    @Test func anInaccurateFixInsideLeavesTheGeofenceUnknown() {
        let journey = Journey()
        let here = Geofence(
            identity: .init(kind: .sight, id: "here"), title: "Here", center: journey.origin, radius: .meters(20))
        let index = GeofenceIndex([(here, 1)])
        var vague = Fix(time: Journey.at(1), coordinate: journey.origin)
        vague.accuracy = .meters(51)
        var sharp = Fix(time: Journey.at(2), coordinate: journey.origin)
        sharp.accuracy = .meters(50)
        let lines = Tracker.output(of: [vague, sharp], in: index).lines
        #expect(lines.count == 1)
        #expect(lines.first?.hasSuffix("\"initial\":true}") == true)
        #expect(lines.first?.contains("10:00:02.000Z") == true)
    }
}
