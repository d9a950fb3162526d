import Geodesy
import SpatialIndex
import TestSupport
import Testing

/// Caps scattered over the sphere, some of them around the poles and the antimeridian, held against brute force.
@Suite struct RTreeTests {
    static func caps(_ count: Int, seed: UInt64) -> [SphericalCap] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { number in
            let latitude: Double
            let longitude: Double
            switch number % 4 {
            case 0:
                (latitude, longitude) = (.random(in: -90...90, using: &random), .random(in: -180...180, using: &random))
            case 1:
                (latitude, longitude) = (
                    .random(in: 89.9...90, using: &random), .random(in: -180...180, using: &random)
                )
            case 2: (latitude, longitude) = (.random(in: -0.1...0.1, using: &random), number % 8 < 4 ? 179.99 : -179.99)
            default: (latitude, longitude) = (.random(in: 52...53, using: &random), .random(in: 4...5, using: &random))
            }
            let place = Coordinate(latitude: latitude, longitude: longitude)
            let radius = Double.random(in: 1...20_000, using: &random)
            return SphericalCap(
                center: place.map(UnitVector.init) ?? UnitVector(Self.origin), radius: .meters(radius))
        }
    }

    static let origin = Coordinate(latitude: 0, longitude: 0).known

    static func elements(_ caps: [SphericalCap]) -> [RTree.Element] {
        caps.enumerated().map { RTree.Element(box: $1.box, number: Int32($0)) }
    }

    @Test(arguments: [0, 1, 2, 16, 17, 300, 3000])
    func searchFindsEveryCapThatHoldsAPlace(count: Int) {
        let caps = Self.caps(count, seed: 7)
        let bulk = RTree(Self.elements(caps))
        var grown = RTree()
        for element in Self.elements(caps) { grown.insert(element) }
        #expect(bulk.brokenInvariants() == [])
        #expect(grown.brokenInvariants() == [])
        for cap in Self.caps(200, seed: 8) {
            let truth = caps.indices.filter {
                caps[$0].center.distance(to: cap.center) <= caps[$0].radius
            }
            for tree in [bulk, grown] {
                var found: Set<Int> = []
                tree.forEach(intersecting: Box(cap.center)) { found.insert(Int($0)) }
                #expect(found.isSuperset(of: truth))
                #expect(found == Set(caps.indices.filter { caps[$0].box.intersects(Box(cap.center)) }))
            }
        }
    }

    @Test(arguments: [1, 10, 2000])
    func nearestEqualsBruteForce(count: Int) {
        let caps = Self.caps(count, seed: 21)
        let tree = RTree(Self.elements(caps))
        for query in Self.caps(100, seed: 22) {
            let truth = caps.indices.map { (caps[$0].center.squaredChord(to: query.center), $0) }
                .sorted { $0 < $1 }.prefix(10).map(\.1)
            let found = tree.nearest(to: query.center, limit: 10) {
                caps[Int($0)].center.squaredChord(to: query.center)
            }
            #expect(found.map { Int($0.number) } == truth)
        }
    }

    @Test(arguments: [0, 1, 7, 40, 100, 200])
    func neighborsAtEqualDistanceComeByNumberAndAreCutByNumber(limit: Int) {
        // All boxes hold the place; of the elements in them 25 each are equally far, the numbers dealt out in turn.
        let here = UnitVector(Self.origin)
        let elements = (0..<100).map { RTree.Element(box: Box(here).expanded(by: Double($0 % 4) * 1e-3), number: $0) }
        var grown = RTree()
        for element in elements.reversed() { grown.insert(element) }
        let distance = { (number: Int32) in Double(number % 4) * 1e-3 }
        let truth = (0..<Int32(100)).sorted { (distance($0), $0) < (distance($1), $1) }.prefix(limit)
        for tree in [RTree(elements), grown] {
            #expect(tree.brokenInvariants() == [])
            let found = tree.nearest(to: here, limit: limit, squaredChord: distance)
            #expect(found.map(\.number) == Array(truth))
            #expect(found.map(\.squaredChord) == truth.map(distance))
        }
    }

    @Test(arguments: [1, 16, 17, 255, 257, 4097, 5000])
    func manyElementsAtOnePlaceAreAllFound(count: Int) {
        let box = Box(UnitVector(Self.origin))
        let tree = RTree((0..<Int32(count)).map { RTree.Element(box: box, number: $0) })
        #expect(tree.brokenInvariants() == [])
        var found: [Int32] = []
        tree.forEach(intersecting: box) { found.append($0) }
        #expect(found.sorted() == Array(0..<Int32(count)))
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func insertAndRemoveInAnyOrderKeepTheTreeSound(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let elements = Self.elements(Self.caps(1200, seed: seed))
        var tree = RTree(Array(elements[..<600]))
        var present = Set(0..<600)
        for step in 0..<3000 {
            let number = Int.random(in: 0..<elements.count, using: &random)
            if present.contains(number) {
                let removed = tree.remove(elements[number])
                #expect(removed)
                present.remove(number)
            } else {
                let removed = tree.remove(elements[number])
                #expect(!removed)
                tree.insert(elements[number])
                present.insert(number)
            }
            if step % 100 == 0 { #expect(tree.brokenInvariants() == []) }
        }
        var found: Set<Int> = []
        let everything = Box(minX: -1, minY: -1, minZ: -1, maxX: 1, maxY: 1, maxZ: 1)
        tree.forEach(intersecting: everything) { found.insert(Int($0)) }
        #expect(found == present)
        for number in present { tree.remove(elements[number]) }
        #expect(tree.count == 0)
        #expect(tree.brokenInvariants() == [])
    }
}
