public import Geodesy

/// A dynamic index of spherical caps, each with a number chosen by the caller.
///
/// It finds the caps that intersect a box, and those whose centres are nearest to a place. It does not interpret the
/// numbers. It stores single precision: a search by box finds all caps that intersect the box and a few that miss it by
/// a metre, so the caller must test them exactly. A bulk load packs the tree by slabs. Insertions and removals keep it
/// balanced by the rules of the R-tree, with the split of the R*-tree by margin.
///
/// Leaves and nodes are stored in one array each. Their coordinates are stored in SIMD lanes, so that one comparison
/// tests all entries of a node. Nodes contain boxes of the caps below, and smaller ones of the caps' centres.
///
/// - SeeAlso: A. Guttman, *R-trees: a dynamic index structure for spatial searching*, SIGMOD 1984,
///   doi:10.1145/602259.602266; N. Beckmann et al., *The R\*-tree*, SIGMOD 1990, doi:10.1145/93597.98741; S.
///   Leutenegger et al., *STR: a simple and efficient algorithm for R-tree packing*, ICDE 1997,
///   doi:10.1109/ICDE.1997.582015; T. Lee and S. Lee, *OMT: overlap minimizing top-down bulk loading algorithm for
///   R-tree*, CAiSE 2003, of which the bulk load is a simple form.
public struct RTree: Sendable {
    /// The greatest number of children of a node, one for each lane.
    static let capacity = Node.lanes
    /// The least number of children of a node other than the root: 40 % of the greatest, as the authors of the R*-tree
    /// found best.
    static let minimum = 6

    var leaves: ContiguousArray<Leaf> = [Leaf()]
    var nodes: ContiguousArray<Node> = []
    var vacantLeaves: [Int32] = []
    var vacantNodes: [Int32] = []
    /// The number of node levels above the leaves.
    var height = 0
    /// The index of the topmost node, or of a leaf if the height is 0.
    var root: Int32 = 0

    /// The number of elements.
    public internal(set) var count = 0

    /// Creates an empty index.
    public init() {}

    /// Returns the bounds of a node on a level, or of a leaf if the level is 0.
    func bounds(of index: Int32, level: Int) -> Bounds {
        level == 0 ? leaves[Int(index)].bounds : nodes[Int(index)].bounds
    }

    /// Calls `body` with the number of every element that intersects a box, and of some that nearly do, in no
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
