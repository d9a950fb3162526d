import Geodesy

extension RTree {
    /// An index of all elements at once, packed along a Hilbert curve.
    ///
    /// - Complexity: O(*n* log *n*).
    public init(_ elements: [Element]) {
        self.init()
        guard !elements.isEmpty else { return }
        count = elements.count
        nodes.removeAll()
        nodes.reserveCapacity(elements.count / 12 + 8)
        var order = elements.indices.map { (key: HilbertCurve.key(of: elements[$0].box), index: Int32($0)) }
        order.sort { $0.key < $1.key }
        var level = 0
        var entries = order.map { elements[Int($0.index)] }
        order = []
        repeat {
            entries = pack(entries, level: level)
            level += 1
        } while entries.count > 1
        root = entries[0].number
    }

    /// Makes the nodes of one level, evenly filled, and gives them as the entries of the next.
    private mutating func pack(_ entries: [Element], level: Int) -> [Element] {
        let groups = (entries.count + Self.capacity - 1) / Self.capacity
        return (0..<groups).map { group in
            var node = Node(level: level)
            let range = (entries.count * group / groups)..<(entries.count * (group + 1) / groups)
            for entry in entries[range] { node.append(entry) }
            nodes.append(node)
            return Element(box: node.box, number: Int32(nodes.count - 1))
        }
    }
}

/// The order of places along a space-filling curve: near on the curve is near in space.
///
/// - SeeAlso: J. Skilling, *Programming the Hilbert curve*, AIP Conference Proceedings 707, 2004,
///   doi:10.1063/1.1751381.
enum HilbertCurve {
    /// Bits an axis: cells of the cube around the earth of 97 m, within which a node's few elements need no order.
    private static let bits = 17

    /// The position of a box's middle on the curve.
    static func key(of box: Box) -> UInt64 {
        let middle = (box.low + box.high) / 2
        let cells = Float(1 << bits) - 1
        func cell(_ value: Float) -> UInt32 {
            UInt32(max(0, min(cells, (value + 1) / 2 * cells)))
        }
        var (x, y, z) = (cell(middle.x), cell(middle.y), cell(middle.z))
        transpose(&x, &y, &z)
        return spread(x) << 2 | spread(y) << 1 | spread(z)
    }

    /// The bits of a number of 21 bits, each with two empty ones before it.
    private static func spread(_ value: UInt32) -> UInt64 {
        var bits = UInt64(value)
        bits = (bits | bits << 32) & 0x1F_0000_0000_FFFF
        bits = (bits | bits << 16) & 0x1F_0000_FF00_00FF
        bits = (bits | bits << 8) & 0x100F_00F0_0F00_F00F
        bits = (bits | bits << 4) & 0x10C3_0C30_C30C_30C3
        return (bits | bits << 2) & 0x1249_2492_4924_9249
    }

    /// Turns the axes' cells into the curve's position, its bits dealt out to the three in turn.
    private static func transpose(_ x: inout UInt32, _ y: inout UInt32, _ z: inout UInt32) {
        var bit: UInt32 = 1 << (bits - 1)
        func exchange(_ axis: inout UInt32, with first: inout UInt32, below mask: UInt32, invert: Bool) {
            if invert {
                first ^= mask
            } else {
                let swapped = (first ^ axis) & mask
                first ^= swapped
                axis ^= swapped
            }
        }
        while bit > 1 {
            let mask = bit - 1
            if x & bit != 0 { x ^= mask }
            exchange(&y, with: &x, below: mask, invert: y & bit != 0)
            exchange(&z, with: &x, below: mask, invert: z & bit != 0)
            bit >>= 1
        }
        y ^= x
        z ^= y
        var turn: UInt32 = 0
        bit = 1 << (bits - 1)
        while bit > 1 {
            if z & bit != 0 { turn ^= bit - 1 }
            bit >>= 1
        }
        x ^= turn
        y ^= turn
        z ^= turn
    }
}
