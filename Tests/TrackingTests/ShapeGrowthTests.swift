import Geodesy
import Glibc
import Positioning
import Shapes
import TestSupport
import Testing
import Time

@testable import Tracking

/// The cost of fixes among polygons, in shapes looked at, among *n* and among 4 *n* of them that lie as close together.
@Suite struct ShapeGrowthTests {
    private static let corners = 100
    private static let radius = 150.0
    private static let metersPerDegree = 6_371_008.8 * Double.pi / 180

    /// Returns `side` times `side` stars, 600 m apart, and places on the way through them.
    private static func world(_ side: Int) throws -> (index: GeofenceIndex, places: [Coordinate]) {
        let south = 48.0
        let scale = 0.669
        let polygons = try (0..<side * side).map { number in
            let (north, east) = (Double(number / side) * 600, Double(number % side) * 600)
            let ring = (0...corners).map { corner in
                let angle = 2 * Double.pi * Double(corner % corners) / Double(corners)
                let length = radius * (corner % 2 == 0 ? 1 : 0.8)
                return RawPosition(
                    longitude: 8 + (east + length * cos(angle)) / metersPerDegree / scale,
                    latitude: south + (north + length * sin(angle)) / metersPerDegree)
            }
            return Geofence(
                identity: .init(kind: .sight, id: "\(number)"), title: "Star",
                shape: try Shape.read(.polygons([[ring]])).shape)
        }
        // Through the middle, from the third column on, at 12 m a second.
        let places = (0..<400).compactMap { second in
            Coordinate(
                latitude: south + (Double(side / 2) * 600 + 100 + Double(second) * 2) / metersPerDegree,
                longitude: 8 + (1500 + Double(second) * 12) / metersPerDegree / scale)
        }
        return (GeofenceIndex(polygons.map { ($0, 1) }), places)
    }

    @Test func aSearchFindsOnlyThePolygonsNearby() throws {
        let counts = try [12, 24].map { side in
            let (index, places) = try Self.world(side)
            var count = 0
            for place in places {
                let here = UnitVector(place)
                index.forEachCandidate(in: Box(here).expanded(by: 50 / Sphere.radius.meters)) { number in
                    let distance = index.fences[Int(number)].center.distance(to: here).meters
                    // The corner of the box is farther than its sides.
                    #expect(distance < Self.radius + 50 * 1.75 + 2)
                    count += 1
                }
            }
            return count
        }
        #expect(counts[0] > 50)
        #expect(abs(counts[1] - counts[0]) <= counts[0] / 10, "\(counts)")
    }

    @Test func aDriveLooksAtAsManyShapesAmongFourTimesAsMany() throws {
        let counts = try [12, 24].map { side in
            let (index, places) = try Self.world(side)
            var policy = TrackingPolicy()
            policy.gate.isOff = true
            var engine = GeofenceEngine()
            var events = 0
            for (second, place) in places.enumerated() {
                let step = GeofenceEngine.PlacedFix(time: Journey.at(Double(second)), place: place)
                engine.advance(step, in: index, policy: policy) { _, _, _ in events += 1 }
            }
            #expect(events > 2)
            return engine.looks
        }
        #expect(counts[0] > 0)
        #expect(counts[1] <= counts[0] + counts[0] / 5, "\(counts)")
        // Most fixes look at no shape: there are 36 within reach.
        #expect(counts[1] < 400, "\(counts)")
    }

    @Test func aCourseLooksAtAsManyShapesAmongFourTimesAsMany() throws {
        let counts = try [12, 24].map { side in
            let (index, places) = try Self.world(side)
            var engine = ApproachEngine()
            var told = 0
            for (second, place) in places.enumerated() {
                let step = ApproachEngine.MovingFix(
                    time: Journey.at(Double(second)), place: place, here: UnitVector(place),
                    speed: .metersPerSecond(12.2), track: .degrees(80.5))
                engine.advance(step, in: index, lookahead: Lookahead(), isInside: { _ in false }) { _, _ in told += 1 }
            }
            #expect(told > 2)
            return engine.looks
        }
        #expect(counts[0] > 0)
        #expect(counts[1] <= counts[0] + counts[0] / 5, "\(counts)")
        // At most fixes, at most one of the 20 within reach lies ahead.
        #expect(counts[1] < 600, "\(counts)")
    }
}
