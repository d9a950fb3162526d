import Foundation
import Geodesy
import TestSupport
import Testing

@Suite struct VicinityTests {
    /// Returns a place of any latitude, often near a pole or the antimeridian.
    static func center(_ random: inout SeededGenerator) -> Coordinate {
        let rim = Double.random(in: 0...0.1, using: &random)
        let sign = Bool.random(using: &random) ? 1.0 : -1
        let place = SphereTests.place(&random)
        return switch Int.random(in: 0..<4, using: &random) {
        case 0: Coordinate(latitude: sign * (90 - rim), longitude: place.longitude).known
        case 1: Coordinate(latitude: place.latitude, longitude: sign * (180 - rim)).known
        default: place
        }
    }

    @Test func placesInAVicinityAreWithinItsRadius() {
        var random = SeededGenerator(seed: 1)
        var held = 0
        for _ in 0..<20_000 {
            let center = Self.center(&random)
            let meters = exp(Double.random(in: 0...16.9, using: &random))
            let whole = Vicinity(of: center, radius: .meters(meters))
            let place = SphereTests.near(center, within: min(90, 1.3 * meters / 111_195), &random)
            let distance = SphereTests.haversine(center, place)
            if whole.holds(place) {
                held += 1
                #expect(distance < meters, "\(center) \(place)")
            }
            // The part is as large as the distance of its centre from the middle allows.
            guard distance < meters else { continue }
            let other = SphereTests.near(place, within: min(90, 1.3 * (meters - distance) / 111_195), &random)
            if whole.part(of: place, radius: .meters(meters - distance)).holds(other) {
                held += 1
                #expect(SphereTests.haversine(place, other) < meters - distance, "\(center) \(place) \(other)")
            }
        }
        #expect(held > 5000)
    }

    @Test func aVicinityMissesLittleFarFromThePoles() {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<2000 {
            let center = Coordinate(
                latitude: .random(in: -70...70, using: &random), longitude: .random(in: -179...179, using: &random)
            ).known
            let meters = exp(Double.random(in: 2...9, using: &random))
            let place = SphereTests.near(center, within: meters / 111_195, &random)
            guard SphereTests.haversine(center, place) < 0.99 * meters - 0.1 else { continue }
            #expect(Vicinity(of: center, radius: .meters(meters)).holds(place))
        }
    }

    @Test func aVicinityEndsAtTheAntimeridianAndNeedsARadius() {
        let west = Coordinate(latitude: 10, longitude: 179.9999).known
        let east = Coordinate(latitude: 10, longitude: -179.9999).known
        #expect(Vicinity(of: west, radius: .kilometers(1)).holds(west))
        #expect(!Vicinity(of: west, radius: .kilometers(1)).holds(east))
        #expect(!Vicinity(of: west, radius: .zero).holds(west))
        #expect(!Vicinity(of: west, radius: .meters(-5)).holds(west))
        #expect(!Vicinity.nowhere.holds(Coordinate(latitude: 0, longitude: 0).known))
    }
}
