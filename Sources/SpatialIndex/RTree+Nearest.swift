public import Geodesy
import HeapModule

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
    /// - Complexity: O(*k* log *n*) for well-spread boxes, O(*n* log *n*) at worst.
    /// - SeeAlso: G. Hjaltason and H. Samet, *Distance browsing in spatial databases*, ACM TODS 24 (2), 1999,
    ///   doi:10.1145/320248.320255.
    public func nearest(
        to place: UnitVector, limit: Int, squaredChord: (Int32) -> Double
    ) -> [Neighbor] {
        var found: [Neighbor] = []
        var queue = Heap<Candidate>()
        if count > 0 { queue.insert(Candidate(squaredChord: 0, isElement: false, number: root)) }
        while found.count < limit, let next = queue.popMin() {
            if next.isElement {
                found.append(Neighbor(number: next.number, squaredChord: next.squaredChord))
                continue
            }
            let node = nodes[Int(next.number)]
            for lane in 0..<node.count {
                let child = node.children[lane]
                let isElement = node.level == 0
                queue.insert(
                    Candidate(
                        squaredChord: isElement
                            ? squaredChord(child) : node.box(lane).squaredDistance(to: place),
                        isElement: isElement, number: child))
            }
        }
        return found
    }
}

/// What the search has yet to look at; at equal distance nodes come first, so that all their elements are compared.
private struct Candidate: Comparable {
    let squaredChord: Double
    let isElement: Bool
    let number: Int32

    static func < (lhs: Candidate, rhs: Candidate) -> Bool {
        if lhs.squaredChord != rhs.squaredChord { return lhs.squaredChord < rhs.squaredChord }
        if lhs.isElement != rhs.isElement { return !lhs.isElement }
        return lhs.number < rhs.number
    }
}
