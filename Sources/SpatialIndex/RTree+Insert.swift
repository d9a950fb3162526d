import Geodesy

extension RTree {
    /// Adds an element.
    ///
    /// - Complexity: O(log *n*).
    public mutating func insert(_ element: Element) {
        count += 1
        insert(element, atLevel: 0)
    }

    /// Adds an entry to a node of a level, and a new root where the old one splits.
    mutating func insert(_ entry: Element, atLevel level: Int) {
        guard let sibling = insert(entry, atLevel: level, under: root) else { return }
        var top = Node(level: nodes[Int(root)].level + 1)
        top.append(Element(box: nodes[Int(root)].box, number: root))
        top.append(sibling)
        root = allocate(top)
    }

    /// Adds an entry below a node; gives the node that was split off, if one was.
    private mutating func insert(_ entry: Element, atLevel level: Int, under index: Int32) -> Element? {
        let at = Int(index)
        guard nodes[at].level > level else { return add(entry, to: index) }
        let lane = nodes[at].laneOfLeastEnlargement(for: entry.box)
        let child = nodes[at].children[lane]
        let sibling = insert(entry, atLevel: level, under: child)
        guard let sibling else {
            nodes[at].setBox(lane, nodes[at].box(lane).union(entry.box))
            return nil
        }
        nodes[at].setBox(lane, nodes[Int(child)].box)
        return add(sibling, to: index)
    }

    private mutating func add(_ entry: Element, to index: Int32) -> Element? {
        guard nodes[Int(index)].count == Self.capacity else {
            nodes[Int(index)].append(entry)
            return nil
        }
        let (kept, moved) = nodes[Int(index)].split(adding: entry)
        nodes[Int(index)] = kept
        return Element(box: moved.box, number: allocate(moved))
    }

    private mutating func allocate(_ node: Node) -> Int32 {
        if let index = vacant.popLast() {
            nodes[Int(index)] = node
            return index
        }
        nodes.append(node)
        return Int32(nodes.count - 1)
    }
}

extension Node {
    /// The child that must grow least, by the sum of its sides, to hold a box; of equals the smallest.
    ///
    /// The sides are summed instead of multiplied because the boxes of a surface are flat.
    func laneOfLeastEnlargement(for box: Box) -> Int {
        let margins = (highX - lowX) + (highY - lowY) + (highZ - lowZ)
        let (low, high) = (box.low, box.high)
        let x = highX.greater(SIMD16(repeating: high.x)) - lowX.smaller(SIMD16(repeating: low.x))
        let y = highY.greater(SIMD16(repeating: high.y)) - lowY.smaller(SIMD16(repeating: low.y))
        let z = highZ.greater(SIMD16(repeating: high.z)) - lowZ.smaller(SIMD16(repeating: low.z))
        // A free lane's margin is -inf.
        let growths = x + y + z - margins
        let best = (growths .== growths.least) .& (margins .>= 0)
        let smallest = SIMD16(repeating: Float.infinity).replacing(with: margins, where: best)
        return (smallest .== smallest.least).bits.trailingZeroBitCount
    }

    /// Deals the children and one more out to two nodes, along the axis and at the place where the sides of the two
    /// boxes sum up least.
    func split(adding entry: RTree.Element) -> (Node, Node) {
        let entries = (0..<count).map { RTree.Element(box: box($0), number: children[$0]) } + [entry]
        var best = (margin: Float.infinity, order: entries, at: RTree.minimum)
        for axis in 0..<3 {
            let order = entries.sorted {
                ($0.box.low[axis] + $0.box.high[axis], $0.number)
                    < ($1.box.low[axis] + $1.box.high[axis], $1.number)
            }
            var behind = order.map(\.box)
            for index in behind.indices.dropLast().reversed() {
                behind[index] = behind[index].union(behind[index + 1])
            }
            var before = order[0].box
            for at in 1...(order.count - RTree.minimum) {
                if at >= RTree.minimum {
                    let margin = before.margin + behind[at].margin
                    if margin < best.margin { best = (margin, order, at) }
                }
                before = before.union(order[at].box)
            }
        }
        var (left, right) = (Node(level: level), Node(level: level))
        for entry in best.order[..<best.at] { left.append(entry) }
        for entry in best.order[best.at...] { right.append(entry) }
        return (left, right)
    }
}

extension Box {
    /// The sum of the sides.
    var margin: Float {
        let sides = high - low
        return sides.x + sides.y + sides.z
    }
}
