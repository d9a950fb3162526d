import Foundation
import Geodesy
import Positioning
import Shapes
import TestSupport
import Testing
import Time

@testable import Tracking

/// Approaches of polygons and corridors, compared with a brute force that asks every shape at every fix.
@Suite(.slow) struct ShapeApproachTests {
    private struct Oracle {
        private var told: [Int: (tier: Int, gap: Double)] = [:]
        private var last: GreatCircleCourse?

        mutating func advance(_ fix: Fix, _ shapes: [Shape], inside: Set<Int>) -> [String] {
            for number in inside { told[number] = nil }
            let here = UnitVector(fix.coordinate)
            guard let speed = fix.speed, let track = fix.track, speed.metersPerSecond >= 1 else {
                last = nil
                return []
            }
            let now = GreatCircleCourse(from: here, towards: track)
            defer { last = now }
            guard let last else { return [] }
            let reach = Lookahead().far.reach(at: speed).meters
            var lines: [String] = []
            for (number, shape) in shapes.enumerated() where !inside.contains(number) {
                let gap = shape.standing(fix.coordinate, at: here).gap
                if let known = told[number], gap > 1.25 * max(reach, known.gap) { told[number] = nil }
                guard gap <= reach, last.meets(shape, within: reach + here.distance(to: last.start).meters),
                    let way = now.distance(to: shape, within: reach),
                    let tier = Lookahead().tier(at: way, speed: speed, isNew: told[number] == nil),
                    told[number].map({ $0.tier < tier }) ?? true
                else { continue }
                told[number] = (tier, told[number]?.gap ?? gap)
                lines.append(Self.line(number, tier, way.meters / speed.metersPerSecond))
            }
            return lines.sorted()
        }

        static func line(_ number: Int, _ tier: Int, _ eta: Double) -> String { "s\(number) \(tier) \(eta)" }
    }

    @Test(arguments: ["city", "antimeridian", "pole"])
    func approachesAreTheSameAsByBruteForce(name: String) throws {
        let world = try #require(GeofenceEngineTests.worlds.first { $0.name == name })
        var count = 0
        for seed in UInt64(1)...2 {
            var random = SeededGenerator(seed: seed)
            let geofences = try ShapeGeofenceTests.geofences(world, count: 60, &random)
            let shapes = geofences.map(\.shape)
            let index = GeofenceIndex(geofences.map { ($0.geofence, 1) })
            var (engine, oracle) = (ApproachEngine(), Oracle())
            var inside: Set<Int> = []
            for fix in ApproachTests.drive(world, &random) {
                let time = try #require(fix.time)
                let now = Set(shapes.indices.filter { shapes[$0].contains(fix.coordinate) })
                if now != inside { engine.reconsider() }
                inside = now
                var lines: [String] = []
                engine.advance(
                    ApproachEngine.MovingFix(
                        time: time, place: fix.coordinate, here: UnitVector(fix.coordinate), speed: fix.speed,
                        track: fix.track),
                    in: index, lookahead: Lookahead(), isInside: { now.contains(Int($0)) }
                ) { sighting, approach in
                    let number = Int(sighting.geofence.identity.id.dropFirst()) ?? -1
                    lines.append(Oracle.line(number, approach.tier, approach.eta))
                }
                #expect(lines.sorted() == oracle.advance(fix, shapes, inside: inside), "seed \(seed)")
                count += lines.count
            }
        }
        #expect(count > 5)
    }
}
