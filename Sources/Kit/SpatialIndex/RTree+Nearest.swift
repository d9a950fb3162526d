public import Geodesy

extension RTree {
    /// An element that was found, with its distance.
    public struct Neighbor: Hashable, Sendable {
        /// The element's number.
        public let number: Int32
        /// The squared chord to the element's centre; see ``Sphere/distance(squaredChord:)``.
        public let squaredChord: Double
    }

    /// Returns the elements whose centres are closest to a place, nearest first.
    ///
    /// Elements at equal distances come in the order of their numbers. An empty index returns an empty array. The
    /// antimeridian and the poles are not special.
    ///
    /// - Parameters:
    ///   - isAsked: returns whether an element counts; `nil` to include all.
    ///   - squaredChord: returns the exact squared chord to an element's centre.
    /// - Returns: at most `limit` elements.
    /// - Complexity: O(*k* log *n*) for well-spread caps, O(*n* log *k*) at worst, *k* being the limit.
    /// - SeeAlso: N. Roussopoulos, S. Kelley and F. Vincent, *Nearest neighbor queries*, SIGMOD 1995,
    ///   doi:10.1145/223784.223794.
    public func nearest(
        to place: UnitVector, limit: Int, among isAsked: ((Int32) -> Bool)? = nil, squaredChord: (Int32) -> Double
    ) -> [Neighbor] {
        guard limit > 0, count > 0 else { return [] }
        var closest = Closest(limit: min(limit, count))
        visit(root, level: height, closestTo: Box(place), among: isAsked, &closest)
        return closest.exactly(squaredChord)
    }

    private func visit(
        _ index: Int32, level: Int, closestTo place: Box, among isAsked: ((Int32) -> Bool)?, _ closest: inout Closest
    ) {
        let at = Int(index)
        if level == 0 {
            let bounds = leaves[at].squaredDistances(to: place)
            forEachBit((bounds .<= closest.reach).bits) { lane in
                let number = leaves[at].numbers[lane]
                if isAsked?(number) ?? true { closest.add(number, bound: bounds[lane]) }
            }
            closest.narrow()
        } else {
            // The nearest child comes first, because the others are often too far after it.
            var bounds = nodes[at].middles.squaredDistances(to: place)
            var least = bounds.least
            while least <= closest.reach {
                let isLeast = bounds .== least
                let lane = isLeast.bits.trailingZeroBitCount
                visit(nodes[at].children[lane], level: level - 1, closestTo: place, among: isAsked, &closest)
                bounds[lane] = .infinity
                least = bounds.least
            }
        }
    }
}

/// The candidates for the closest elements, with lower bounds of their distances in single precision.
private struct Closest {
    private let limit: Int
    /// The elements that were within reach when they were visited, with bounds in place of distances.
    private var found: [RTree.Neighbor] = []
    /// The least bounds so far.
    ///
    /// Once full, this is a heap with the greatest first.
    private var least: [Float] = []
    /// The bound beyond which no element is needed.
    ///
    /// It is finite, because the bounds of free lanes are infinite.
    private(set) var reach = Float.greatestFiniteMagnitude

    init(limit: Int) {
        self.limit = limit
        found.reserveCapacity(limit + 2 * RTree.capacity)
        least.reserveCapacity(limit)
    }

    /// Adds an element that is within reach.
    @inline(__always)
    mutating func add(_ number: Int32, bound: Float) {
        found.append(RTree.Neighbor(number: number, squaredChord: Double(bound)))
        if least.count < limit {
            least.append(bound)
            if least.count == limit { least.sort(by: >) }
        } else if bound < least[0] {
            replaceGreatest(with: bound)
        }
    }

    private mutating func replaceGreatest(with bound: Float) {
        var heap = least.mutableSpan
        var hole = 0
        while true {
            var child = 2 * hole + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child] < heap[child + 1] { child += 1 }
            guard bound < heap[child] else { break }
            heap[hole] = heap[child]
            hole = child
        }
        heap[hole] = bound
    }

    /// Reduces the reach to the distance within which an element may still be closer than one of those found.
    ///
    /// The root of a bound is at most a millionth too small. The distance it bounds is off by the rounding of a centre,
    /// 5.2e-8, and of a place to a box, 1.04e-7. The other element's distance is off by the rounding of its centre,
    /// too.
    @inline(__always)
    mutating func narrow() {
        guard least.count == limit else { return }
        let length = least[0].squareRoot() * 1.000002 + 2.1e-7
        reach = length * length * 1.000001
    }

    /// Returns the closest elements by their exact distances, nearest first.
    consuming func exactly(_ squaredChord: (Int32) -> Double) -> [RTree.Neighbor] {
        var count = 0
        for index in found.indices where found[index].squaredChord <= Double(reach) {
            let number = found[index].number
            found[count] = RTree.Neighbor(number: number, squaredChord: squaredChord(number))
            count += 1
        }
        found.removeLast(found.count - count)
        found.sort {
            $0.squaredChord != $1.squaredChord ? $0.squaredChord < $1.squaredChord : $0.number < $1.number
        }
        found.removeLast(max(0, count - limit))
        return found
    }
}
