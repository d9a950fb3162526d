import Geodesy

/// The bounding box of all caps below a node, and that of their centres.
struct Bounds: Hashable, Sendable {
    var caps: Box
    var middles: Box

    /// The bounds of no cap.
    static let nothing = Bounds(caps: .nothing, middles: .nothing)

    /// Returns the bounds that contain both.
    @inline(__always)
    func union(_ other: Bounds) -> Bounds {
        Bounds(caps: caps.union(other.caps), middles: middles.union(other.middles))
    }
}

/// A node above the leaves, with the bounds and indices of up to sixteen nodes on the next level, or leaves.
struct Node: Sendable {
    static let lanes = 16

    /// The index of a child, with its bounds.
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

    /// The number of children.
    ///
    /// They are in the first lanes.
    var count: Int { middles.count }

    /// The bounds of all children.
    var bounds: Bounds { Bounds(caps: caps.union, middles: middles.union) }

    /// Returns lower bounds of the squared straight-line distances from a point, given as its box, to the boxes of
    /// centres.
    @inline(__always)
    func squaredDistancesOfMiddles(to place: Box) -> SIMD16<Float> { middles.squaredDistances(to: place) }

    /// The child in a lane.
    subscript(lane: Int) -> Child {
        get { Child(bounds: Bounds(caps: caps[lane], middles: middles[lane]), index: children[lane]) }
        set {
            caps[lane] = newValue.bounds.caps
            middles[lane] = newValue.bounds.middles
            children[lane] = newValue.index
        }
    }

    /// Adds a child.
    ///
    /// There must be a free lane.
    mutating func append(_ child: Child) { self[count] = child }

    /// Removes the child in a lane.
    ///
    /// The last child moves to that lane.
    mutating func remove(_ lane: Int) {
        let last = count - 1
        self[lane] = self[last]
        self[last] = Child(bounds: .nothing, index: -1)
    }
}
