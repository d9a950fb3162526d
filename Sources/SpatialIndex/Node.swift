import Geodesy

/// What holds all caps below a node, and what holds their middles.
struct Bounds: Hashable, Sendable {
    var caps: Box
    var middles: Box

    /// Those of no cap.
    static let nothing = Bounds(caps: .nothing, middles: .nothing)

    /// Those of both.
    @inline(__always)
    func union(_ other: Bounds) -> Bounds {
        Bounds(caps: caps.union(other.caps), middles: middles.union(other.middles))
    }
}

/// A node above the leaves: the bounds and the indices of up to sixteen nodes one level lower, or of leaves.
struct Node: Sendable {
    static let lanes = 16

    /// An index with its bounds.
    struct Child {
        var bounds: Bounds
        var index: Int32
    }

    private(set) var caps = Boxes()
    private(set) var middles = Boxes()
    private(set) var children = InlineArray<16, Int32>(repeating: -1)

    init(_ children: some Collection<Child>) {
        for (lane, child) in children.enumerated() { self[lane] = child }
    }

    /// How many children there are; they stand in the first lanes.
    var count: Int { middles.count }

    /// What holds them all.
    var bounds: Bounds { Bounds(caps: caps.union, middles: middles.union) }

    /// The squares of the straight lines from a point, given as its box, to boxes of middles; never more than they are.
    @inline(__always)
    func squaredDistancesOfMiddles(to place: Box) -> SIMD16<Float> { middles.squaredDistances(to: place) }

    /// One of them.
    subscript(lane: Int) -> Child {
        get { Child(bounds: Bounds(caps: caps[lane], middles: middles[lane]), index: children[lane]) }
        set {
            caps[lane] = newValue.bounds.caps
            middles[lane] = newValue.bounds.middles
            children[lane] = newValue.index
        }
    }

    /// Adds one; there must be a free lane.
    mutating func append(_ child: Child) { self[count] = child }

    /// Removes one; the last takes its lane.
    mutating func remove(_ lane: Int) {
        let last = count - 1
        self[lane] = self[last]
        self[last] = Child(bounds: .nothing, index: -1)
    }
}
