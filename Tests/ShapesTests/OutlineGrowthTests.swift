import Geodesy
import Testing

@testable import Shapes

/// The cost of questions about a polygon, in nodes and edges looked at, among *n* and among 4 *n* edges.
@Suite struct OutlineGrowthTests {
    private struct Count: VisitCount {
        var nodes = 0

        mutating func visit() { nodes += 1 }
    }

    private struct CountedSearch: ArcSearch {
        var cost = 0
        var squaredChord: Double
        var reach: Float { Float(squaredChord).nextUp }

        mutating func visit() { cost += 1 }

        mutating func consider(_ square: Double, _ arc: Int) {
            cost += 1
            squaredChord = min(squaredChord, square)
        }
    }

    private static let counts = [1500, 6000, 24_000, 96_000]
    private static let center = Unit(90_000_000, 480_000_000)
    private static let reach = 15_000_000

    /// Returns the mean cost of questions about an outline of each number of edges.
    ///
    /// The outlines are of one size, and the places are within a share of its radius, from 1 at the boundary.
    private static func costs(
        _ shares: ClosedRange<Double>, of cost: (Shape, Coordinate) -> Int
    ) throws -> [Double] {
        try counts.map { count in
            var random = Seeded(9)
            let ring = random.star(around: center, reach: reach, count: count, floor: 0.999)
            let shape = try Shape.read(.polygons([[ring.map(\.raw)]])).shape
            let places = (0..<300).map { _ in
                let corner = ring.randomElement(using: &random) ?? ring[0]
                let share = Double.random(in: shares, using: &random)
                return Unit(
                    center.x + Int(Double(corner.x - center.x) * share),
                    center.y + Int(Double(corner.y - center.y) * share)
                ).place
            }
            return Double(places.reduce(0) { $0 + cost(shape, $1) }) / Double(places.count)
        }
    }

    private static func expectLogarithmic(_ costs: [Double], most: Double) {
        for (few, many) in zip(costs, costs.dropFirst()) { #expect(many <= few * 1.2 + most / 8, "\(costs)") }
        #expect(costs.allSatisfy { $0 <= most }, "\(costs)")
    }

    @Test func insideOrOutsideCostsLittleMoreInALargerOutline() throws {
        let costs = try Self.costs(0...1.5) { shape, place in
            var count = Count()
            _ = shape.winding.winding(of: MapPoint(place), &count)
            return count.nodes
        }
        Self.expectLogarithmic(costs, most: 100)
    }

    @Test func theNearestEdgeCostsLittleMoreInALargerOutline() throws {
        let costs = try Self.costs(0.97...1.03) { shape, place in
            var search = CountedSearch(squaredChord: 4.1)
            shape.tree.search(around: UnitVector(place), &search)
            return search.cost
        }
        Self.expectLogarithmic(costs, most: 100)
    }

    @Test func deepInsideALargeOutlineNoEdgeIsLookedAt() throws {
        // The boundary is some 130 km away, all around.
        let reach = Distance.kilometers(8)
        let chord = reach.meters / Sphere.radius.meters
        let costs = try Self.costs(0...0.2) { shape, place in
            var search = CountedSearch(squaredChord: chord * chord)
            shape.tree.search(around: UnitVector(place), &search)
            return search.cost
        }
        // The nodes at the top, whose boxes reach inwards.
        #expect(costs.allSatisfy { $0 <= 4 }, "\(costs)")
    }

    @Test func aStandingWithinAReachIsExactUpToThere() throws {
        var random = Seeded(31)
        for reach in [20_000, 3_000_000] {
            let ring = random.star(around: Self.center, reach: reach, count: 60)
            for shape in [
                try Shape.read(.polygons([[ring.map(\.raw)]])).shape,
                try Shape.read(.lines([ring.map(\.raw)]), radius: Double(reach) / 1000).shape,
            ] {
                var (near, far) = (0, 0)
                for _ in 0..<300 {
                    let place = Unit(
                        Self.center.x + .random(in: -2 * reach...2 * reach, using: &random),
                        Self.center.y + .random(in: -2 * reach...2 * reach, using: &random)
                    ).place
                    let here = UnitVector(place)
                    let limit = Distance.meters(Double(reach) / 500)
                    let exact = shape.standing(place, at: here)
                    let bounded = shape.standing(place, at: here, within: limit)
                    #expect(bounded.isInside == exact.isInside)
                    if exact.gap < limit.meters {
                        #expect(bounded == exact)
                        near += 1
                    } else {
                        #expect(bounded.gap >= limit.meters - 1e-6 && bounded.gap <= exact.gap + 1e-6)
                        far += 1
                    }
                }
                #expect(near > 20 && far > 20)
            }
        }
    }

    @Test func aCapIsHardlyLargerThanItsShape() throws {
        var random = Seeded(7)
        for reach in [3000, 100_000, 10_000_000] {
            let ring = random.star(around: Self.center, reach: reach, count: 100)
            let shape = try Shape.read(.polygons([[ring.map(\.raw)]])).shape
            let farthest = ring.map { UnitVector($0.place).distance(to: shape.cap.center).meters }.max() ?? 0
            let radius = Sphere.distance(squaredChord: shape.cap.squaredRadius).meters
            #expect(radius >= farthest)
            #expect(radius <= farthest * 1.01 + 1)
        }
    }
}
