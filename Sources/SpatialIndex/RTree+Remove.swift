import Geodesy

extension RTree {
    /// Removes an element by the box and the number it was added with.
    ///
    /// - Returns: whether there was one.
    /// - Complexity: O(log *n*) for well-spread boxes.
    @discardableResult
    public mutating func remove(_ element: Element) -> Bool {
        var orphans: [(level: Int, entry: Element)] = []
        guard remove(element, under: root, orphans: &orphans) else { return false }
        count -= 1
        for orphan in orphans { insert(orphan.entry, atLevel: orphan.level) }
        while nodes[Int(root)].level > 0, nodes[Int(root)].count == 1 {
            vacant.append(root)
            root = nodes[Int(root)].children[0]
        }
        return true
    }

    /// Removes an element below a node.
    ///
    /// Children that become too small are dissolved, their entries put aside.
    private mutating func remove(
        _ element: Element, under index: Int32, orphans: inout [(level: Int, entry: Element)]
    ) -> Bool {
        let at = Int(index)
        if nodes[at].level == 0 {
            guard let lane = nodes[at].lane(of: element.number), nodes[at].box(lane) == element.box else {
                return false
            }
            nodes[at].remove(lane)
            return true
        }
        var hits = nodes[at].lanes(containing: element.box)
        while hits != 0 {
            let lane = hits.trailingZeroBitCount
            hits &= hits - 1
            let child = nodes[at].children[lane]
            guard remove(element, under: child, orphans: &orphans) else { continue }
            if nodes[Int(child)].count < Self.minimum {
                let rest = nodes[Int(child)]
                for lane in 0..<rest.count {
                    let entry = Element(box: rest.box(lane), number: rest.children[lane])
                    orphans.append((rest.level, entry))
                }
                vacant.append(child)
                nodes[at].remove(lane)
            } else if !orphans.isEmpty || nodes[at].box(lane).isTouchedInside(by: element.box) {
                nodes[at].setBox(lane, nodes[Int(child)].box)
            }
            return true
        }
        return false
    }
}

extension Box {
    /// Whether a box within this one reaches one of its sides, so that without it this one may shrink.
    fileprivate func isTouchedInside(by box: Box) -> Bool {
        let touched = (low .== box.low) .| (high .== box.high)
        return touched[0] || touched[1] || touched[2]
    }
}
