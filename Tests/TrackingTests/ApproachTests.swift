import Foundation
import Geodesy
import Positioning
import TestSupport
import Testing
import Time

@testable import Tracking

@Suite(.slow) struct ApproachTests {
    static let policy = {
        var policy = TrackingPolicy()
        policy.lookahead = Lookahead()
        return policy
    }()

    static func geofence(_ id: String, _ center: Coordinate, radius: Double = 50) -> Geofence {
        Geofence(identity: .init(kind: .sight, id: id), title: "Sight \(id)", center: center, radius: .meters(radius))
    }

    /// Returns fixes, with speed and course, that drive from place to place of a world.
    static func drive(_ world: GeofenceEngineTests.World, _ random: inout SeededGenerator) -> [Fix] {
        var fixes: [Fix] = []
        var time = Journey.begin
        var here = UnitVector(GeofenceEngineTests.place(world, &random))
        for _ in 0..<25 {
            let goal = UnitVector(GeofenceEngineTests.place(world, &random))
            let whole = here.distance(to: goal).meters
            let speed = [0.4, 1.3, 5, 14, 30, 120].randomElement(using: &random).known
            let every = [1.0, 2, 10].randomElement(using: &random).known
            var way = 0.0
            for _ in 0..<Int.random(in: 20...120, using: &random) where way < whole {
                way += speed * every
                let share = way / whole
                let point = UnitVector(
                    towardsX: here.x + (goal.x - here.x) * share, y: here.y + (goal.y - here.y) * share,
                    z: here.z + (goal.z - here.z) * share
                ).known
                time = time.advanced(byMilliseconds: Int64(every * 1000))
                var fix = Fix(time: time, coordinate: Coordinate(point))
                fix.speed = .metersPerSecond(speed * .random(in: 0.9...1.1, using: &random))
                fix.track =
                    Angle(
                        degrees: point.bearing(to: goal).degrees + .random(in: -3...3, using: &random)
                    ).normalized
                fix.beginsSegment = Int.random(in: 0..<100, using: &random) == 0
                fixes.append(fix)
            }
            here = UnitVector(fixes.last.known.coordinate)
        }
        return fixes
    }

    @Test(arguments: ["city", "antimeridian", "pole"], [20, 500])
    func approachesAreTheSameAsByBruteForce(name: String, count: Int) throws {
        let world = try #require(GeofenceEngineTests.worlds.first { $0.name == name })
        var told = 0
        for seed in UInt64(1)...2 {
            var random = SeededGenerator(seed: seed)
            let geofences = GeofenceEngineTests.geofences(world, count: count, &random)
            let index = GeofenceIndex(geofences.map { ($0, 1) })
            var (engine, geofenceEngine, oracle) = (ApproachEngine(), GeofenceEngine(), ApproachOracle())
            var inside: Set<String> = []
            for fix in Self.drive(world, &random) {
                let time = try #require(fix.time)
                geofenceEngine.advance(
                    GeofenceEngine.PlacedFix(time: time, place: fix.coordinate, isApart: fix.beginsSegment), in: index,
                    policy: Self.policy
                ) { kind, _, _ in
                    engine.reconsider()
                    switch kind {
                    case .enter(let sighting, _): inside.insert(sighting.geofence.identity.id)
                    case .exit(let sighting, _, _): inside.remove(sighting.geofence.identity.id)
                    default: break
                    }
                }
                var events: [Event] = []
                engine.advance(
                    ApproachEngine.MovingFix(
                        time: time, place: fix.coordinate, here: UnitVector(fix.coordinate), speed: fix.speed,
                        track: fix.track, isApart: fix.beginsSegment),
                    in: index, lookahead: Lookahead(), isInside: { !geofenceEngine.stay(in: $0).isAbsent }
                ) {
                    events.append(Event(kind: .approach($0, $1), time: time, device: "van", place: fix.coordinate))
                }
                let lines = events.sorted(by: Event.precedes).map { String(decoding: $0.json(), as: UTF8.self) }
                #expect(lines == oracle.advance(fix, geofences, inside: inside), "seed \(seed)")
                told += lines.count
            }
        }
        #expect(told > (count > 100 ? 50 : 5))
    }

    /// Returns the approaches that a journey emits for some geofences, each as "id tier".
    static func told(_ fixes: [Fix], _ geofences: [Geofence]) -> [String] {
        let output = Tracker.output(of: fixes, in: GeofenceIndex(geofences.map { ($0, 1) }), policy: policy)
        return output.events.compactMap { event in
            guard case .approach(let sighting, let approach) = event.kind else { return nil }
            return "\(sighting.geofence.identity.id) \(approach.tier)"
        }
    }

