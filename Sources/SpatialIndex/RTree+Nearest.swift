public import Geodesy

extension RTree {
    /// An element found, and how far it is.
    public struct Neighbor: Hashable, Sendable {
        /// The element's number.
        public let number: Int32
        /// The square of the chord to it; see ``Sphere/distance(squaredChord:)``.
        public let squaredChord: Double
    }

    /// The elements whose middles are closest to a place, nearest first.
    ///
    /// `squaredChord` tells the exact one to an element's middle. Elements at equal distance come in the order of
    /// their numbers; an empty index gives an empty array. The antimeridian and the poles need no care.
    ///
    /// - Returns: at most `limit` elements.
    /// - Complexity: O(*k* log *n*) for well-spread caps, O(*n* log *k*) at worst.
    /// - SeeAlso: N. Roussopoulos, S. Kelley and F. Vincent, *Nearest neighbor queries*, SIGMOD 1995,
    ///   doi:10.1145/223784.223794.
    public func nearest(
        to place: UnitVector, limit: Int, squaredChord: (Int32) -> Double
    ) -> [Neighbor] {
        guard limit > 0, count > 0 else { return [] }
        var closest = Closest(limit: min(limit, count))
        visit(root, level: height, closestTo: Box(place), &closest)
        return closest.exactly(squaredChord)
    }

    private func visit(_ index: Int32, level: Int, closestTo place: Box, _ closest: inout Closest) {
        let at = Int(index)
        if level == 0 {
            let bounds = leaves[at].squaredDistances(to: place)
            forEachBit((bounds .<= closest.reach).bits) { lane in
                closest.add(leaves[at].numbers[lane], bound: bounds[lane])
            }
        } else {
            // The nearest child first: after it the others are often too far.
            var bounds = nodes[at].middles.squaredDistances(to: place)
            while true {
                let least = bounds.least
                guard least <= closest.reach else { return }
                let isLeast = bounds .== least
                forEachBit(isLeast.bits) { lane in
                    visit(nodes[at].children[lane], level: level - 1, closestTo: place, &closest)
                }
                bounds.replace(with: .infinity, where: isLeast)
            }
        }
    }
}

/// The elements that may be among the closest, by what of their distance is certain in single precision.
private struct Closest {
    private let limit: Int
    /// Those within reach when they were met, with bounds in place of distances.
    private var found: [RTree.Neighbor] = []
    /// The least bounds of all, as a heap whose first is the greatest once it is full.
    private var least: ContiguousArray<Float> = []
    /// The bound beyond which nothing is wanted any more; never infinite, as those of free lanes are.
    private(set) var reach = Float.greatestFiniteMagnitude

    init(limit: Int) {
        self.limit = limit
        found.reserveCapacity(4 * limit)
        least.reserveCapacity(limit)
    }

    /// Takes an element, if it may be among the closest.
    @inline(__always)
    mutating func add(_ number: Int32, bound: Float) {
        guard bound <= reach else { return }
        found.append(RTree.Neighbor(number: number, squaredChord: Double(bound)))
        if least.count < limit {
            least.append(bound)
            guard least.count == limit else { return }
            least.sort(by: >)
        } else {
            guard bound < least[0] else { return }
            replaceGreatest(with: bound)
        }
        reach = Self.reach(of: least[0])
    }

    /// The bound up to which an element may be closer than one of another bound.
    ///
    /// A bound's root is at most a millionth too small, and what it bounds is off by the rounding of a middle, 5.2e-8,
    /// and of a place to a box, 1.04e-7. So is the other's, by that of its middle.
    private static func reach(of bound: Float) -> Float {
        let length = bound.squareRoot() * 1.000002 + 2.1e-7
        return length * length * 1.000001
    }

    private mutating func replaceGreatest(with bound: Float) {
        var hole = 0
        while true {
            var child = 2 * hole + 1
            guard child < limit else { break }
            if child + 1 < limit, least[child] < least[child + 1] { child += 1 }
            guard bound < least[child] else { break }
            least[hole] = least[child]
            hole = child
        }
        least[hole] = bound
    }

    /// The closest, nearest first.
    func exactly(_ squaredChord: (Int32) -> Double) -> [RTree.Neighbor] {
        var exact = found
        var count = 0
        for neighbor in found where Float(neighbor.squaredChord) <= reach {
            exact[count] = RTree.Neighbor(number: neighbor.number, squaredChord: squaredChord(neighbor.number))
            count += 1
        }
        exact.removeLast(exact.count - count)
        exact.sort {
            $0.squaredChord != $1.squaredChord ? $0.squaredChord < $1.squaredChord : $0.number < $1.number
        }
        exact.removeLast(count - limit)
        return exact
    }
}
