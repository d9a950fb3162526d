import Geodesy
import TestSupport
import Testing

/// Distances on the sphere are those of unit vectors, also where a plane approximates them.
@Suite struct NearPlacesTests {
    @Test func distancesAreTheSameAsByUnitVectors() {
        var random = SeededGenerator(seed: 12)
        for round in 0..<20_000 {
            let latitude = Int32.random(in: -900_000_000...900_000_000, using: &random)
            let longitude = Int32.random(in: -1_800_000_000...1_800_000_000, using: &random)
            let spread = Int32([100, 10_000, 499_999, 600_000][round % 4])
            let start = Coordinate(latitudeE7: latitude, longitudeE7: longitude).known
            guard
                let end = Coordinate(
                    latitudeE7: latitude + .random(in: -spread...spread, using: &random),
                    longitudeE7: longitude.addingReportingOverflow(.random(in: -spread...spread, using: &random))
                        .partialValue)
            else { continue }
            let expected = UnitVector(start).distance(to: UnitVector(end)).meters
            // A unit vector is accurate to a few nanometres.
            #expect(abs(Sphere.distance(from: start, to: end).meters - expected) <= expected / 500_000 + 1e-7)
        }
    }
}
