import Geodesy

/// Up to sixteen caps, stored coordinate by coordinate.
///
/// They are in the first lanes. Free lanes are infinitely far from everything and have a negative squared radius.
struct Leaf: Sendable {
    private var x = SIMD16<Float>(repeating: .infinity)
    private var y = SIMD16<Float>(repeating: .infinity)
    private var z = SIMD16<Float>(repeating: .infinity)
    private var squaredRadius = SIMD16<Float>(repeating: -1)
    private(set) var numbers = InlineArray<16, Int32>(repeating: -1)

    init() {}

    /// Creates a leaf of `count` elements.
    ///
    /// `element` returns each by its lane.
    @inline(__always)
    init(count: Int, _ element: (Int) -> RTree.Element) {
        var caps = InlineArray<16, SIMD4<Float>>(repeating: Self.free)
        for lane in 0..<count {
            let element = element(lane)
            caps[lane] = element.cap
            numbers[lane] = element.number
        }
        let a = Columns(caps[0], caps[1], caps[2], caps[3])
        let b = Columns(caps[4], caps[5], caps[6], caps[7])
        let c = Columns(caps[8], caps[9], caps[10], caps[11])
        let d = Columns(caps[12], caps[13], caps[14], caps[15])
        x = SIMD16(a.x, b.x, c.x, d.x)
        y = SIMD16(a.y, b.y, c.y, d.y)
        z = SIMD16(a.z, b.z, c.z, d.z)
        squaredRadius = SIMD16(a.w, b.w, c.w, d.w)
    }

    /// The content of a free lane.
    private static let free = SIMD4<Float>(.infinity, .infinity, .infinity, -1)

    /// The number of caps.
    var count: Int { (squaredRadius .>= 0).bits.nonzeroBitCount }

    /// The bounds of all caps.
    var bounds: Bounds { (0..<count).reduce(.nothing) { $0.union(self[$1].bounds) } }

    /// The element in a lane.
    subscript(lane: Int) -> RTree.Element {
        get { RTree.Element(cap: SIMD4(x[lane], y[lane], z[lane], squaredRadius[lane]), number: numbers[lane]) }
        set {
            x[lane] = newValue.cap.x
            y[lane] = newValue.cap.y
            z[lane] = newValue.cap.z
            squaredRadius[lane] = newValue.cap.w
            numbers[lane] = newValue.number
        }
    }

    /// Adds an element.
    ///
    /// There must be a free lane.
    mutating func append(_ element: RTree.Element) { self[count] = element }

    /// Removes the element in a lane.
    ///
    /// The last element moves to that lane.
    mutating func remove(_ lane: Int) {
        let last = count - 1
        self[lane] = self[last]
        self[last] = RTree.Element(cap: Self.free, number: -1)
    }

    /// Returns the lane of an element, or `nil` if the leaf does not contain it.
    func lane(of element: RTree.Element) -> Int? {
        let cap = element.cap
        var bits = ((x .== cap.x) .& (y .== cap.y) .& (z .== cap.z) .& (squaredRadius .== cap.w)).bits
        while bits != 0 {
            let lane = bits.trailingZeroBitCount
            if numbers[lane] == element.number { return lane }
            bits &= bits - 1
        }
        return nil
    }

    /// Returns the lanes whose caps intersect a box, one bit each, and some that nearly do.
    @inline(__always)
    func lanes(intersecting box: Box) -> UInt32 { (squaredDistances(to: box) .<= squaredRadius).bits }

    /// Returns lower bounds of the squared straight-line distances from a box to the centres.
    @inline(__always)
    func squaredDistances(to box: Box) -> SIMD16<Float> {
        let dx = (x - box.high.x).greater(box.low.x - x).greater(.zero)
        let dy = (y - box.high.y).greater(box.low.y - y).greater(.zero)
        let dz = (z - box.high.z).greater(box.low.z - z).greater(.zero)
        return (dx * dx + dy * dy + dz * dz) * Boxes.roundingDown
    }
}
