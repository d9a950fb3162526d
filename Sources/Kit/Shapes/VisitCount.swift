/// A count of the nodes that a search visits, by which tests know how its cost grows.
protocol VisitCount {
    /// Counts one more node.
    mutating func visit()
}

/// The count of a search that nobody counts.
struct Uncounted: VisitCount {
    @inline(__always)
    mutating func visit() {}
}
