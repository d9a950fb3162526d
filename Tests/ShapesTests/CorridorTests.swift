import Geodesy
import Shapes
import Testing

/// Circles, corridors, legs, boxes and cursors against slow answers.
@Suite struct CorridorTests {
    private func line(_ random: inout Seeded, reach: Int, count: Int) -> [Unit] {
        let center = random.anyCenter(reach: reach)
        return (0..<count).map { _ in
            Unit(
                center.x + .random(in: -reach...reach, using: &random),
                center.y + .random(in: -reach...reach, using: &random))
        }
    }

    @Test(arguments: [2, 5, 60], [10_000, 2_000_000, 90_000_000])
    func aCorridorHoldsAllPlacesWithinItsRadius(count: Int, reach: Int) throws {
        var random = Seeded(UInt64(count * 7 + reach))
        for _ in 0..<(count > 10 ? 1 : 3) {
            let line = line(&random, reach: reach, count: count)
            let slow = SlowRings(rings: [line])
            let radius = Double(reach) / 100
            let shape = try Shape.read(.lines([line.map(\.raw)]), radius: radius).shape
            for _ in 0..<4 {
                let vertex = line.randomElement(using: &random) ?? line[0]
                let away = Int(radius * 200)
                let place = Unit(
                    vertex.x + .random(in: -away...away, using: &random),
                    max(-899_999_999, min(899_999_999, vertex.y + .random(in: -away...away, using: &random))))
                let distance = slow.gap(place)
                let standing = shape.standing(place.place)
                #expect(abs(standing.edge - (radius - distance)) <= 0.11 + distance * 1e-7)
                #expect(standing.distance == (standing.isInside ? .zero : .meters(-standing.edge)))
                #expect(shape.contains(place.place) == standing.isInside)
            }
        }
    }

