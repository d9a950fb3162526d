import Geodesy
import Glibc
import SpatialIndex
import TestSupport
import Testing

/// Caps scattered over the sphere, some around the poles and the antimeridian, compared with brute force.
@Suite(.slow) struct RTreeTests {
    struct Cap {
        var center: UnitVector
        var radius: Distance

        func element(_ number: Int) -> RTree.Element {
            RTree.Element(
                center: center, squaredRadius: Sphere.squaredChord(distance: radius), number: Int32(number))
        }
    }

    static func caps(_ count: Int, seed: UInt64) -> [Cap] {
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
            // One cap in thirty may be larger than a town, up to the antipode.
            let greatest: Double = number % 30 == 0 ? 2.1e7 : 20_000
            let radius = Double.random(in: 0...greatest, using: &random)
            return Cap(center: place.map(UnitVector.init) ?? UnitVector(Self.origin), radius: .meters(radius))
        }
    }

    static let origin = Coordinate(latitude: 0, longitude: 0).known

    static func elements(_ caps: [Cap]) -> [RTree.Element] { caps.enumerated().map { $1.element($0) } }

    /// Returns two trees of the same elements: one packed at once, one grown by insertion.
    static func trees(_ elements: [RTree.Element]) -> [RTree] {
        var grown = RTree()
        for element in elements { grown.insert(element) }
        return [RTree(elements), grown]
    }

    @Test(arguments: [0, 1, 16, 17, 300, 3000], [0, 1, 1000, 1e6])
    func aSearchFindsEveryCapTouchingABoxAndNoneFarAway(count: Int, margin: Double) {
        let caps = Self.caps(count, seed: 7)
        let trees = Self.trees(Self.elements(caps))
        for tree in trees { #expect(tree.brokenInvariants() == []) }
        for query in Self.caps(40, seed: 8) {
            let box = Box(query.center).expanded(by: margin / Sphere.radius.meters)
            let touching = caps.indices.filter {
                caps[$0].center.distance(to: query.center).meters <= caps[$0].radius.meters + margin
            }
            // Straight lines are used, because a box's corners may be outside the sphere. They are less than twice as
            // far as its sides.
            let near = caps.indices.filter {
                let chord = caps[$0].center.squaredChord(to: query.center).squareRoot()
                let radius = Sphere.squaredChord(distance: caps[$0].radius).squareRoot()
                return chord <= radius + (2 * margin + 3) / Sphere.radius.meters
            }
            for tree in trees {
                var found: [Int] = []
                tree.forEach(intersecting: box) { found.append(Int($0)) }
                #expect(Set(found).count == found.count)
                #expect(Set(found).isSuperset(of: touching))
                #expect(Set(near).isSuperset(of: found))
            }
        }
    }

    @Test func aCapOfAnySizeIsFoundAtItsBoundary() throws {
        var random = SeededGenerator(seed: 17)
        let caps = Self.caps(400, seed: 16).enumerated().map { number, cap in
            Cap(center: cap.center, radius: .meters(exp(Double.random(in: 0...17.3, using: &random))))
        }
        let trees = Self.trees(Self.elements(caps))
        for (number, cap) in caps.enumerated() {
            for _ in 0..<10 {
                let aside = try #require(
                    UnitVector(
                        towardsX: .random(in: -1...1, using: &random), y: .random(in: -1...1, using: &random),
                        z: .random(in: -1...1, using: &random)))
                let place = try #require(cap.borderPoint(towards: aside))
                for tree in trees {
                    var isFound = false
                    tree.forEach(intersecting: Box(place)) { isFound = isFound || Int($0) == number }
                    #expect(isFound)
                }
            }
        }
    }

    @Test(arguments: [1, 10, 2000])
    func nearestEqualsBruteForce(count: Int) {
        let caps = Self.caps(count, seed: 21)
        for tree in Self.trees(Self.elements(caps)) {
            for query in Self.caps(100, seed: 22) {
                let truth = caps.indices.map { (caps[$0].center.squaredChord(to: query.center), $0) }
                    .sorted { $0 < $1 }.prefix(10).map(\.1)
                let found = tree.nearest(to: query.center, limit: 10) {
                    caps[Int($0)].center.squaredChord(to: query.center)
                }
                #expect(found.map { Int($0.number) } == truth)
            }
        }
    }

    /// The wanted elements may be fewer than the limit, or none, among others that are nearer.
    @Test(arguments: [1, 7, 250, 5000])
    func nearestAmongSomeEqualsBruteForce(oneOf: Int) {
        let caps = Self.caps(2000, seed: 23)
        for tree in Self.trees(Self.elements(caps)) {
            for query in Self.caps(50, seed: 24) {
                let truth = caps.indices.filter { $0 % oneOf == oneOf - 1 }
                    .map { (caps[$0].center.squaredChord(to: query.center), $0) }
                    .sorted { $0 < $1 }.prefix(10).map(\.1)
                let found = tree.nearest(to: query.center, limit: 10, among: { Int($0) % oneOf == oneOf - 1 }) {
                    caps[Int($0)].center.squaredChord(to: query.center)
                }
                #expect(found.map { Int($0.number) } == truth)
            }
        }
    }

    @Test func nearestDistinguishesPlacesBeyondSinglePrecision() {
        // The places are a centimetre apart, in shuffled order; single precision resolves half a metre.
        let places = (0..<300).map { step in
            UnitVector(Coordinate(latitudeE7: 523_000_000 + Int32(step * 7 % 300), longitudeE7: 48_000_000).known)
        }
        let elements = places.enumerated().map { RTree.Element(center: $1, squaredRadius: 0, number: Int32($0)) }
        for tree in Self.trees(elements) {
            for here in [places[0], places[13], places[299]] {
                let truth = places.indices.map { (places[$0].squaredChord(to: here), $0) }.sorted { $0 < $1 }
                for limit in [1, 10, 250] {
                    let found = tree.nearest(to: here, limit: limit) { places[Int($0)].squaredChord(to: here) }
                    #expect(found.map { Int($0.number) } == truth.prefix(limit).map(\.1))
                }
            }
        }
    }

    @Test(arguments: [0, 1, 7, 40, 100, 200])
    func neighborsAtEqualDistanceAreSortedAndCutByNumber(limit: Int) {
        // There are four places, each farther away, with 25 elements each, whose numbers alternate between the places.
        let here = UnitVector(Self.origin)
        let places = (0..<4).map { UnitVector(Coordinate(latitudeE7: 0, longitudeE7: $0 * 10_000).known) }
        let elements = (0..<100).map { number in
            RTree.Element(center: places[number % 4], squaredRadius: 1e-6, number: Int32(number))
        }
        let distance = { (number: Int32) in places[Int(number) % 4].squaredChord(to: here) }
        let truth = (0..<Int32(100)).sorted { (distance($0), $0) < (distance($1), $1) }.prefix(limit)
        for tree in Self.trees(elements.reversed()) {
            #expect(tree.brokenInvariants() == [])
            let found = tree.nearest(to: here, limit: limit, squaredChord: distance)
            #expect(found.map(\.number) == Array(truth))
            #expect(found.map(\.squaredChord) == truth.map(distance))
        }
    }

    @Test(arguments: [1, 16, 17, 255, 257, 4097, 5000])
    func manyElementsAtOnePlaceAreAllFound(count: Int) {
        let place = UnitVector(Self.origin)
        for tree in Self.trees((0..<count).map { RTree.Element(center: place, squaredRadius: 0, number: Int32($0)) }) {
            #expect(tree.brokenInvariants() == [])
            var found: [Int32] = []
            tree.forEach(intersecting: Box(place)) { found.append($0) }
            #expect(found.sorted() == Array(0..<Int32(count)))
        }
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func insertingAndRemovingInAnyOrderKeepsTheTreeValid(seed: UInt64) {
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

extension RTreeTests.Cap {
    /// Returns the boundary point in the direction of another place, slightly inside, or `nil` if there is no
    /// direction.
    fileprivate func borderPoint(towards other: UnitVector) -> UnitVector? {
        let along = center.dot(other)
        guard
            let across = UnitVector(
                towardsX: other.x - along * center.x, y: other.y - along * center.y, z: other.z - along * center.z)
        else { return nil }
        let angle = min(.pi, radius.meters / Sphere.radius.meters * (1 - 1e-12))
        let (sine, cosine) = (sin(angle), cos(angle))
        return UnitVector(
            towardsX: cosine * center.x + sine * across.x, y: cosine * center.y + sine * across.y,
            z: cosine * center.z + sine * across.z)
    }
}
