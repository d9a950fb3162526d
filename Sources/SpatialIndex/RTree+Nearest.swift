public import Geodesy

extension RTree {
    /// An element found, and how far it is.
    public struct Neighbor: Hashable, Sendable {
        /// The element's number.
        public let number: Int32
        /// The square of the chord to it; see ``Sphere/distance(squaredChord:)``.
        public let squaredChord: Double
    }

    /// The elements closest to a place, nearest first.
    ///
    /// `squaredChord` tells an element's exact distance, which must not be less than that to its box. Elements at
    /// equal distance come in the order of their numbers; an empty index gives an empty array. The antimeridian and
    /// the poles need no care.
    ///
    /// - Returns: at most `limit` elements.
    /// - Complexity: O(*k* log *n*) for well-spread boxes, O(*n* log *k*) at worst.
    /// - SeeAlso: G. Hjaltason and H. Samet, *Distance browsing in spatial databases*, ACM TODS 24 (2), 1999,
    ///   doi:10.1145/320248.320255.
    public func nearest(
        to place: UnitVector, limit: Int, squaredChord: (Int32) -> Double
    ) -> [Neighbor] {
        guard limit > 0, count > 0 else { return [] }
        var closest = Closest(limit: min(limit, count))
        let place = Box(place)
        var queue = CandidateQueue()
        queue.insert(Candidate(bound: 0, node: root))
        while let next = queue.popNearest(), next.bound <= closest.reach {
            let at = Int(next.node)
            let bounds = nodes[at].squaredDistances(to: place)
            let hits = (bounds .<= closest.reach).bits
            if nodes[at].level == 0 {
                forEachBit(hits) { lane in
                    guard bounds[lane] <= closest.reach else { return }
                    let child = nodes[at].children[lane]
                    closest.add(Neighbor(number: child, squaredChord: squaredChord(child)))
                }
            } else {
                forEachBit(hits) { queue.insert(Candidate(bound: bounds[$0], node: nodes[at].children[$0])) }
            }
        }
        return closest.sorted
    }
}

/// A node that the search has yet to look at.
private struct Candidate: Comparable {
    private let key: UInt64

    /// The bound's bits stand first: those of numbers from 0 are ordered like the numbers.
    init(bound: Float, node: Int32) {
        key = UInt64(bound.bitPattern) << 32 | UInt64(UInt32(bitPattern: node))
    }

    /// The square of the shortest way to the node's box.
    var bound: Float { Float(bitPattern: UInt32(truncatingIfNeeded: key >> 32)) }
    var node: Int32 { Int32(truncatingIfNeeded: key) }

    static func < (lhs: Candidate, rhs: Candidate) -> Bool { lhs.key < rhs.key }
}

/// The candidates, as a heap whose first is the nearest.
private struct CandidateQueue {
    private var heap: [Candidate] = []

    init() { heap.reserveCapacity(64) }

    /// Adds a candidate.
    mutating func insert(_ candidate: Candidate) {
        var hole = heap.count
        heap.append(candidate)
        while hole > 0 {
            let parent = (hole - 1) / 2
            guard candidate < heap[parent] else { break }
            heap[hole] = heap[parent]
            hole = parent
        }
        heap[hole] = candidate
    }

    /// Takes the nearest out, if there is one.
    mutating func popNearest() -> Candidate? {
        guard let last = heap.popLast() else { return nil }
        guard let least = heap.first else { return last }
        var hole = 0
        while true {
            var child = 2 * hole + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
            guard heap[child] < last else { break }
            heap[hole] = heap[child]
            hole = child
        }
        heap[hole] = last
        return least
    }
}

extension Node {
    /// The squares of the straight lines from a point, given as its box, to the children's boxes; never more than
    /// they are, and infinite in free lanes.
    @inline(__always)
    func squaredDistances(to place: Box) -> SIMD16<Float> {
        let dx = (lowX - place.high.x).greater(place.low.x - highX).greater(.zero)
        let dy = (lowY - place.high.y).greater(place.low.y - highY).greater(.zero)
        let dz = (lowZ - place.high.z).greater(place.low.z - highZ).greater(.zero)
        // Every operation errs by at most 6e-8 of its result, seven of them by less than this.
        return (dx * dx + dy * dy + dz * dz) * (1 - 1e-6)
    }
}

/// The closest of the elements seen so far, as a heap whose first is the farthest once it is full.
private struct Closest {
    private let limit: Int
    private var heap: [RTree.Neighbor] = []
    /// The squared chord beyond which nothing is wanted any more, rounded up.
    private(set) var reach = Float.greatestFiniteMagnitude

    init(limit: Int) {
        self.limit = limit
        heap.reserveCapacity(limit)
    }

    /// What was found, nearest first.
    var sorted: [RTree.Neighbor] { heap.sorted { $0.isCloser(than: $1) } }

    /// Takes an element, if it is among the closest.
    mutating func add(_ neighbor: RTree.Neighbor) {
        if heap.count < limit {
            heap.append(neighbor)
            guard heap.count == limit else { return }
            heap.sort { $1.isCloser(than: $0) }
        } else {
            guard neighbor.isCloser(than: heap[0]) else { return }
            replaceFarthest(with: neighbor)
        }
        // Never infinite, as the bounds in free lanes are.
        reach = min(.greatestFiniteMagnitude, Float(heap[0].squaredChord).nextUp)
    }

    private mutating func replaceFarthest(with neighbor: RTree.Neighbor) {
        var hole = 0
        while true {
            var child = 2 * hole + 1
            guard child < limit else { break }
            if child + 1 < limit, heap[child].isCloser(than: heap[child + 1]) { child += 1 }
            guard neighbor.isCloser(than: heap[child]) else { break }
            heap[hole] = heap[child]
            hole = child
        }
        heap[hole] = neighbor
    }
}

extension RTree.Neighbor {
    /// Whether it comes before another: nearer, or as near and of a lower number.
    @inline(__always)
    fileprivate func isCloser(than other: Self) -> Bool {
        squaredChord != other.squaredChord ? squaredChord < other.squaredChord : number < other.number
    }
}