    @Test func aCircleHoldsAllPlacesWithinItsRadius() throws {
        let center = Unit(1_799_999_000, 600_000_000).place
        let circle = try Shape(circleAround: center, radius: .meters(500))
        let place = Unit(-1_799_900_000, 600_000_000).place
        let distance = Sphere.distance(from: center, to: place).meters
        #expect(
            abs(circle.standing(place).edge - (500 - UnitVector(center).distance(to: UnitVector(place)).meters)) < 1e-6)
        #expect(circle.contains(place) == (distance <= 500))
        #expect(throws: ShapeError.self) { try Shape(circleAround: center, radius: .zero) }
    }

    /// A leg meets a shape where one of many points along it is inside.
    @Test(arguments: [4, 12, 90])
    func aLegMeetsTheShapeWhereSamplesSay(count: Int) throws {
        var random = Seeded(UInt64(count))
        var (met, missed) = (0, 0)
        for round in 0..<40 {
            let reach = 300_000
            let center = random.anyCenter(reach: reach)
            let ring = random.star(around: center, reach: reach, count: count, floor: 0.3)
            let isCorridor = round % 2 == 0
            let shape =
                isCorridor
                ? try Shape.read(.lines([Array(ring.prefix(3)).map(\.raw)]), radius: 100).shape
                : try Shape.read(.polygons([[ring.map(\.raw)]])).shape
            let ends = (0..<2).map { _ in
                Unit(
                    center.x + .random(in: -reach...reach, using: &random),
                    max(-899_999_999, min(899_999_999, center.y + .random(in: -reach...reach, using: &random))))
            }
            let (a, b) = (UnitVector(ends[0].place), UnitVector(ends[1].place))
            let samples: [(share: Double, edge: Double)] = (0...600).compactMap { index in
                let share = Double(index) / 600
                return UnitVector(
                    towardsX: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share, z: a.z + (b.z - a.z) * share
                ).map { (share, shape.standing(Coordinate($0), at: $0).edge) }
            }
            let deepest = samples.map(\.edge).max() ?? 0
            let meeting = shape.meeting(from: ends[0].place, to: ends[1].place)
            if deepest > 0.5 {
                met += 1
                let meeting = try #require(meeting)
                if isCorridor {
                    #expect(abs(100 - meeting.distance.meters - deepest) < 11)
                    #expect(abs(shape.standing(Coordinate(meeting.point)).edge - (100 - meeting.distance.meters)) < 0.2)
                } else {
                    // A sample may miss a corner, but none before the meeting is inside.
                    let first = samples.first { $0.edge > 0.2 }?.share ?? 2
                    #expect(meeting.fraction <= first + 1e-4)
                    #expect(shape.standing(Coordinate(meeting.point)).edge > -0.2)
                    #expect(meeting.distance == .zero)
                }
            } else if deepest < -0.5 - 100 {
                missed += 1
                #expect(meeting == nil)
            }
        }
        #expect(met > 5)
        #expect(missed > 0 || count > 12)
    }

    @Test func boxesAndCapsHoldEveryPlaceInside() throws {
        var random = Seeded(8)
        for reach in [1000, 3_000_000, 300_000_000] {
            for kind in 0..<6 {
                let center = random.anyCenter(reach: reach)
                let ring = random.star(around: center, reach: reach, count: 9, floor: 0.5)
                let shape: Shape
                switch kind {
                case 0: shape = try Shape(circleAround: center.place, radius: .meters(Double(reach) / 90))
                case 1: shape = try Shape.read(.lines([ring.map(\.raw)]), radius: Double(reach) / 300).shape
                case 2:
                    shape = try Shape.read(
                        .polygons([
                            [
                                [(-180, 60), (-180, 90), (180, 90), (180, 60), (60, 62), (-60, 61), (-180, 60)].map {
                                    RawPosition(longitude: $0.0, latitude: $0.1)
                                }
                            ]
                        ])
                    ).shape
                default: shape = try Shape.read(.polygons([[ring.map(\.raw)]])).shape
                }
                let (box, cap, extent) = (shape.box, shape.cap, shape.extent)
                var insideCount = 0
                for _ in 0..<400 {
                    let place = Unit(
                        center.x + .random(in: -2 * reach...2 * reach, using: &random),
                        max(
                            -900_000_000,
                            min(900_000_000, center.y + .random(in: -2 * reach...2 * reach, using: &random))))
                    let here = UnitVector(place.place)
                    guard shape.contains(place.place) else { continue }
                    insideCount += 1
                    let own = Box(here)
                    #expect(
                        box.union(own) == box
                            || box.low.x <= own.high.x && box.low.y <= own.high.y && box.low.z <= own.high.z
                                && box.high.x >= own.low.x && box.high.y >= own.low.y && box.high.z >= own.low.z
                    )
                    #expect(cap.center.squaredChord(to: here) <= cap.squaredRadius + 1e-12)
                    let (latitude, longitude) = (place.place.latitude, place.place.longitude)
                    if shape.kind != .circle || reach < 300_000_000 {
                        #expect(latitude >= extent.south - 1e-6 && latitude <= extent.north + 1e-6)
                        let isBetween =
                            extent.west <= extent.east
                            ? longitude >= extent.west - 1e-6 && longitude <= extent.east + 1e-6
                            : longitude >= extent.west - 1e-6 || longitude <= extent.east + 1e-6
                        #expect(isBetween || abs(latitude) == 90, "\(place) \(extent) \(shape.kind)")
                    }
                }
                #expect(insideCount > 0 || kind == 2)
            }
        }
    }

    @Test func theInnerWidthIsThatOfTheLargestCircleInside() throws {
        // A rectangle of 2 km by 500 m, and the same with a hole that leaves lanes of 200 m.
        let metre = 10_000_000 / (6_371_008.8 * Double.pi / 180)
        func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> [RawPosition] {
            [(x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y)].map {
                Unit(Int($0.0 * metre), Int($0.1 * metre)).raw
            }
        }
        let plain = try Shape.read(.polygons([[rectangle(0, 0, 2000, 500)]])).shape
        #expect((475...500.1).contains(plain.innerWidth.meters))
        let lanes = try Shape.read(.polygons([[rectangle(0, 0, 2000, 500), rectangle(200, 200, 1600, 100)]])).shape
        #expect((190...250).contains(lanes.innerWidth.meters))
        #expect(try Shape(circleAround: .origin, radius: .meters(30)).innerWidth == .meters(60))
    }

    @Test func aCursorAnswersAsTheShape() throws {
        var random = Seeded(21)
        for (count, reach) in [(4, 50_000), (500, 3_000_000), (3000, 80_000_000)] {
            let center = random.anyCenter(reach: reach)
            let ring = random.star(around: center, reach: reach, count: count, floor: 0.95)
            for shape in [
                try Shape.read(.polygons([[ring.map(\.raw)]])).shape,
                try Shape.read(.lines([ring.map(\.raw)]), radius: 50).shape,
            ] {
                var (cursor, lazyCursor) = (ShapeCursor(), ShapeCursor())
                var place = ring[0]
                for _ in 0..<400 {
                    let step = Bool.random(using: &random) ? 2000 : reach / 20
                    place = Unit(
                        place.x + .random(in: -step...step, using: &random),
                        max(-899_999_999, min(899_999_999, place.y + .random(in: -step...step, using: &random))))
                    let here = UnitVector(place.place)
                    let exact = shape.standing(place.place, at: here)
                    #expect(cursor.standing(place.place, at: here, in: shape) == exact)
                    let lazy = lazyCursor.standing(place.place, at: here, in: shape, exactWithin: .meters(300))
                    #expect(lazy.isInside == exact.isInside)
                    #expect(lazy.gap > 300 ? lazy.gap <= exact.gap : lazy == exact)
                }
            }
        }
    }

    /// Walks so that most steps are among the arcs that the cursor remembers, and many cross some of them.
    @Test func aCursorCountsThePolygonsThatItIsIn() throws {
        var random = Seeded(22)
        func star(_ x: Int, _ y: Int, reach: Int = 40_000) -> [RawPosition] {
            random.star(around: Unit(x, y), reach: reach, count: 60, floor: 0.4).map(\.raw)
        }
        // Three parts that overlap, over the antimeridian; a ring in a hole; and a pole.
        let parts = [
            [star(1_799_990_000, 480_000_000)], [star(1_800_010_000, 480_010_000)], [star(1_799_999_000, 480_020_000)],
        ]
        let square: [RawPosition] = [(-3, -3), (3, -3), (3, 3), (-3, 3), (-3, -3)].map {
            Unit($0.0 * 20_000, $0.1 * 20_000).raw
        }
        let ringInHole = [[square, star(0, 0).reversed()], [star(0, 0, reach: 12_000)]]
        let pole = [
            [
                (-180, 89.99), (-180, 90), (180, 90), (180, 89.99), (90, 89.995), (0, 89.99), (-90, 89.995),
                (-180, 89.99),
            ].map {
                RawPosition(longitude: $0.0, latitude: $0.1)
            }
        ]
        var outsideCount = 0
        for (polygons, start) in [
            (parts, Unit(1_800_000_000, 480_000_000)), (ringInHole, Unit(0, 0)), ([pole], Unit(0, 899_902_000)),
        ] {
            let shape = try Shape.read(.polygons(polygons)).shape
            var (insideCount, changeCount) = (0, 0)
            for _ in 0..<40 {
                var place = Unit(
                    start.x + .random(in: -50_000...50_000, using: &random),
                    start.y + .random(in: -50_000...50_000, using: &random))
                let first = shape.standing(place.place)
                var wasInside = first.isInside
                var cursor = ShapeCursor()
                if !first.isInside, first.gap > 0.5 {
                    cursor = ShapeCursor(outsideAt: UnitVector(place.place))
                    outsideCount += 1
                }
                for _ in 0..<100 {
                    let step = random.next() % 4 == 0 ? 20_000 : 3000
                    place = Unit(
                        place.x + .random(in: -step...step, using: &random),
                        min(899_999_999, place.y + .random(in: -step...step, using: &random)))
                    let here = UnitVector(place.place)
                    let exact = shape.standing(place.place, at: here)
                    #expect(cursor.standing(place.place, at: here, in: shape) == exact)
                    insideCount += exact.isInside ? 1 : 0
                    changeCount += exact.isInside != wasInside ? 1 : 0
                    wasInside = exact.isInside
                }
            }
            #expect((400...3600).contains(insideCount))
            #expect(changeCount > 100)
        }
        #expect(outsideCount > 20)
    }

    /// The great circle of a way goes round the earth, where the other part is.
    @Test func aCursorDoesNotCrossWhatIsOnTheOtherHalfOfTheEarth() throws {
        var random = Seeded(23)
        func triangle(_ x: Int, _ y: Int) -> [[RawPosition]] {
            [
                [(-30_000, -20_000), (30_000, -20_000), (0, 30_000), (-30_000, -20_000)].map {
                    Unit(x + $0.0, y + $0.1).raw
                }
            ]
        }
        let shape = try Shape.read(
            .polygons([triangle(-40_000_000, 400_000_000), triangle(1_760_000_000, -400_000_000)])
        ).shape
        var (cursor, changeCount, wasInside) = (ShapeCursor(), 0, false)
        for _ in 0..<2000 {
            let place = Unit(
                -40_000_000 + .random(in: -40_000...40_000, using: &random),
                400_000_000 + .random(in: -40_000...40_000, using: &random))
            let here = UnitVector(place.place)
            let exact = shape.standing(place.place, at: here)
            #expect(cursor.standing(place.place, at: here, in: shape) == exact)
            changeCount += exact.isInside != wasInside ? 1 : 0
            wasInside = exact.isInside
        }
        #expect(changeCount > 200)
    }

    @Test func theNearestPointAndTheArcsNearbyAreOnTheBoundary() throws {
        var random = Seeded(4)
        let center = Unit(40_000_000, 520_000_000)
        let shape = try Shape.read(
            .polygons([[random.star(around: center, reach: 500_000, count: 200, floor: 0.5).map(\.raw)]])
        ).shape
        for _ in 0..<20 {
            let place = Unit(
                center.x + .random(in: -600_000...600_000, using: &random),
                center.y + .random(in: -600_000...600_000, using: &random))
            let here = UnitVector(place.place)
            let gap = shape.standing(place.place, at: here).gap
            #expect(abs(shape.nearestPoint(to: here).distance(to: here).meters - gap) < 1e-5)
            var arcCount = 0
            shape.forEachArc(within: .meters(gap + 1), of: here) { _, _ in arcCount += 1 }
            #expect(arcCount > 0)
            #expect(arcCount < shape.arcCount)
        }
    }
}
