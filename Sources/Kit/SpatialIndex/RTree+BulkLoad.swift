import Geodesy

extension RTree {
    /// Creates an evenly packed index of all elements.
    ///
    /// - Complexity: O(*n* log *n*).
    public init(_ elements: [Element]) {
        self.init(count: elements.count) { elements[$0] }
    }

    /// Creates an evenly packed index of `count` elements.
    ///
    /// From the root down, each node's share is cut into slabs along its longest axis. Each slab is cut into the shares
    /// of the node's children along the slab's own longest axis.
    ///
    /// - Parameter element: returns an element by its position. It is called several times for each.
    /// - Complexity: O(*n* log *n*).
    public init(count: Int, element: (Int) -> Element) {
        self.init()
        guard count > 0 else { return }
        self.count = count
        leaves.removeAll()
        leaves.reserveCapacity(count / 14 + 8)
        nodes.reserveCapacity(count / (14 * 14) + 8)
        var held = Self.capacity
        while held < count {
            height += 1
            held *= Self.capacity
        }
        var division = Division(count: count) { element($0).cap }
        root = pack(0..<count, of: &division, into: height, holding: held, element).index
    }

    /// Creates the node of a level for a range of the division, which must fit into such a node.
    private mutating func pack(
        _ range: Range<Int>, of division: inout Division, into level: Int, holding held: Int,
        _ element: (Int) -> Element
    ) -> Node.Child {
        if level == 0 {
            var bounds = Bounds.nothing
            let leaf = Leaf(count: range.count) { lane in
                let element = element(division.element(range.lowerBound + lane))
                bounds = bounds.union(element.bounds)
                return element
            }
            leaves.append(leaf)
            return Node.Child(bounds: bounds, index: Int32(leaves.count - 1))
        }
        var bounds = Bounds.nothing
        var node = Node([])
        var taken = 0
        let childHolds = held / Self.capacity
        var parts = [(range: range, count: (range.count + childHolds - 1) / childHolds)]
        while let (range, count) = parts.popLast() {
            if count == 1 {
                let child = pack(range, of: &division, into: level - 1, holding: childHolds, element)
                node[taken] = child
                taken += 1
                bounds = bounds.union(child.bounds)
            } else {
                division.order(range)
                let slabs = max(2, Int(Double(count).squareRoot().rounded()))
                for slab in (0..<slabs).reversed() {
                    let (first, last) = (count * slab / slabs, count * (slab + 1) / slabs)
                    let start = range.lowerBound + range.count * first / count
                    let end = range.lowerBound + range.count * last / count
                    parts.append((start..<end, last - first))
                }
            }
        }
        nodes.append(node)
        return Node.Child(bounds: bounds, index: Int32(nodes.count - 1))
    }
}

/// The centres of the elements, of which one range after another is sorted along an axis.
private struct Division {
    /// The centres.
    ///
    /// The fourth lane contains the bits of the element's index.
    private var places: [SIMD4<Float>]
    private var sorted: [SIMD4<Float>]
    private var ends: [Int32] = []
    /// The greatest number of slices to sort a range into.
    ///
    /// A table of that length stays in the first-level cache.
    private static let slices = 1024
    /// The bits of 1.
    ///
    /// Smaller bit patterns are subnormal numbers, with which arithmetic is slow.
    private static let firstIndex = Float(1).bitPattern

    init(count: Int, middle: (Int) -> SIMD4<Float>) {
        places = (0..<count).map { index in
            var place = middle(index)
            place.w = Float(bitPattern: Self.firstIndex &+ UInt32(index))
            return place
        }
        sorted = places
        ends.reserveCapacity(Self.slices)
    }

    /// Returns the index of the element at a position of the order.
    func element(_ index: Int) -> Int { Int(places[index].w.bitPattern &- Self.firstIndex) }

    /// Sorts a range along its longest axis.
    ///
    /// The order within a thin slice is undefined.
    mutating func order(_ range: Range<Int>) {
        var (least, greatest) = (places[range.lowerBound], places[range.lowerBound])
        for index in range {
            let place = places[index]
            least = least.replacing(with: place, where: place .< least)
            greatest = greatest.replacing(with: place, where: place .> greatest)
        }
        let (low, sides) = (least, greatest - least)
        let slices = min(range.count * 2, Self.slices)
        let longest = max(sides.x, sides.y, sides.z)
        let last = Float(slices - 1)
        let scale = last / longest
        guard longest > 0, scale.isFinite else { return }
        let axis = sides.x == longest ? 0 : sides.y == longest ? 1 : 2
        var weights = SIMD4<Float>.zero
        weights[axis] = scale
        ends.removeAll(keepingCapacity: true)
        ends.append(contentsOf: repeatElement(0, count: slices))
        Self.sort(range, &places, &sorted, &ends) { place in
            let slice = (place - low) * weights
            return Int(max(0, min(last, slice.x + slice.y + slice.z)))
        }
    }

    /// Sorts a range by slice, after counting the members of each slice.
    @inline(__always)
    private static func sort(
        _ range: Range<Int>, _ places: inout [SIMD4<Float>], _ sorted: inout [SIMD4<Float>], _ ends: inout [Int32],
        by slice: (SIMD4<Float>) -> Int
    ) {
        var from = places.mutableSpan
        var to = sorted.mutableSpan
        var ends = ends.mutableSpan
        for index in range { ends[slice(from[index])] += 1 }
        var end = Int32(range.lowerBound)
        for slice in ends.indices {
            end += ends[slice]
            ends[slice] = end
        }
        for index in range {
            let place = from[index]
            let slice = slice(place)
            ends[slice] -= 1
            to[Int(ends[slice])] = place
        }
        for index in range { from[index] = to[index] }
    }
}
