import Foundation
import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

@Suite struct TraceSimplifierTests {
    private static func simplified(_ fixes: [Fix], to meters: Double) -> [Fix] {
        var simplifier = TraceSimplifier(tolerance: .meters(meters))
        var kept: [Fix] = []
        for fix in fixes { simplifier.add(fix, into: &kept) }
        simplifier.finish(into: &kept)
        return kept
    }

    private static func track(_ places: [UnitVector], gaps: Set<Int> = []) -> [Fix] {
        places.enumerated().map { index, place in
            Fix(
                time: Timestamp(milliseconds: Int64(index) * 1000), coordinate: Coordinate(place),
                beginsSegment: gaps.contains(index))
        }
    }

    /// Returns a walk of steps and turns from a place, with noise; now and then it stands still or turns back.
    private static func walk(
        from start: Coordinate, count: Int, step: Double, noise: Double, _ random: inout SeededGenerator
    ) -> [UnitVector] {
        var here = UnitVector(start)
        var heading = Double.random(in: 0..<2 * .pi, using: &random)
        var places: [UnitVector] = []
        while places.count < count {
            switch Int.random(in: 0..<40, using: &random) {
            case 0: heading += .pi
            case 1: heading += Double.random(in: -2...2, using: &random)
            default: heading += Double.random(in: -0.15...0.15, using: &random)
            }
            let length = Int.random(in: 0..<10, using: &random) == 0 ? 0 : step
            here = moved(here, length, heading)
            let stray = Double.random(in: 0...noise, using: &random)
            places.append(moved(here, stray, Double.random(in: 0..<2 * .pi, using: &random)))
        }
        return places
    }

    /// Returns the place `meters` metres from `place` in the direction `heading`.
    ///
    /// The heading refers to a frame of the place itself, so it works at the poles too.
    private static func moved(_ place: UnitVector, _ meters: Double, _ heading: Double) -> UnitVector {
        let axis = abs(place.z) < 0.9 ? (0.0, 0.0, 1.0) : (1.0, 0.0, 0.0)
        let east = UnitVector(
            towardsX: axis.1 * place.z - axis.2 * place.y, y: axis.2 * place.x - axis.0 * place.z,
            z: axis.0 * place.y - axis.1 * place.x
        ).known
        let north = (
            place.y * east.z - place.z * east.y, place.z * east.x - place.x * east.z,
            place.x * east.y - place.y * east.x
        )
        let angle = meters / Sphere.radius.meters
        let (ahead, aside) = (cos(heading) * sin(angle), sin(heading) * sin(angle))
        return UnitVector(
            towardsX: place.x * cos(angle) + north.0 * ahead + east.x * aside,
            y: place.y * cos(angle) + north.1 * ahead + east.y * aside,
            z: place.z * cos(angle) + north.2 * ahead + east.z * aside
        ).known
    }

    /// Returns the distance of a place from the great circle between two others, in metres.
    private static func distance(of fix: Fix, from start: Fix, to end: Fix) -> Double {
        let place = UnitVector(fix.coordinate)
        let (a, b) = (UnitVector(start.coordinate), UnitVector(end.coordinate))
        if let foot = GreatCircleArc(from: a, to: b)?.closestInteriorPoint(to: place)?.point {
            return place.distance(to: foot).meters
        }
        return min(place.distance(to: a).meters, place.distance(to: b).meters)
    }

    /// Returns the greatest distance of an omitted point from the simplified line.
    ///
    /// It is `nil` if the kept points are not a part of the track in its order, or if a gap or an end is missing.
    private static func error(of kept: [Fix], for fixes: [Fix]) -> Double? {
        guard kept.first == fixes.first, kept.last == fixes.last else { return nil }
        var worst = 0.0
        var next = 0
        for (index, fix) in fixes.enumerated() {
            if next < kept.count, kept[next] == fix {
                next += 1
                continue
            }
            guard next > 0, next < kept.count, !fix.beginsSegment, !kept[next].beginsSegment,
                index + 1 < fixes.count
            else { return nil }
            worst = max(worst, distance(of: fix, from: kept[next - 1], to: kept[next]))
        }
        return next == kept.count ? worst : nil
    }

