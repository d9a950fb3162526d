import Foundation
import Geodesy
import Positioning
import Shapes
import TestSupport
import Testing
import Time
import Tracking

/// The engine with polygons and corridors, compared with a brute force that asks every shape at every fix.
@Suite struct ShapeGeofenceTests {
    /// The rules of *Interfaces* for shapes, with a search of all shapes and no short cuts.
    private struct Oracle {
        var policy: TrackingPolicy
        var since: [String: Timestamp] = [:]
        var dwelt: Set<String> = []
        var unknown: Set<String>?
        var last: Fix?

        mutating func advance(_ fix: Fix, _ geofences: [(geofence: Geofence, shape: Shape)]) -> [String] {
            guard let now = fix.time else { return [] }
            let known = unknown
            var stillUnknown: Set<String> = []
            var events: [Event] = []
            let accuracy = policy.gate.isOff ? nil : fix.accuracy?.meters
            for (geofence, shape) in geofences {
                let id = geofence.identity.id
                let standing = shape.standing(fix.coordinate)
                let sighting = Event.GeofenceSighting(geofence: geofence, edge: .meters(standing.edge))
                func add(_ kind: Event.Kind) {
                    events.append(Event(kind: kind, time: now, device: "van", place: fix.coordinate))
                }
                if let start = since[id] {
                    let inside = now.seconds(since: start)
                    let margin = policy.exitMargin?.meters ?? max(10, accuracy ?? 0, 0.05 * shape.radius.meters)
                    if standing.distance.meters > margin {
                        since[id] = nil
                        dwelt.remove(id)
                        add(.exit(sighting, inside: inside, removed: false))
                    } else if inside >= policy.dwell, dwelt.insert(id).inserted {
                        add(.dwell(sighting, inside: inside))
                    }
                } else if standing.isInside {
                    let isUnknown = known?.contains(id) ?? true
                    if let accuracy, accuracy > max(shape.innerWidth.meters / 2, 50) {
                        if isUnknown { stillUnknown.insert(id) }
                    } else {
                        since[id] = now
                        add(.enter(sighting, initial: isUnknown))
                    }
                } else if known.map({ !$0.contains(id) }) ?? false, let cross = cross(fix, now, geofence, shape) {
                    events.append(cross)
                }
            }
            unknown = stillUnknown
            last = fix
            return events.sorted(by: Event.precedes).map { String(decoding: $0.json(), as: UTF8.self) }
        }

        private func cross(_ fix: Fix, _ now: Timestamp, _ geofence: Geofence, _ shape: Shape) -> Event? {
            guard let last, let before = last.time, !fix.beginsSegment else { return nil }
            let (start, end) = (UnitVector(last.coordinate), UnitVector(fix.coordinate))
            guard start.distance(to: end) <= .kilometers(5), policy.gate.isOff || now.seconds(since: before) <= 600,
                !shape.contains(last.coordinate),
                let meeting = shape.meeting(from: last.coordinate, start, to: fix.coordinate, end)
            else { return nil }
            let way = Double(now.milliseconds(since: before)) * meeting.fraction
            return Event(
                kind: .cross(.init(geofence: geofence, edge: shape.radius - meeting.distance)),
                time: before.advanced(byMilliseconds: Int64(way.rounded())), device: "van",
                place: Coordinate(meeting.point))
        }
    }

    /// Returns a star-shaped ring around a place, with edges of a few metres to a few kilometres.
    private static func ring(
        around center: Coordinate, size: Double, _ random: inout SeededGenerator
    ) -> [RawPosition] {
        let count = Int.random(in: 3...24, using: &random)
        let stretch = 1 / max(0.05, UnitVector(center).z.magnitude < 0.9 ? 0.7 : 0.2)
        var ring: [RawPosition] = (0..<count).map { step in
            let angle = (Double(step) + .random(in: 0..<0.7, using: &random)) / Double(count) * 360
            let reach = size * .random(in: 0.3...1, using: &random) / 111_195
            let direction = GreatCircleCourse(from: UnitVector(center), towards: Angle(degrees: angle))
            let unit = Coordinate(direction.point(at: .meters(1000)))
            return RawPosition(
                longitude: center.longitude + turned(unit.longitude - center.longitude) * reach * 111.195 * stretch
                    / 1.43,
                latitude: center.latitude + (unit.latitude - center.latitude) * reach * 111.195)
        }
        ring.append(ring[0])
        return ring
    }

