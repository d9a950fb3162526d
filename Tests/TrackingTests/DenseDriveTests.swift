import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

/// Drives with a fix every second where more boundaries are near than the engine keeps, compared with brute force.
@Suite(.slow) struct DenseDriveTests {
    struct World: Sendable, CustomTestStringConvertible {
        var name: String
        var latitude: Double
        var longitude: Double
        var testDescription: String { name }
    }

    static let worlds = [
        World(name: "city", latitude: 52.37, longitude: 4.89),
        World(name: "antimeridian", latitude: -17, longitude: 180),
        World(name: "pole", latitude: 89.99, longitude: 50),
        World(name: "rim of the planes", latitude: -79.99, longitude: 7),
    ]

    /// Returns a random point that is at most `meters` metres from `place` along each axis.
    static func point(near place: UnitVector, within meters: Double, _ random: inout SeededGenerator) -> UnitVector {
        let reach = meters / Sphere.radius.meters
        return UnitVector(
            towardsX: place.x + .random(in: -reach...reach, using: &random),
            y: place.y + .random(in: -reach...reach, using: &random),
            z: place.z + .random(in: -reach...reach, using: &random)) ?? place
    }

    static func geofence(_ number: Int, near place: UnitVector, _ random: inout SeededGenerator) -> Geofence {
        let isWide = Int.random(in: 0..<20, using: &random) == 0
        let radius: Double = [10, 10, 30, 30, 90, 250, 700].randomElement(using: &random) ?? 90
        let center = point(near: place, within: isWide ? 30_000 : 1500, &random)
        // A wide geofence also has its boundary where the device drives.
        let wide = center.distance(to: point(near: place, within: 1000, &random))
        return Geofence(
            identity: .init(kind: .sight, id: "s\(number)"), title: "Sight \(number)", center: Coordinate(center),
            radius: isWide ? wide : .meters(radius))
    }

    /// A device that drives about with noise, rests, is displaced for a while, and is sometimes inaccurate.
    struct Driver {
        var middle: UnitVector
        var here: UnitVector
        var goal: UnitVector
        var speed = 10.0
        var rest = 0
        var time = Journey.begin

        init(about middle: UnitVector) { (self.middle, here, goal) = (middle, middle, middle) }

        mutating func next(_ random: inout SeededGenerator) -> Fix {
            let left = here.distance(to: goal).meters
            if rest > 0 {
                rest -= 1
            } else if left < speed {
                goal = DenseDriveTests.point(near: middle, within: 1200, &random)
                speed = .random(in: 1...120, using: &random)
                rest = Bool.random(using: &random) ? 0 : .random(in: 1...90, using: &random)
            } else {
                here = between(here, goal, speed / left)
            }
            if Int.random(in: 0..<200, using: &random) == 0 {
                let away: Double = [400, 5000, 50_000].randomElement(using: &random) ?? 400
                here = DenseDriveTests.point(near: middle, within: away, &random)
            }
            let isLate = Int.random(in: 0..<300, using: &random) == 0
            time = time.advanced(byMilliseconds: isLate ? 700_000 : 1000)
            let seen = DenseDriveTests.point(near: here, within: 6, &random)
            var fix = Fix(time: time, coordinate: Coordinate(seen))
            if Int.random(in: 0..<10, using: &random) == 0 {
                fix.accuracy = .meters(.random(in: 1...150, using: &random))
            }
            fix.beginsSegment = Int.random(in: 0..<200, using: &random) == 0
            return fix
        }

        private func between(_ start: UnitVector, _ end: UnitVector, _ share: Double) -> UnitVector {
            UnitVector(
                towardsX: start.x + (end.x - start.x) * share, y: start.y + (end.y - start.y) * share,
                z: start.z + (end.z - start.z) * share) ?? end
        }
    }

    /// Half of the runs use the gate's accuracies and margins; in all of them geofences are added, moved and removed.
    @Test(arguments: worlds, [UInt64(1), 2])
    func eventsAreTheSameAsByBruteForce(world: World, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let middle = UnitVector(Coordinate(latitude: world.latitude, longitude: world.longitude).known)
        var geofences = (0..<90).map { Self.geofence($0, near: middle, &random) }
        var index = GeofenceIndex(geofences.map { ($0, 1) })
        var policy = TrackingPolicy()
        policy.dwell = 20
        if seed == 2 { policy.exitMargin = .meters(3) }
        var engine = GeofenceEngine()
        var oracle = GeofenceOracle(policy: policy)
        var driver = Driver(about: middle)
        var types: [String: Int] = [:]
        for count in 0..<2500 {
            let fix = driver.next(&random)
            let time = try #require(fix.time)
            var told: [Event] = []
            let step = GeofenceEngine.PlacedFix(
                time: time, place: fix.coordinate, accuracy: fix.accuracy, isApart: fix.beginsSegment)
            engine.advance(step, in: index, policy: policy) { kind, time, place in
                told.append(Event(kind: kind, time: time, device: "van", place: place))
            }
            told.sort(by: Event.precedes)
            for event in told { types[event.type, default: 0] += 1 }
            let lines = told.map { String(decoding: $0.json(), as: UTF8.self) }
            #expect(lines == oracle.advance(fix, geofences), "fix \(count)")
            guard Int.random(in: 0..<40, using: &random) == 0 else { continue }
            let revision = Int64(count + 2)
            let place = Int.random(in: 0..<geofences.count, using: &random)
            if Bool.random(using: &random) {
                index.remove(geofences[place].identity, revision: revision)
                oracle.remove(geofences[place])
                geofences[place] = Self.geofence(1000 + count, near: middle, &random)
            } else {
                let moved = Self.geofence(0, near: middle, &random)
                geofences[place].center = moved.center
                geofences[place].radius = moved.radius
            }
            index.update(geofences[place], revision: revision)
            oracle.change(geofences[place])
        }
        for type in ["enter", "exit", "cross", "dwell"] { #expect(types["geofence.\(type)", default: 0] >= 5) }
    }
}
