import Geodesy
import Shapes
import Testing

/// Polygons against slow and exact answers.
@Suite struct PolygonTests {
    /// Random polygons with a hole, and places of every difficult kind near them.
    static func check(seed: UInt64, reach: Int, count: Int, placeCount: Int, isDistanceChecked: Bool) throws {
        var random = Seeded(seed)
        let center = random.anyCenter(reach: reach)
        let outer = random.star(around: center, reach: reach, count: count, floor: 0.4)
        // A triangle may not reach round its middle.
        let hole =
            count < 5 ? [] : [random.star(around: center, reach: reach / 50, count: max(5, count / 2), floor: 0.5)]
        let slow = SlowRings(rings: [outer] + hole)
        let shape = try Shape.read(.polygons([slow.raw])).shape
        var places: [Unit] = []
        for _ in 0..<placeCount {
            let vertex = slow.rings.randomElement(using: &random)?.randomElement(using: &random) ?? center
            let other = outer.randomElement(using: &random) ?? center
            let far = Unit(
                center.x + .random(in: -2 * reach...2 * reach, using: &random),
                max(-900_000_000, min(900_000_000, center.y + .random(in: -2 * reach...2 * reach, using: &random))))
            places += [
                vertex, far, Unit(vertex.x, far.y), Unit(far.x, vertex.y), Unit(vertex.x, other.y),
                Unit(vertex.x + 1, vertex.y), Unit(vertex.x, max(-900_000_000, vertex.y - 1)),
            ]
        }
        for place in places {
            let standing = shape.standing(place.place)
            let isPole = abs(place.y) == 900_000_000
            if !isPole { #expect(standing.isInside == slow.contains(place), "\(place)") }
            #expect(shape.contains(place.place) == standing.isInside)
            if isDistanceChecked {
                let gap = slow.gap(place)
                #expect(abs(standing.gap - gap) <= 0.11 + gap * 1e-7, "\(place): \(standing.gap) for \(gap)")
                #expect(standing.edge == (standing.isInside ? standing.gap : -standing.gap))
            }
        }
    }

    @Test(arguments: [3, 8, 40, 300], [20_000, 3_000_000, 80_000_000])
    func insideAndDistanceEqualTheSlowAnswers(count: Int, reach: Int) throws {
        for seed in 1...UInt64(count > 30 ? 1 : 4) {
            try Self.check(
                seed: seed &* 977 &+ UInt64(count), reach: reach, count: count, placeCount: count > 30 ? 2 : 4,
                isDistanceChecked: true)
        }
    }

    @Test(arguments: [3, 5, 9, 17, 100, 1000], [50_000, 2_000_000, 100_000_000])
    func insideEqualsTheExactWindingNumber(count: Int, reach: Int) throws {
        for seed in 1...UInt64(count > 50 ? 1 : 8) {
            try Self.check(
                seed: seed &* 31 &+ UInt64(reach), reach: reach, count: count, placeCount: count > 50 ? 5 : 10,
                isDistanceChecked: false)
        }
    }

    @Test func everyEdgeAndVertexIsInside() throws {
        let ring = [Unit(0, 0), Unit(400, 0), Unit(400, 300), Unit(200, 100), Unit(0, 300), Unit(0, 0)]
        let slow = SlowRings(rings: [ring])
        let shape = try Shape.read(.polygons([slow.raw])).shape
        for x in -3...403 {
            for y in -3...303 where x % 50 < 4 || y % 50 < 4 {
                #expect(shape.contains(Unit(x, y).place) == slow.contains(Unit(x, y)), "\(x), \(y)")
            }
        }
    }

    @Test func aPolygonLiesOverTheAntimeridianHoweverItIsWritten() throws {
        for longitudes in [[179.0, -179, -179, 179, 179], [179, 181, 181, 179, 179], [-181, -179, -179, -181, -181]] {
            let ring = zip(longitudes, [10.0, 10, 12, 12, 10]).map { RawPosition(longitude: $0, latitude: $1) }
            let shape = try Shape.read(.polygons([[ring]])).shape
            for (longitude, isInside) in [
                (180.0, true), (-180, true), (179.5, true), (-179.5, true), (178, false), (0, false),
            ] {
                let place = try #require(Coordinate(latitude: 11, longitude: longitude))
                #expect(shape.contains(place) == isInside)
            }
            #expect(shape.extent == ShapeExtent(south: 10, west: 179, north: 12, east: -179))
        }
    }

    /// The borders of a cap around the south pole, written in the ways that are common.
    @Test(arguments: [
        // As a map shows it: along the antimeridian to the pole, and along the pole.
        [(-180, -60), (-180, -90), (180, -90), (180, -60), (60, -62), (-60, -61), (-180, -60)],
        // The edge along the pole cut into steps.
        [(-180, -60), (-180, -90), (-60, -90), (60, -90), (180, -90), (180, -60), (60, -62), (-60, -61), (-180, -60)],
        // Begun at the pole.
        [(180, -90), (180, -60), (60, -62), (-60, -61), (-180, -60), (-180, -90), (180, -90)],
        // The meridian elsewhere.
        [(-60, -61), (-60, -90), (60, -90), (180, -90), (300, -90), (300, -61), (180, -60), (60, -62), (-60, -61)],
        // Only one visit to the pole.
        [(-180, -60), (-180, -90), (180, -60), (60, -62), (-60, -61), (-180, -60)],
    ])
    func aCapAroundThePoleHoldsIt(corners: [(Double, Double)]) throws {
        for isReversed in [false, true] {
            let ring = corners.map { RawPosition(longitude: $0.0, latitude: $0.1) }
            let shape = try Shape.read(.polygons([[isReversed ? ring.reversed() : ring]])).shape
            for longitude in stride(from: -180.0, through: 180, by: 7.5) {
                for (latitude, isInside) in [
                    (-90.0, true), (-89.9, true), (-70, true), (-59, false), (0, false), (90, false),
                ] {
                    let place = try #require(Coordinate(latitude: latitude, longitude: longitude))
                    #expect(shape.contains(place) == isInside, "\(latitude), \(longitude)")
                }
            }
            // The way to the pole is no boundary: the nearest edge is 28 degrees away.
            let pole = try #require(Coordinate(latitude: -90, longitude: 0))
            if corners.count > 6 || corners[2].0 != 180 || corners[2].1 == -90 {
                #expect(abs(shape.standing(pole).gap - 28 * .pi / 180 * 6_371_008.8) < 1)
            }
        }
    }

    @Test func aSectorTouchesThePole() throws {
        let ring = [(10.0, 90.0), (10, 80), (40, 80), (40, 90), (10, 90)].map {
            RawPosition(longitude: $0.0, latitude: $0.1)
        }
        let shape = try Shape.read(.polygons([[ring]])).shape
        for (longitude, latitude, isInside) in [
            (25.0, 85.0, true), (25, 90, true), (0, 90, true), (45, 85, false), (25, 79, false), (10, 85, true),
        ] {
            let place = try #require(Coordinate(latitude: latitude, longitude: longitude))
            #expect(shape.contains(place) == isInside)
        }
        let beyond = try #require(Coordinate(latitude: 89, longitude: -155))
        #expect(abs(shape.standing(beyond).gap - .pi / 180 * 6_371_008.8) < 0.2)
    }

    @Test func theWholeEarthMayHaveAHole() throws {
        let map = [(-180.0, -90.0), (180, -90), (180, 90), (-180, 90), (-180, -90)]
        let hole = [(170.0, 10.0), (-170, 10), (-170, 20), (170, 20), (170, 10)]
        let rings = [map, hole].map { $0.map { RawPosition(longitude: $0.0, latitude: $0.1) } }
        let shape = try Shape.read(.polygons([rings])).shape
        for (longitude, latitude, isInside) in [
            (0.0, 0.0, true), (180, 15, false), (0, 90, true), (7, -90, true), (180, 5, true),
        ] {
            #expect(shape.contains(try #require(Coordinate(latitude: latitude, longitude: longitude))) == isInside)
        }
        #expect(shape.cap.squaredRadius == 4)
        #expect(shape.extent == ShapeExtent(south: -90, west: -180, north: 90, east: 180))
        let earth = try Shape.read(.polygons([[rings[0]]])).shape
        #expect(earth.contains(.origin))
        #expect(earth.standing(.origin).distance == .zero)
        #expect(earth.meeting(from: .origin, to: .origin)?.fraction == 0)
    }

    @Test func partsAreUnitedAndCommonBordersVanish() throws {
        func square(_ x: Int, _ y: Int, _ size: Int) -> [RawPosition] {
            [Unit(x, y), Unit(x + size, y), Unit(x + size, y + size), Unit(x, y + size), Unit(x, y)].map(\.raw)
        }
        // Beside each other, with a border that one of them cuts.
        var right = square(1_000_000, 0, 1_000_000)
        right.insert(Unit(1_000_000, 500_000).raw, at: 4)
        let beside = try Shape.read(.polygons([[square(0, 0, 1_000_000)], [right]])).shape
        let border = Unit(1_000_000, 400_000).place
        #expect(beside.contains(border))
        #expect(beside.standing(border).gap > 4000)
        // Overlapping, and an island in a hole.
        let over = try Shape.read(.polygons([[square(0, 0, 100)], [square(50, 50, 100)]])).shape
        for (x, isInside) in [(75, true), (120, true), (151, false), (-1, false)] {
            #expect(over.contains(Unit(x, 75).place) == (isInside && !(x == -1)))
        }
        let island = try Shape.read(.polygons([[square(0, 0, 100), square(10, 10, 80)], [square(40, 40, 20)]])).shape
        for (x, isInside) in [(5, true), (10, true), (20, false), (40, true), (50, true), (61, false), (95, true)] {
            #expect(island.contains(Unit(x, 50).place) == isInside)
        }
    }

    @Test func aHundredThousandVerticesAreExact() throws {
        var random = Seeded(5)
        let ring = random.star(
            around: Unit(1_790_000_000, 480_000_000), reach: 50_000_000, count: 99_999, floor: 0.9995)
        let slow = SlowRings(rings: [ring])
        let shape = try Shape.read(.polygons([slow.raw])).shape
        for _ in 0..<3 {
            let vertex = ring.randomElement(using: &random) ?? ring[0]
            let place = Unit(
                vertex.x + .random(in: -1000...1000, using: &random),
                vertex.y + .random(in: -1000...1000, using: &random))
            #expect(shape.contains(place.place) == slow.contains(place))
        }
    }
}