    private static func turned(_ degrees: Double) -> Double {
        degrees > 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees
    }

    /// Returns polygons and corridors, numbered as an index numbers them.
    static func geofences(
        _ world: GeofenceEngineTests.World, count: Int, _ random: inout SeededGenerator
    ) throws -> [(geofence: Geofence, shape: Shape)] {
        try (0..<count).map { (number: Int) in
            let center = GeofenceEngineTests.place(world, &random)
            let sizes: [Double] = [30, 150, 600, 4000]
            let size = sizes.randomElement(using: &random) ?? 30
            guard world.name != "pole" else {
                let line = (0..<3).map { _ in RawPosition(GeofenceEngineTests.place(world, &random)) }
                let shape = try Shape.read(.lines([line]), radius: size / 5).shape
                return (Geofence(identity: .init(kind: .sight, id: "s\(number)"), title: "Sight", shape: shape), shape)
            }
            let ring = ring(around: center, size: size, &random)
            let shape =
                number % 3 == 0
                ? try Shape.read(.lines([Array(ring.dropLast(ring.count / 2))]), radius: size / 5).shape
                : try Shape.read(.polygons([[ring]])).shape
            return (Geofence(identity: .init(kind: .sight, id: "s\(number)"), title: "Sight", shape: shape), shape)
        }
    }

