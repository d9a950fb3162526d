import Geodesy

extension RTree {
    /// What is wrong with the tree's structure; empty where nothing is.
    ///
    /// For tests: it visits every node.
    package func brokenInvariants() -> [String] {
        var broken: [String] = []
        var reached = 0
        func check(_ index: Int32, level: Int) {
            let node = nodes[Int(index)]
            if node.level != level { broken.append("node \(index) stands at level \(level), says \(node.level)") }
            if index != root, node.count < 1 { broken.append("node \(index) is empty") }
            for lane in node.count..<Self.capacity where node.lowX[lane] != .infinity {
                broken.append("node \(index) holds bounds in the free lane \(lane)")
            }
            for lane in 0..<node.count {
                if level == 0 {
                    reached += 1
                } else if node.box(lane) != nodes[Int(node.children[lane])].box {
                    broken.append("node \(index) lane \(lane) is not its child's box")
                }
                if level > 0 { check(node.children[lane], level: level - 1) }
            }
        }
        check(root, level: nodes[Int(root)].level)
        if reached != count { broken.append("\(reached) elements reached of \(count)") }
        return broken
    }
}
