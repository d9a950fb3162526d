import Geodesy
import Shapes
import TestSupport
import Testing
import Tracking

/// The geofences closest to a place, if some are no circles.
@Suite struct NearestShapeTests {
    private static func place(_ random: inout SeededGenerator) -> Coordinate {
        let latitude = Double.random(in: 51...53, using: &random)
        return Coordinate(latitude: latitude, longitude: .random(in: 3...6, using: &random)).known
    }

    /// Returns a circle, a triangle or a corridor, from some metres to some ten kilometres large.
    private static func geofence(_ number: Int, _ random: inout SeededGenerator) throws -> Geofence {
        let identity = Geofence.Identity(kind: .sight, id: "s\(number)")
        let middle = place(&random)
        let sizes: [Double] = [0.001, 0.01, 0.2]
        let size = sizes[number % sizes.count]
        let positions = (0..<3).map { _ in
            let (east, north) = (
                Double.random(in: -size...size, using: &random), Double.random(in: -size...size, using: &random)
            )
            return RawPosition(longitude: middle.longitude + east, latitude: middle.latitude + north)
        }
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            let radius = Double.random(in: 10...9000, using: &random)
            return Geofence(identity: identity, title: "Circle", center: middle, radius: .meters(radius))
        case 1:
            let shape = try Shape.read(.polygons([[positions + [positions[0]]]])).shape
            return Geofence(identity: identity, title: "Triangle", shape: shape)
        default:
            let shape = try Shape.read(.lines([positions]), radius: .random(in: 10...2000, using: &random)).shape
            return Geofence(identity: identity, title: "Corridor", shape: shape)
        }
    }

    /// The two ways of reckoning a distance may differ by this many metres.
    private static let rounding = 0.001

    @Test(arguments: [1, 30, 200]) func theClosestAreThoseOfABruteSearch(count: Int) throws {
        var random = SeededGenerator(seed: UInt64(count))
        let geofences = try (0..<count).map { try Self.geofence($0, &random) }
        let index = GeofenceIndex(geofences.map { ($0, 1) })
        for _ in 0..<60 {
            let here = Self.place(&random)
            let expected = geofences.map { geofence in
                geofence.shape?.distance(from: here) ?? Sphere.distance(from: here, to: geofence.center)
            }
            let limit = Int.random(in: 1...20, using: &random)
            let found = index.nearest(to: here, limit: limit)
            #expect(found.count == min(limit, count))
            for (neighbor, distance) in zip(found, expected.sorted()) {
                #expect(abs(neighbor.distance.meters - distance.meters) < Self.rounding)
            }
            for neighbor in found {
                let number = try #require(geofences.firstIndex { $0.identity == neighbor.geofence.identity })
                #expect(abs(neighbor.distance.meters - expected[number].meters) < Self.rounding)
            }
        }
    }

    @Test func insideTheDistanceIsZeroAndOutsideTheBearingIsThatOfTheNearestPlace() throws {
        let corners: [(Double, Double)] = [(4, 52), (5, 52), (5, 53), (4, 53), (4, 52)]
        let ring = corners.map { RawPosition(longitude: $0.0, latitude: $0.1) }
        let square = try Shape.read(.polygons([[ring]])).shape
        let index = GeofenceIndex([(Geofence(identity: .init(kind: .sight, id: "s"), title: "S", shape: square), 1)])
        let inside = try #require(
            index.nearest(to: Coordinate(latitude: 52.1, longitude: 4.1).known, limit: 3).first)
        #expect(inside.distance == .zero)
        let west = Coordinate(latitude: 52.1, longitude: 3.9).known
        let outside = try #require(index.nearest(to: west, limit: 3).first)
        #expect(abs(outside.distance.meters - 6830) < 10)
        #expect(abs(outside.bearing.degrees - 90) < 1)
        // A kind that no geofence is of.
        #expect(index.nearest(to: west, limit: 3, kind: .init(rawValue: "vote")).isEmpty)
    }
}
