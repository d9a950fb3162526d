public import Geodesy

/// A dynamic index of spherical caps, each with a number of the caller's.
///
/// It answers which caps touch a box, and whose middles lie nearest to a place. It knows not what the numbers mean,
/// and holds single precision: a search by box gives all that touch it and a few that are a metre away, which the
/// caller tests exactly. Built at once it is packed by slabs; inserted and removed one by one it stays balanced by the
/// rules of the R-tree, with the split of the R*-tree by margin.
///
/// Leaves and nodes stand in an array each. They hold what a search compares side by side, so that one comparison
/// tests all that a node has; nodes hold boxes of the caps below and, smaller, of their middles.
///
/// - SeeAlso: A. Guttman, *R-trees: a dynamic index structure for spatial searching*, SIGMOD 1984,
///   doi:10.1145/602259.602266; N. Beckmann et al., *The R\*-tree*, SIGMOD 1990, doi:10.1145/93597.98741;
///   S. Leutenegger et al., *STR: a simple and efficient algorithm for R-tree packing*, ICDE 1997,
///   doi:10.1109/ICDE.1997.582015; T. Lee and S. Lee, *OMT: overlap minimizing top-down bulk loading algorithm for
///   R-tree*, CAiSE 2003, of which it is a simple form.
public struct RTree: Sendable {
    /// The most children a node has: one lane each.
    static let capacity = Node.lanes
    /// The fewest children a node but the root has, 40 % of the most, as the R*-tree's authors found best.
    static let minimum = 6

    var leaves: ContiguousArray<Leaf> = [Leaf()]
    var nodes: ContiguousArray<Node> = []
    var vacantLeaves: [Int32] = []
    var vacantNodes: [Int32] = []
    /// How many levels of nodes stand above the leaves.
    var height = 0
    /// The topmost node; a leaf where the height is 0.
    var root: Int32 = 0

    /// How many elements there are.
    public internal(set) var count = 0

    /// An empty index.
    public init() {}

    /// What holds all that is below a node of a level, or in a leaf.
    func bounds(of index: Int32, level: Int) -> Bounds {
        level == 0 ? leaves[Int(index)].bounds : nodes[Int(index)].bounds
    }

    /// Calls `body` with the number of every element that touches a box, and of some that only nearly do, in no
    /// particular order.
    ///
    /// - Complexity: O(log *n* + *k*) for well-spread caps and *k* hits, O(*n*) at worst.
    public func forEach(intersecting box: Box, _ body: (Int32) -> Void) {
        visit(root, level: height, intersecting: box, body)
    }

    private func visit(_ index: Int32, level: Int, intersecting box: Box, _ body: (Int32) -> Void) {
        let at = Int(index)
        if level == 0 {
            forEachBit(leaves[at].lanes(intersecting: box)) { body(leaves[at].numbers[$0]) }
        } else {
            forEachBit(nodes[at].caps.lanes(intersecting: box)) {
                visit(nodes[at].children[$0], level: level - 1, intersecting: box, body)
            }
        }
    }
}
