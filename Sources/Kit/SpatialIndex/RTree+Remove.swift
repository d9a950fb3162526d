import Geodesy

extension RTree {
    /// Removes an element that equals one that was added.
    ///
    /// - Returns: whether it was found.
    /// - Complexity: O(log *n*) for well-spread caps.
    @discardableResult
    public mutating func remove(_ element: Element) -> Bool {
        var orphans: [(entry: Entry, bounds: Bounds)] = []
        guard remove(element, element.bounds, under: root, level: height, orphans: &orphans) else { return false }
        count -= 1
        for orphan in orphans { add(orphan.entry, bounds: orphan.bounds) }
        while height > 0, nodes[Int(root)].count == 1 {
            vacantNodes.append(root)
            root = nodes[Int(root)].children[0]
            height -= 1
        }
        return true
    }

    /// Removes an element below a node.
    ///
    /// Children that become too small are dissolved, and their entries are appended to `orphans`.
    private mutating func remove(
        _ element: Element, _ bounds: Bounds, under index: Int32, level: Int,
        orphans: inout [(entry: Entry, bounds: Bounds)]
    ) -> Bool {
        let at = Int(index)
        if level == 0 {
            guard let lane = leaves[at].lane(of: element) else { return false }
            leaves[at].remove(lane)
            return true
        }
        var hits = nodes[at].middles.lanes(containing: element.cap)
        while hits != 0 {
            let lane = hits.trailingZeroBitCount
            hits &= hits - 1
            let child = nodes[at].children[lane]
            guard remove(element, bounds, under: child, level: level - 1, orphans: &orphans) else { continue }
            if dissolveIfSmall(child, level: level - 1, into: &orphans) {
                nodes[at].remove(lane)
            } else if !orphans.isEmpty || nodes[at][lane].bounds.areTouchedInside(by: bounds) {
                nodes[at][lane] = Node.Child(bounds: self.bounds(of: child, level: level - 1), index: child)
            }
            return true
        }
        return false
    }

    /// Dissolves a node that has too few entries, and appends these to `orphans`.
    ///
    /// - Returns: whether the node was dissolved.
    private mutating func dissolveIfSmall(
        _ index: Int32, level: Int, into orphans: inout [(entry: Entry, bounds: Bounds)]
    ) -> Bool {
        let at = Int(index)
        if level == 0 {
            let count = leaves[at].count
            guard count < Self.minimum else { return false }
            for element in (0..<count).map({ leaves[at][$0] }) { orphans.append((.element(element), element.bounds)) }
            vacantLeaves.append(index)
        } else {
            let count = nodes[at].count
            guard count < Self.minimum else { return false }
            for child in (0..<count).map({ nodes[at][$0] }) {
                orphans.append((.child(child, level: level), child.bounds))
            }
            vacantNodes.append(index)
        }
        return true
    }
}

extension Bounds {
    /// Whether other bounds within these reach one of their sides, so that these may shrink without them.
    fileprivate func areTouchedInside(by other: Bounds) -> Bool {
        caps.isTouchedInside(by: other.caps) || middles.isTouchedInside(by: other.middles)
    }
}

extension Box {
    fileprivate func isTouchedInside(by box: Box) -> Bool {
        let touched = (low .== box.low) .| (high .== box.high)
        return touched[0] || touched[1] || touched[2]
    }
}