    /// A car's ETAs are a minute and a quarter of a minute; a walker's limits are 150 m and 40 m.
    @Test(arguments: [(14.0, 60.0, 15.0), (1.5, 100, 26.7)])
    func eachTierIsEmittedOnceByTimeOrDistance(speed: Double, far: Double, near: Double) throws {
        var journey = Journey()
        let sight = Self.geofence("a", journey.place(east: 2000, north: 20))
        journey.move(east: speed, north: 0, for: 2000 / speed, every: 1)
        let fixes = journey.fixes.map { fix in
            var fix = fix
            fix.speed = .metersPerSecond(speed)
            fix.track = .degrees(90)
            return fix
        }
        let events = Tracker.output(of: fixes, in: GeofenceIndex([(sight, 1)]), policy: Self.policy).events
        let approaches = events.compactMap { event -> (Event, Event.Approach)? in
            if case .approach(_, let approach) = event.kind { (event, approach) } else { nil }
        }
        #expect(approaches.map(\.1.tier) == [1, 2])
        let etas = approaches.map(\.1.eta)
        try #require(etas.count == 2)
        #expect(etas[0] <= far && etas[0] > far - 1.1)
        #expect(etas[1] <= near && etas[1] > near - 1.1)
        #expect(approaches.allSatisfy { $0.1.side == .ahead })
        // The predicted times come true.
        if let enter = events.first(where: { $0.type == "geofence.enter" }) {
            for (event, approach) in approaches {
                #expect(abs(enter.time.seconds(since: event.time) - approach.eta) <= 1.5)
            }
        }
    }

    /// A tier that would follow another within seconds is skipped: a sight that comes up late gets one event.
    @Test(arguments: [(700, ["a 1", "a 2"]), (380, ["a 2"]), (250, ["a 2"])] as [(Double, [String])])
    func aLateApproachIsEmittedOnce(distance: Double, told: [String]) {
        var journey = Journey()
        let sight = Self.geofence("a", journey.place(east: 1400, north: distance + 50))
        journey.move(east: 14, north: 0, for: 100)
        journey.move(east: 0, north: 14, for: distance / 14)
        #expect(Self.told(journey.fixes, [sight]) == told)
    }

    @Test func courseAndSpeedAreDerivedFromTheLegIfTheFixHasNone() {
        var journey = Journey()
        let sight = Self.geofence("a", journey.place(east: 2000, north: 0))
        journey.move(east: 14, north: 0, for: 130)
        #expect(Self.told(journey.fixes, [sight]) == ["a 1", "a 2"])
    }

    @Test func turningFarAwayAndComingBackIsANewApproach() {
        var journey = Journey()
        let sight = Self.geofence("a", journey.place(east: 2000, north: 0))
        journey.move(east: 14, north: 0, for: 100)
        journey.move(east: 0, north: 14, for: 10)
        // Around the block it is still the same approach.
        journey.move(east: 0, north: -14, for: 10)
        journey.move(east: 7, north: 0, for: 10)
        #expect(Self.told(journey.fixes, [sight]) == ["a 1"])
        journey.move(east: -14, north: 0, for: 60)
        journey.move(east: 14, north: 0, for: 60)
        #expect(Self.told(journey.fixes, [sight]) == ["a 1", "a 1"])
    }

    @Test func afterEnterAndExitAnApproachIsEmittedAgain() {
        var journey = Journey()
        let sight = Self.geofence("a", journey.place(east: 2000, north: 0))
        journey.move(east: 14, north: 0, for: 140)
        journey.rest(for: 10)
        journey.move(east: -14, north: 0, for: 40)
        journey.move(east: 14, north: 0, for: 40)
        #expect(Self.told(journey.fixes, [sight]) == ["a 1", "a 2", "a 1", "a 2"])
    }

    @Test func aTurnDoesNotEmitApproachesToEverythingAround() {
        var journey = Journey()
        let sights = (0..<36).map { number in
            let angle = Double(number) * .pi / 18
            return Self.geofence(
                "\(number)", journey.place(east: 600 * sin(angle), north: 600 * cos(angle)), radius: 20)
        }
        journey.silence(for: 0, east: -300)
        journey.move(east: 10, north: 0, for: 30)
        for step in 1...6 {
            let angle = Double(step) * .pi / 12
            journey.move(east: 10 * cos(angle), north: 10 * sin(angle), for: 1)
        }
        journey.move(east: 0, north: 10, for: 10)
        var fixes = journey.fixes
        for index in fixes.indices.dropFirst() {
            let (from, here) = (UnitVector(fixes[index - 1].coordinate), UnitVector(fixes[index].coordinate))
            fixes[index].speed = .metersPerSecond(10)
            fixes[index].track = from.bearing(to: here)
        }
        #expect(Set(Self.told(fixes, sights)).isSubset(of: ["9 1", "0 1", "1 1"]))
    }

    @Test func theSideIsDeterminedByTheCentre() {
        #expect(Event.Side(of: .degrees(10), seenOn: .degrees(350)) == .ahead)
        #expect(Event.Side(of: .degrees(11), seenOn: .degrees(350)) == .right)
        #expect(Event.Side(of: .degrees(329), seenOn: .degrees(350)) == .left)
        #expect(Event.Side(of: .degrees(340), seenOn: .degrees(10)) == .left)
        #expect(Event.Side(of: .degrees(190), seenOn: .degrees(10)) == .left)
    }

