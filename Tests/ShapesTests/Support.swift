import Geodesy
import Glibc
import Shapes

/// A small generator of random numbers (SplitMix64), so that the tests are the same everywhere.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// A position of the map in units of 1e-7 degrees, whose longitude may be beyond ±180°.
struct Unit: Hashable {
    var x: Int
    var y: Int

    init(_ x: Int, _ y: Int) { (self.x, self.y) = (x, y) }

    /// The longitude on the map from -180° to 180°, exclusive.
    var turnedX: Int { ((x + 1_800_000_000) % 3_600_000_000 + 3_600_000_000) % 3_600_000_000 - 1_800_000_000 }

    var raw: RawPosition { RawPosition(longitude: Double(turnedX) / 1e7, latitude: Double(y) / 1e7) }

    var place: Coordinate { Coordinate(latitudeE7: Int32(y), longitudeE7: Int32(turnedX)) ?? .origin }
}

/// Rings on the map, closed and unrolled, and the slow answers about them.
struct SlowRings {
    var rings: [[Unit]]

    var raw: [[RawPosition]] { rings.map { $0.map(\.raw) } }

    private func edges() -> [(a: Unit, b: Unit)] { rings.flatMap { Array(zip($0, $0.dropFirst())) } }

    /// Whether a point is on an edge, or inside an odd number of rings.
    func contains(_ point: Unit) -> Bool {
        var isInside = false
        for turn in -2...2 {
            let p = Unit(point.turnedX + turn * 3_600_000_000, point.y)
            for (a, b) in edges() {
                let side = Int128(b.x - a.x) * Int128(p.y - a.y) - Int128(b.y - a.y) * Int128(p.x - a.x)
                let isBeside = (min(a.x, b.x)...max(a.x, b.x)).contains(p.x)
                if side == 0, isBeside, (min(a.y, b.y)...max(a.y, b.y)).contains(p.y) { return true }
                // A ray to the south this time.
                if (a.x < p.x) != (b.x < p.x), (side > 0) == (b.x > a.x) { isInside.toggle() }
            }
        }
        return isInside
    }

    /// The least distance to an edge in metres, by sampling it.
    func gap(_ point: Unit) -> Double {
        let here = vector(Double(point.x), Double(point.y))
        var least = Double.infinity
        for (a, b) in edges() where !(abs(a.y) == 900_000_000 && a.y == b.y) {
            least = min(least, SlowRings.gap(here, a, b))
        }
        return least
    }

    /// The distance from a point to a straight line of the map, by sampling it ever more finely.
    static func gap(_ here: SIMD3<Double>, _ a: Unit, _ b: Unit) -> Double {
        func distance(_ share: Double) -> Double {
            metres(here, vector(Double(a.x) + Double(b.x - a.x) * share, Double(a.y) + Double(b.y - a.y) * share))
        }
        let count = 150
        let samples = (0...count).map { (distance(Double($0) / Double(count)), $0) }
        var least = samples[0].0
        // The line may come near the point several times, so all good samples are refined.
        for (_, index) in samples.sorted(by: { $0.0 < $1.0 }).prefix(3) {
            var (low, high) = (Double(max(0, index - 1)) / Double(count), Double(min(count, index + 1)) / Double(count))
            for _ in 0..<45 {
                let (left, right) = (low + (high - low) / 3, high - (high - low) / 3)
                if distance(left) < distance(right) { high = right } else { low = left }
            }
            least = min(least, distance((low + high) / 2))
        }
        return least
    }
}

func vector(_ x: Double, _ y: Double) -> SIMD3<Double> {
    let (longitude, latitude) = (x / 1e7 * .pi / 180, y / 1e7 * .pi / 180)
    return SIMD3(cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
}

func metres(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
    let d = a - b
    return 2 * asin(min(1, (d * d).sum().squareRoot() / 2)) * 6_371_008.8
}

extension Seeded {
    /// A star-shaped ring around a place, closed, counterclockwise; its edges may be long.
    mutating func star(around center: Unit, reach: Int, count: Int, floor: Double = 0.2) -> [Unit] {
        var ring: [Unit] = []
        for index in 0..<count {
            let angle = 2 * .pi * (Double(index) + .random(in: 0...0.6, using: &self)) / Double(count)
            let length = Double(reach) * .random(in: floor...1, using: &self)
            ring.append(Unit(center.x + Int(length * cos(angle)), center.y + Int(length * sin(angle))))
        }
        return ring + [ring[0]]
    }

    /// A place of the kinds that are difficult, for a ring of a reach: beside a pole, on the antimeridian, anywhere.
    mutating func anyCenter(reach: Int) -> Unit {
        let highest = 899_990_000 - reach
        let (x, y): (ClosedRange<Int>, ClosedRange<Int>)
        switch Int.random(in: 0..<4, using: &self) {
        case 0: (x, y) = (-1_800_000_000...1_799_999_999, highest - 1000...highest)
        case 1: (x, y) = (1_799_000_000...1_801_000_000, -700_000_000...700_000_000)
        case 2: (x, y) = (-1_800_000_000...1_799_999_999, -1_000_000...1_000_000)
        default: (x, y) = (-1_800_000_000...1_799_999_999, -highest...highest)
        }
        return Unit(.random(in: x, using: &self), .random(in: y, using: &self))
    }
}