    @Test(arguments: [
        (52.37, 4.89), (0, 179.9999), (-89.9999, 0), (89.9995, 120), (-33.9, -180), (70, -0.0001),
    ])
    func noOmittedPointIsFartherAwayThanTheTolerance(_ latitude: Double, _ longitude: Double) throws {
        var random = SeededGenerator(seed: 1997)
        let start = Coordinate(latitude: latitude, longitude: longitude).known
        for (step, noise) in [(1.4, 4.0), (12, 3), (12, 0), (300, 40), (40_000, 10)] {
            let gaps = Set((0..<4).map { _ in Int.random(in: 1..<700, using: &random) })
            let track = Self.track(
                Self.walk(from: start, count: 700, step: step, noise: noise, &random), gaps: gaps)
            var before = track.count
            for tolerance in [0.5, 5, 25, 100, 2000, 100_000] {
                let kept = Self.simplified(track, to: tolerance)
                let error = try #require(Self.error(of: kept, for: track), "tolerance \(tolerance)")
                // One millimetre is far above the rounding errors of these formulas on legs of 40 km.
                #expect(error <= tolerance + 0.001, "tolerance \(tolerance), step \(step), noise \(noise)")
                if tolerance >= 25 { #expect(kept.count <= before) }
                before = kept.count
            }
            #expect(before < 60)
        }
    }

    @Test func aStraightLineKeepsOnlyItsEnds() {
        let start = UnitVector(Coordinate(latitude: 60, longitude: 179.9).known)
        let end = UnitVector(Coordinate(latitude: 60.3, longitude: -179.9).known)
        let track = Self.track(
            (0...500).map { part in
                let share = Double(part) / 500
                return UnitVector(
                    towardsX: start.x + share * (end.x - start.x), y: start.y + share * (end.y - start.y),
                    z: start.z + share * (end.z - start.z)
                ).known
            })
        // Rounded to 1e-7 degrees, the points lie within a few millimetres of the line.
        #expect(Self.simplified(track, to: 0.1) == [track[0], track[500]])
    }

    @Test func aTurningPointIsKept() throws {
        let start = UnitVector(Coordinate(latitude: 52, longitude: 5).known)
        let out = (0...100).map { Self.moved(start, Double($0) * 10, 1) }
        let track = Self.track(out + out.reversed().dropFirst())
        let kept = Self.simplified(track, to: 5)
        #expect(kept.map { $0.time?.milliseconds } == [0, 100_000, 200_000])
    }

    @Test func bothSidesOfAGapAreKept() {
        let start = UnitVector(Coordinate(latitude: 52, longitude: 5).known)
        let track = Self.track((0..<90).map { Self.moved(start, Double($0) * 10, 1) }, gaps: [0, 30, 31])
        let kept = Self.simplified(track, to: 5)
        #expect(kept.map { $0.time?.milliseconds } == [0, 29_000, 30_000, 31_000, 89_000])
        #expect(kept.map(\.beginsSegment) == [true, false, true, true, false])
    }

    @Test func withoutToleranceAllPointsAreKept() {
        let start = UnitVector(Coordinate(latitude: 52, longitude: 5).known)
        let track = Self.track((0..<9).map { _ in start })
        #expect(Self.simplified(track, to: 0) == track)
        #expect(Self.simplified(track, to: 1) == [track[0], track[8]])
        #expect(Self.simplified([], to: 1).isEmpty)
        #expect(Self.simplified([track[0]], to: 1) == [track[0]])
    }

    @Test func aLegLongerThanAQuarterOfTheEarthIsItsOwnSegment() throws {
        let places = [(0.0, 0.0), (0, 0.001), (1, 120), (0, 0.002), (0, -179), (0, 0)]
        let track = Self.track(places.map { UnitVector(Coordinate(latitude: $0.0, longitude: $0.1).known) })
        for tolerance in [1, 1000, 1e7] {
            let error = try #require(Self.error(of: Self.simplified(track, to: tolerance), for: track))
            #expect(error <= tolerance + 0.001)
        }
        #expect(Self.simplified(track, to: 1000) == track)
    }

    /// What follows depends only on the last kept point, so the pages of a trace add up to the whole.
    @Test func simplifyingCanContinueFromAnyKeptPoint() {
        var random = SeededGenerator(seed: 5)
        let track = Self.track(
            Self.walk(
                from: Coordinate(latitude: 10, longitude: 10).known, count: 600, step: 10, noise: 5, &random),
            gaps: [200])
        let whole = Self.simplified(track, to: 15)
        #expect(whole.count > 20)
        for (index, fix) in whole.enumerated() {
            let rest = track.drop { $0 != fix }
            var simplifier = TraceSimplifier(tolerance: .meters(15))
            var kept: [Fix] = []
            for fix in rest { simplifier.add(fix, into: &kept) }
            simplifier.finish(into: &kept)
            #expect(kept == Array(whole[index...]))
        }
    }
}
