import Geodesy

extension RTree {
    /// An index of all elements at once, evenly packed.
    ///
    /// From the root down, each node's share is cut into slabs along its longest axis, and each slab into its
    /// children's shares along its own.
    ///
    /// - Complexity: O(*n* log *n*).
    public init(_ elements: [Element]) {
        self.init()
        guard !elements.isEmpty else { return }
        count = elements.count
        nodes.removeAll()
        nodes.reserveCapacity(elements.count / 14 + 8)
        var (level, held) = (0, Self.capacity)
        while held < elements.count {
            level += 1
            held *= Self.capacity
        }
        var division = Division(elements)
        root = pack(elements.indices, of: &division, into: level, holding: held, elements).number
    }

    /// Makes the node of a level for a range of the division, which is no longer than such a node can hold.
    private mutating func pack(
        _ range: Range<Int>, of division: inout Division, into level: Int, holding held: Int, _ elements: [Element]
    ) -> Element {
        var node = Node(level: level)
        var box = Box(low: SIMD4(repeating: .infinity), high: SIMD4(repeating: -.infinity))
        func add(_ entry: Element) {
            node.append(entry)
            box = box.union(entry.box)
        }
        if level == 0 {
            for index in range { add(elements[division.element(index)]) }
        } else {
            let childHolds = held / Self.capacity
            var parts = [(range: range, count: (range.count + childHolds - 1) / childHolds)]
            while let (range, count) = parts.popLast() {
                if count == 1 {
                    add(pack(range, of: &division, into: level - 1, holding: childHolds, elements))
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
        }
        nodes.append(node)
        return Element(box: box, number: Int32(nodes.count - 1))
    }
}

/// The elements' middles, range after range put in order along an axis.
private struct Division {
    /// The middles, doubled; the fourth lane holds the bits of the element's index.
    private var places: [SIMD4<Float>]
    private var sorted: [SIMD4<Float>]
    private var ends: [Int32] = []
    /// The most slices a range is sorted into: a table of them stays in the first cache.
    private static let slices = 1024
    /// The bits of 1: lower ones are numbers so small that arithmetic with them is slow.
    private static let firstIndex = Float(1).bitPattern

    init(_ elements: [RTree.Element]) {
        places = elements.indices.map { index in
            var middle = elements[index].box.low + elements[index].box.high
            middle.w = Float(bitPattern: Self.firstIndex &+ UInt32(index))
            return middle
        }
        sorted = places
        ends.reserveCapacity(Self.slices)
    }

    /// The index of the element that stands at a place of the order.
    func element(_ index: Int) -> Int { Int(places[index].w.bitPattern &- Self.firstIndex) }

    /// Orders a range along its longest axis, but for what shares a thin slice.
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

    /// Sorts a range by slice, after counting how many each has.
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
