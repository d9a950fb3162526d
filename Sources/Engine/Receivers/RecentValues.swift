/// Values by key, in the order in which they were last used; each operation takes O(1).
struct RecentValues<Key: Hashable & Sendable, Value> {
    fileprivate struct Node {
        var key: Key
        var value: Value
        var earlier: Int?
        var later: Int?
    }

    private var nodes: [Node] = []
    private var positions: [Key: Int] = [:]
    private var earliest: Int?
    private var latest: Int?

    var count: Int { nodes.count }
    /// The value that was used longest ago.
    var first: (key: Key, value: Value)? { earliest.map { (nodes[$0].key, nodes[$0].value) } }

    /// Returns a value without using it.
    func peek(_ key: Key) -> Value? { positions[key].map { nodes[$0].value } }

    /// Uses the value of a key, which is added if there is none.
    mutating func use<Answer>(
        _ key: Key, or new: @autoclosure () -> Value, _ body: (inout Value) -> Answer
    ) -> Answer {
        let position: Int
        if let known = positions[key] {
            position = known
            unlink(position)
        } else {
            position = nodes.count
            nodes.append(Node(key: key, value: new(), earlier: nil, later: nil))
            positions[key] = position
        }
        nodes[position].earlier = latest
        nodes[position].later = nil
        if let latest { nodes[latest].later = position } else { earliest = position }
        latest = position
        return body(&nodes[position].value)
    }

    /// Removes the value of a key if there is one.
    mutating func remove(_ key: Key) {
        guard let position = positions.removeValue(forKey: key) else { return }
        unlink(position)
        let moved = nodes.removeLast()
        guard position < nodes.count else { return }
        // The last node takes the place that became free.
        nodes[position] = moved
        positions[moved.key] = position
        if let earlier = moved.earlier { nodes[earlier].later = position } else { earliest = position }
        if let later = moved.later { nodes[later].earlier = position } else { latest = position }
    }

    /// Changes each value, from the one that was used longest ago.
    mutating func changeAll(_ body: (Key, inout Value) -> Void) {
        var position = earliest
        while let known = position {
            body(nodes[known].key, &nodes[known].value)
            position = nodes[known].later
        }
    }

    private mutating func unlink(_ position: Int) {
        let (before, after) = (nodes[position].earlier, nodes[position].later)
        if let before { nodes[before].later = after } else { earliest = after }
        if let after { nodes[after].earlier = before } else { latest = before }
    }
}

extension RecentValues: Sendable where Value: Sendable {}
extension RecentValues.Node: Sendable where Value: Sendable {}
