import Geodesy

extension RTree {
    /// Returns the errors in the tree's structure, which is an empty array if there are none.
    ///
    /// This is for tests. It visits every node.
    package func brokenInvariants() -> [String] {
        var broken: [String] = []
        var reached = 0
        func check(_ index: Int32, level: Int, holding bounds: Bounds?) {
            let name = level == 0 ? "leaf \(index)" : "node \(index) at level \(level)"
            if let bounds, bounds != self.bounds(of: index, level: level) {
                broken.append("\(name) has not the bounds that stand above it")
            }
            let taken = level == 0 ? leaves[Int(index)].count : nodes[Int(index)].count
            if taken < 1, level < height { broken.append("\(name) is empty") }
            guard level > 0 else {
                reached += taken
                return
            }
            let node = nodes[Int(index)]
            for lane in 0..<Self.capacity {
                if lane < taken {
                    check(node.children[lane], level: level - 1, holding: node[lane].bounds)
                } else if node[lane].bounds != .nothing {
                    broken.append("\(name) holds bounds in the free lane \(lane)")
                }
            }
        }
        check(root, level: height, holding: nil)
        if reached != count { broken.append("\(reached) elements reached of \(count)") }
        return broken
    }
}
