public import Geodesy

/// A dynamic index of boxes on the unit sphere, each with a number of the caller's.
///
/// It answers which boxes touch a box, and which elements lie nearest to a place. It knows neither what the numbers
/// mean nor the exact shapes: a search gives candidates by box, and the caller tests them exactly. Built at once it is
/// packed by slabs; inserted and removed one by one it stays balanced by the rules of the R-tree, with
/// the split of the R*-tree by margin.
///
/// Nodes stand in one array and hold the bounds of their children side by side, so that one comparison tests all of
/// them.
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

    var nodes: ContiguousArray<Node> = [Node(level: 0)]
    var vacant: [Int32] = []
    var root: Int32 = 0

    /// How many elements there are.
    public internal(set) var count = 0

    /// An empty index.
    public init() {}

    /// A box and the number it stands for.
    public struct Element: Hashable, Sendable {
        /// Where the element lies.
        public var box: Box
        /// What the caller knows it by; no two elements of an index may share it together with their box.
        public var number: Int32

        /// The element of a number, within a box.
        public init(box: Box, number: Int32) {
            self.box = box
            self.number = number
        }
    }

    /// Calls `body` with the number of every element whose box touches another, in no particular order.
    ///
    /// - Complexity: O(log *n* + *k*) for well-spread boxes and *k* hits, O(*n*) at worst.
    public func forEach(intersecting box: Box, _ body: (Int32) -> Void) {
        visit(root, intersecting: box, body)
    }

    private func visit(_ index: Int32, intersecting box: Box, _ body: (Int32) -> Void) {
        let level = nodes[Int(index)].level
        var hits = nodes[Int(index)].lanes(intersecting: box)
        while hits != 0 {
            let lane = hits.trailingZeroBitCount
            hits &= hits - 1
            let child = nodes[Int(index)].children[lane]
            if level == 0 {
                body(child)
            } else {
                visit(child, intersecting: box, body)
            }
        }
    }
}