    @Test(arguments: [3.0, 10, 20, 30], [false, true])
    func aParkedDeviceApproachesNothing(deviation: Double, jumps: Bool) {
        for (number, every) in [1.0, 10, 60].enumerated() {
            for claims in [nil, ParkedDrift.Claims(accuracy: max(5, deviation), speed: 0.4)] {
                let drift = ParkedDrift(
                    deviation: deviation, every: every, duration: every == 1 ? 10_800 : 86_400,
                    jumpsEvery: jumps ? 1800 : nil, claims: claims,
                    seed: UInt64(number) + 10 * UInt64(deviation) + (claims == nil ? 0 : 7))
                #expect(Self.told(drift.fixes(), Self.around) == [], "every \(every) s, claims \(claims != nil)")
            }
        }
    }

    /// Geofences of all sizes around the parked device.
    private static let around: [Geofence] = {
        var random = SeededGenerator(seed: 4)
        let journey = Journey()
        return (0..<200).map { number in
            let center = journey.place(
                east: .random(in: -400...400, using: &random), north: .random(in: -400...400, using: &random))
            return geofence("\(number)", center, radius: .random(in: 15...300, using: &random))
        }
    }()

    /// Saving and restoring between any two fixes, with a new index, changes no byte.
    @Test(arguments: ["city", "antimeridian", "pole"], [true, false])
    func aRestartAtAnyFixGivesTheSameBytes(name: String, saysCourse: Bool) throws {
        let world = try #require(GeofenceEngineTests.worlds.first { $0.name == name })
        var random = SeededGenerator(seed: 11)
        let geofences = GeofenceEngineTests.geofences(world, count: 100, &random)
        var fixes = Self.drive(world, &random)
        if !saysCourse { for index in fixes.indices { (fixes[index].speed, fixes[index].track) = (nil, nil) } }
        func fresh() -> GeofenceIndex { GeofenceIndex(geofences.map { ($0, 1) }) }
        let straight = Tracker.output(of: fixes, in: fresh(), policy: Self.policy)
        var index = fresh()
        var tracker = Tracker(device: "van", policy: Self.policy)
        var output = Tracker.Output()
        for fix in fixes {
            if Int.random(in: 0..<6, using: &random) == 0 {
                let bytes = try JSONEncoder().encode(tracker.saved(in: index))
                index = fresh()
                let saved = try JSONDecoder().decode(Tracker.Saved.self, from: bytes)
                tracker = Tracker(device: "van", policy: Self.policy, saved: saved, in: &index)
            }
            tracker.ingest(fix, in: index, into: &output)
        }
        tracker.finish(into: &output)
        #expect(output.lines == straight.lines)
        #expect(straight.types.count { $0 == "geofence.approach" } > 20)
        // Approaches come in addition to the other events and change none of them.
        let without = Tracker.output(of: fixes, in: fresh())
        #expect(straight.types.filter { $0 != "geofence.approach" } == without.types)
    }

    @Test func movingAGeofenceStartsANewApproachAndRemovingItEndsIt() {
        var journey = Journey()
        var sight = Self.geofence("a", journey.place(east: 2000, north: 0))
        var index = GeofenceIndex([(sight, 1)])
        var tracker = Tracker(device: "van", policy: Self.policy)
        func types(_ fixes: some Sequence<Fix>) -> [String] {
            var output = Tracker.Output()
            for fix in fixes { tracker.ingest(fix, in: index, into: &output) }
            return output.types.filter { $0.hasPrefix("geofence.") }
        }
        journey.move(east: 14, north: 0, for: 115)
        #expect(types(journey.fixes[..<90]) == ["geofence.approach"])
        sight.center = journey.place(east: 2050, north: 0)
        index.update(sight, revision: 2)
        #expect(types(journey.fixes[90..<100]) == ["geofence.approach"])
        index.remove(sight.identity, revision: 3)
        #expect(types(journey.fixes[100...]) == [])
    }

    /// One search finds what is near for many fixes; without geofences it covers nearly all.
    @Test(arguments: [(0, 200), (2000, 15)])
    func mostFixesNeedNoSearch(count: Int, fixesToSearch: Int) throws {
        var random = SeededGenerator(seed: 3)
        let geofences = GeofenceEngineTests.geofences(GeofenceEngineTests.worlds[0], count: count, &random)
        let index = GeofenceIndex(geofences.map { ($0, 1) })
        var engine = ApproachEngine()
        var journey = Journey()
        journey.move(east: 14, north: 0, for: 2000)
        for fix in journey.fixes {
            engine.advance(
                ApproachEngine.MovingFix(
                    time: try #require(fix.time), place: fix.coordinate, here: UnitVector(fix.coordinate),
                    speed: .metersPerSecond(14), track: .degrees(90)),
                in: index, lookahead: Lookahead(), isInside: { _ in false }
            ) { _, _ in }
        }
        #expect(engine.searches > 0)
        #expect(engine.searches * fixesToSearch <= journey.fixes.count)
    }
}
