import Geodesy

extension RTree {
    /// Adds an element.
    ///
    /// - Complexity: O(log *n*).
    public mutating func insert(_ element: Element) {
        count += 1
        add(.element(element), bounds: element.bounds)
    }

    /// An entry to add to a node.
    enum Entry {
        /// A cap for a leaf.
        case element(Element)
        /// A child for a node on the given level.
        case child(Node.Child, level: Int)

        var level: Int {
            switch self {
            case .element: 0
            case .child(_, let level): level
            }
        }
    }

    /// Adds an entry to a node on its level, and creates a new root if the old one splits.
    mutating func add(_ entry: Entry, bounds: Bounds) {
        guard let sibling = add(entry, bounds: bounds, under: root, level: height) else { return }
        let old = Node.Child(bounds: self.bounds(of: root, level: height), index: root)
        root = allocate(Node([old, sibling]))
        height += 1
    }

    /// Adds an entry below a node.
    ///
    /// Returns the node that was split off, if any.
    private mutating func add(_ entry: Entry, bounds: Bounds, under index: Int32, level: Int) -> Node.Child? {
        let at = Int(index)
        if level == entry.level {
            switch entry {
            case .element(let element): return add(element, to: at)
            case .child(let child, _): return add(child, to: at)
            }
        }
        let lane = nodes[at].caps.laneOfLeastEnlargement(for: bounds.caps)
        var child = nodes[at][lane]
        if let sibling = add(entry, bounds: bounds, under: child.index, level: level - 1) {
            child.bounds = self.bounds(of: child.index, level: level - 1)
            nodes[at][lane] = child
            return add(sibling, to: at)
        }
        child.bounds = child.bounds.union(bounds)
        nodes[at][lane] = child
        return nil
    }

    private mutating func add(_ element: Element, to at: Int) -> Node.Child? {
        guard leaves[at].count == Self.capacity else {
            leaves[at].append(element)
            return nil
        }
        let (kept, moved) = split((0..<Self.capacity).map { leaves[at][$0] } + [element])
        leaves[at] = Leaf(count: kept.count) { kept[kept.startIndex + $0] }
        let sibling = Leaf(count: moved.count) { moved[moved.startIndex + $0] }
        return Node.Child(bounds: sibling.bounds, index: allocate(sibling))
    }

    private mutating func add(_ child: Node.Child, to at: Int) -> Node.Child? {
        guard nodes[at].count == Self.capacity else {
            nodes[at].append(child)
            return nil
        }
        let (kept, moved) = split((0..<Self.capacity).map { nodes[at][$0] } + [child])
        nodes[at] = Node(kept)
        let sibling = Node(moved)
        return Node.Child(bounds: sibling.bounds, index: allocate(sibling))
    }

    private mutating func allocate(_ leaf: Leaf) -> Int32 {
        if let index = vacantLeaves.popLast() {
            leaves[Int(index)] = leaf
            return index
        }
        leaves.append(leaf)
        return Int32(leaves.count - 1)
    }

    private mutating func allocate(_ node: Node) -> Int32 {
        if let index = vacantNodes.popLast() {
            nodes[Int(index)] = node
            return index
        }
        nodes.append(node)
        return Int32(nodes.count - 1)
    }
}

/// An entry that can be distributed to two nodes.
protocol Bounded {
    var bounds: Bounds { get }
}

extension RTree.Element: Bounded {}
extension Node.Child: Bounded {}

/// Distributes entries to two nodes, along the axis and at the position with the least sum of the two boxes' sides.
func split<Entry: Bounded>(_ entries: [Entry]) -> (ArraySlice<Entry>, ArraySlice<Entry>) {
    let boxes = entries.map(\.bounds.caps)
    var best = (margin: Float.infinity, order: Array(entries.indices), at: RTree.minimum)
    for axis in 0..<3 {
        let order = boxes.indices.sorted {
            (boxes[$0].low[axis] + boxes[$0].high[axis], $0) < (boxes[$1].low[axis] + boxes[$1].high[axis], $1)
        }
        var behind = order.map { boxes[$0] }
        for index in behind.indices.dropLast().reversed() {
            behind[index] = behind[index].union(behind[index + 1])
        }
        var before = boxes[order[0]]
        for at in 1...(order.count - RTree.minimum) {
            if at >= RTree.minimum {
                let margin = before.margin + behind[at].margin
                if margin < best.margin { best = (margin, order, at) }
            }
            before = before.union(boxes[order[at]])
        }
    }
    let sorted = best.order.map { entries[$0] }
    return (sorted[..<best.at], sorted[best.at...])
}
