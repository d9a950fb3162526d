import Foundation
import Geodesy
import TestSupport
import Testing

@Suite struct SphereTests {
    /// Returns the distance by the haversine formula, as a reference.
    static func haversine(_ a: Coordinate, _ b: Coordinate) -> Double {
        let (p, q) = (a.latitude * .pi / 180, b.latitude * .pi / 180)
        let turn = (b.longitude - a.longitude) * .pi / 180
        let x = pow(sin((q - p) / 2), 2) + cos(p) * cos(q) * pow(sin(turn / 2), 2)
        return 2 * 6_371_008.8 * asin(min(1, x.squareRoot()))
    }

    static func place(_ random: inout SeededGenerator) -> Coordinate {
        Coordinate(latitude: .random(in: -90...90, using: &random), longitude: .random(in: -180...180, using: &random))
            .known
    }

    static func near(_ place: Coordinate, within degrees: Double, _ random: inout SeededGenerator) -> Coordinate {
        let latitude = max(-90, min(90, place.latitude + .random(in: -degrees...degrees, using: &random)))
        let longitude = place.longitude + .random(in: -degrees...degrees, using: &random)
        return Coordinate(
            latitude: latitude,
            longitude: longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
        ).known
    }

    @Test func distancesEqualTheHaversineFormula() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<2000 {
            let start = Self.place(&random)
            for end in [Self.place(&random), Self.near(start, within: 0.01, &random)] {
                let truth = Self.haversine(start, end)
                guard truth < 19_900_000 else { continue }
                let distance = UnitVector(start).distance(to: UnitVector(end)).meters
                #expect(abs(distance - truth) < 1e-8 * truth + 1e-6)
            }
        }
    }

    @Test func chordAndDistanceAreInverse() {
        for meters in [0.001, 1, 50, 1e4, 1e6, 1.9e7] {
            let back = Sphere.distance(squaredChord: Sphere.squaredChord(distance: .meters(meters))).meters
            #expect(abs(back - meters) < 1e-9 * meters + 1e-7)
        }
        #expect(Sphere.squaredChord(distance: .meters(-1)) == 0)
        #expect(Sphere.squaredChord(distance: .kilometers(30_000)) == 4)
    }

    @Test(arguments: [
        (0.0, 0.0, 1.0, 0.0, 0.0), (0, 0, 0, 1, 90), (0, 179.5, 0, -179.5, 90), (10, 5, -10, 5, 180),
        (0, 0, 0, -1, 270),
    ])
    func bearingsAreClockwiseFromNorth(row: (Double, Double, Double, Double, Double)) {
        let start = UnitVector(Coordinate(latitude: row.0, longitude: row.1).known)
        let end = UnitVector(Coordinate(latitude: row.2, longitude: row.3).known)
        #expect(abs(start.bearing(to: end).degrees - row.4) < 1e-9)
    }

    @Test func theClosestPointOfAnArcIsCloserThanAnyOther() throws {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            let start = Self.place(&random)
            let end = Self.near(start, within: 0.02, &random)
            let place = UnitVector(Self.near(start, within: 0.02, &random))
            guard let arc = GreatCircleArc(from: UnitVector(start), to: UnitVector(end)) else { continue }
            let samples = (0...400).compactMap { step -> Double? in
                let share = Double(step) / 400
                let point = UnitVector(
                    towardsX: arc.start.x + (arc.end.x - arc.start.x) * share,
                    y: arc.start.y + (arc.end.y - arc.start.y) * share,
                    z: arc.start.z + (arc.end.z - arc.start.z) * share)
                return point?.distance(to: place).meters
            }
            let least = try #require(samples.min())
            if let (point, fraction) = arc.closestInteriorPoint(to: place) {
                #expect(point.distance(to: place).meters <= least + 1e-6)
                #expect((0...1).contains(fraction))
                let along = arc.start.distance(to: arc.end).meters * fraction
                #expect(abs(arc.start.distance(to: point).meters - along) < 1e-6)
            } else {
                let ends = min(arc.start.distance(to: place).meters, arc.end.distance(to: place).meters)
                #expect(ends <= least + 1e-6)
            }
        }
    }

    @Test func aCoordinateIsRoundedToItsUnitAndMustBeValid() {
        #expect(Coordinate(latitude: 52.373_056_04, longitude: 4.892_222_26).known.latitudeE7 == 523_730_560)
        #expect(Coordinate(latitude: 52.373_056_04, longitude: 4.892_222_26).known.longitudeE7 == 48_922_223)
        for (latitude, longitude) in [(90.1, 0.0), (0, 180.1), (.nan, 0), (0, .nan), (.infinity, 0), (0, -.infinity)] {
            #expect(Coordinate(latitude: latitude, longitude: longitude) == nil)
        }
        #expect(Coordinate(latitude: -90, longitude: -180) != nil)
        #expect(Coordinate(latitudeE7: .min, longitudeE7: 0) == nil)
    }

    @Test func aCoordinateSurvivesItsUnitVector() {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<1000 {
            let place = Self.place(&random)
            let back = Coordinate(UnitVector(place))
            #expect(abs(back.latitudeE7 - place.latitudeE7) <= 1)
            #expect(UnitVector(back).distance(to: UnitVector(place)) < .meters(0.02))
        }
    }
}