    @Test(arguments: ["city", "antimeridian", "pole"], [true, false])
    func eventsAreTheSameAsByBruteForce(name: String, gateIsOff: Bool) throws {
        let world = try #require(GeofenceEngineTests.worlds.first { $0.name == name })
        for seed in UInt64(1)...3 {
            var random = SeededGenerator(seed: seed)
            let geofences = try Self.geofences(world, count: 60, &random)
            let fixes = GeofenceEngineTests.track(world, &random)
            var policy = TrackingPolicy()
            policy.gate.isOff = gateIsOff
            if seed == 3 { policy.exitMargin = .zero }
            var oracle = Oracle(policy: policy)
            let index = GeofenceIndex(geofences.map { ($0.geofence, 1) })
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

    private static let square = "POLYGON ((4.89 52.37, 4.90 52.37, 4.90 52.38, 4.89 52.38, 4.89 52.37))"

    private static func square(_ text: String = square) throws -> Geofence {
        Geofence(
            identity: .init(kind: .sight, id: "square"), title: "Square",
            shape: try Shape.read(try WKT.geometry(from: text)).shape)
    }

    private static func fix(_ seconds: Double, _ latitude: Double, _ longitude: Double) throws -> Fix {
        Fix(
            time: Journey.at(seconds),
            coordinate: try #require(Coordinate(latitude: latitude, longitude: longitude)))
    }

    @Test func eventsOfPolygonsNameTheEdgeInPlaceOfTheDistance() throws {
        let index = GeofenceIndex([(try Self.square(), 1)])
        let fixes = [try Self.fix(0, 52.3695, 4.895), try Self.fix(60, 52.371, 4.895)]
        var policy = TrackingPolicy()
        policy.gate.isOff = true
        let lines = Tracker.output(of: fixes, in: index, policy: policy).lines
        let line = try #require(lines.first { $0.contains("geofence.enter") })
        #expect(line.contains(#""title":"Square","edge":111.2,"radius":0}"#))
    }

    @Test func anotherShapeMakesTheGeofenceUnknownAndAnotherTitleDoesNot() throws {
        var index = GeofenceIndex([(try Self.square(), 1)])
        var tracker = Tracker(device: "van")
        var seconds = 0.0
        func next() throws -> [String] {
            seconds += 1
            var output = Tracker.Output()
            tracker.ingest(try Self.fix(seconds, 52.375, 4.895), in: index, into: &output)
            return output.types
        }
        #expect(try next() == ["geofence.enter"])
        var renamed = try Self.square()
        renamed.title = "Renamed"
        index.update(renamed, revision: 2)
        #expect(try next() == [])
        index.update(try Self.square("POLYGON ((4.89 52.37, 4.90 52.37, 4.90 52.376, 4.89 52.37))"), revision: 3)
        #expect(try next() == [])
        index.update(try Self.square(), revision: 4)
        #expect(try next() == ["geofence.enter"])
        index.remove(renamed.identity, revision: 5)
        #expect(try next() == ["geofence.exit"])
    }

    @Test func aStayInAPolygonIsSavedWithoutItsShape() throws {
        var index = GeofenceIndex([(try Self.square(), 1)])
        var tracker = Tracker(device: "van")
        var output = Tracker.Output()
        tracker.ingest(try Self.fix(1, 52.375, 4.895), in: index, into: &output)
        let bytes = try JSONEncoder().encode(tracker.saved(in: index))
        #expect(!String(decoding: bytes, as: UTF8.self).contains("4.89 52.37"))
        let saved = try JSONDecoder().decode(Tracker.Saved.self, from: bytes)
        index.remove(try Self.square().identity, revision: 2)
        var without = GeofenceIndex([], revision: 2)
        var restored = Tracker(device: "van", saved: saved, in: &without)
        var (live, later) = (Tracker.Output(), Tracker.Output())
        let next = try Self.fix(2, 52.375, 4.895)
        tracker.ingest(next, in: index, into: &live)
        restored.ingest(next, in: without, into: &later)
        #expect(live.lines == later.lines)
        #expect(live.lines.first?.contains(#""radius":0},"inside":1,"reason":"removed"}"#) == true)
    }

    @Test func aPolygonAcceptsFixesAsInaccurateAsHalfItsInnerWidth() throws {
        // The square is 680 m wide and 1,110 m high.
        let index = GeofenceIndex([(try Self.square(), 1)])
        for (accuracy, isEntered) in [(300.0, true), (400, false)] {
            var engine = GeofenceEngine()
            var count = 0
            let fix = try Self.fix(1, 52.375, 4.895)
            let step = GeofenceEngine.PlacedFix(
                time: try #require(fix.time), place: fix.coordinate, accuracy: .meters(accuracy))
            engine.advance(step, in: index, policy: TrackingPolicy()) { _, _, _ in count += 1 }
            #expect(count == (isEntered ? 1 : 0))
        }
    }

    @Test func aPolygonAheadIsApproachedAtItsBoundary() throws {
        var policy = TrackingPolicy()
        policy.lookahead = Lookahead()
        let index = GeofenceIndex([(try Self.square(), 1)])
        // To the north at 20 m/s, from 1,100 m south of the square.
        let fixes = try (0..<50).map { second in try Self.fix(Double(second), 52.36 + Double(second) * 0.00018, 4.895) }
        let output = Tracker.output(of: fixes, in: index, policy: policy)
        let approaches: [(eta: Double, side: Event.Side)] = output.events.compactMap { event in
            guard case .approach(_, let approach) = event.kind else { return nil }
            return (approach.eta, approach.side)
        }
        #expect(approaches.count == 2)
        for approach in approaches {
            #expect(approach.side == .ahead)
            #expect((5...60).contains(approach.eta))
        }
    }

    @Test func polygonsAreExplainedByTheDistanceFromTheirBoundary() throws {
        let policy = TrackingPolicy()
        var explainer = Explainer(try Self.square(), device: "van", policy: policy)
        var reasons: [String] = []
        for fix in [try Self.fix(0, 52.3695, 4.895), try Self.fix(60, 52.371, 4.895)] {
            let step = GeofenceEngine.PlacedFix(time: try #require(fix.time), place: fix.coordinate)
            reasons.append(explainer.explain(fix, .accepted(step)).reason)
        }
        #expect(reasons == ["outside: 55.6 m > 0 m, and nothing was known before", "enters: -111.2 m <= 0 m"])
    }
}
