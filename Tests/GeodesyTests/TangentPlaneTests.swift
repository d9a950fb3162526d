import Foundation
import Geodesy
import TestSupport
import Testing

@Suite struct TangentPlaneTests {
    /// A plane, with places within some kilometres of the place where it touches.
    ///
    /// Half of the planes and places are at the limits of what the plane is for.
    private struct Scene {
        let touching: Coordinate
        let plane: TangentPlane

        init(_ random: inout SeededGenerator) throws {
            let isRim = Bool.random(using: &random)
            let latitude = Double.random(in: isRim ? 79.9...80 : 0...80, using: &random)
            touching =
                Coordinate(
                    latitude: Bool.random(using: &random) ? latitude : -latitude,
                    longitude: .random(in: -170...170, using: &random)
                ).known
            plane = try #require(TangentPlane(at: touching, UnitVector(touching)))
        }

        func place(within reach: Distance, _ random: inout SeededGenerator) -> Coordinate {
            let angle = Double.random(in: 0..<2 * .pi, using: &random)
            let isRim = Bool.random(using: &random)
            let meters = reach.meters * (isRim ? 0.999 : Double.random(in: 0...0.999, using: &random))
            let degrees = meters / 111_195.08
            let north = degrees * cos(angle)
            // On the sphere the offset is slightly different; a place outside the reach is drawn again.
            let place = Coordinate(
                latitude: touching.latitude + north,
                longitude: touching.longitude + degrees * sin(angle)
                    / cos((touching.latitude + north / 2) * .pi / 180)
            ).known
            guard SphereTests.haversine(touching, place) < reach.meters else {
                return self.place(within: reach, &random)
            }
            return place
        }
    }

    private static func length(_ vector: SIMD2<Float>) -> Double {
        (Double(vector.x) * Double(vector.x) + Double(vector.y) * Double(vector.y)).squareRoot()
    }

    @Test func distancesOnThePlaneAreThoseOfGreatCircles() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            let scene = try Scene(&random)
            let near = scene.place(within: TangentPlane.reach, &random)
            let far = scene.place(within: TangentPlane.span, &random)
            let apart = Self.length(scene.plane.point(near: near) - scene.plane.point(UnitVector(far)))
            #expect(
                abs(apart - SphereTests.haversine(near, far)) < TangentPlane.error / 2,
                "\(scene.touching) \(near) \(far)")
        }
    }

    @Test func aLegIsStraightOnThePlane() throws {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<5000 {
            let scene = try Scene(&random)
            let ends = [scene.place(within: .kilometers(5), &random), scene.place(within: .kilometers(5), &random)]
            let (start, end) = (UnitVector(ends[0]), UnitVector(ends[1]))
            guard start.distance(to: end) < .kilometers(5) else { continue }
            let share = Double.random(in: 0...1, using: &random)
            let middle = try #require(
                UnitVector(
                    towardsX: start.x + share * (end.x - start.x), y: start.y + share * (end.y - start.y),
                    z: start.z + share * (end.z - start.z)))
            let (from, to) = (scene.plane.point(start), scene.plane.point(end))
            let straight = from + (to - from) * Float(share)
            #expect(Self.length(scene.plane.point(middle) - straight) < 0.01)
        }
    }

    @Test func thereIsNoPlaneNearThePoles() {
        for latitude in [90, -90, 80.001, -85] {
            let place = Coordinate(latitude: latitude, longitude: 7).known
            #expect(TangentPlane(at: place, UnitVector(place)) == nil)
        }
    }
}
