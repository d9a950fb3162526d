import Geodesy

/// A node: the bounds of its children, each axis side by side, and their numbers.
///
/// At level 0 the children are elements, above it nodes one level lower. Lanes beyond `count` hold bounds that touch
/// nothing.
struct Node: Sendable {
    static let lanes = 16

    var lowX = SIMD16<Float>(repeating: .infinity)
    var lowY = SIMD16<Float>(repeating: .infinity)
    var lowZ = SIMD16<Float>(repeating: .infinity)
    var highX = SIMD16<Float>(repeating: -.infinity)
    var highY = SIMD16<Float>(repeating: -.infinity)
    var highZ = SIMD16<Float>(repeating: -.infinity)
    var children = SIMD16<Int32>(repeating: -1)
    var count = 0
    var level: Int

    init(level: Int) { self.level = level }

    /// The lanes that touch a box, a bit each.
    @inline(__always)
    func lanes(intersecting box: Box) -> UInt32 {
        let x = (lowX .<= box.high.x) .& (highX .>= box.low.x)
        let y = (lowY .<= box.high.y) .& (highY .>= box.low.y)
        let z = (lowZ .<= box.high.z) .& (highZ .>= box.low.z)
        return (x .& y .& z).bits
    }

    /// The lanes that hold a box wholly, a bit each.
    @inline(__always)
    func lanes(containing box: Box) -> UInt32 {
        let x = (lowX .<= box.low.x) .& (highX .>= box.high.x)
        let y = (lowY .<= box.low.y) .& (highY .>= box.high.y)
        let z = (lowZ .<= box.low.z) .& (highZ .>= box.high.z)
        return (x .& y .& z).bits
    }

    /// The box of one child.
    func box(_ lane: Int) -> Box {
        Box(
            low: SIMD4(lowX[lane], lowY[lane], lowZ[lane], 0),
            high: SIMD4(highX[lane], highY[lane], highZ[lane], 0))
    }

    /// The box of all children; one that touches nothing where there are none.
    var box: Box {
        Box(
            low: SIMD4(lowX.least, lowY.least, lowZ.least, 0),
            high: SIMD4(highX.greatest, highY.greatest, highZ.greatest, 0))
    }

    /// Replaces the bounds of one child.
    mutating func setBox(_ lane: Int, _ box: Box) {
        lowX[lane] = box.low.x
        lowY[lane] = box.low.y
        lowZ[lane] = box.low.z
        highX[lane] = box.high.x
        highY[lane] = box.high.y
        highZ[lane] = box.high.z
    }

    /// Adds a child; there must be a free lane.
    mutating func append(_ entry: RTree.Element) {
        setBox(count, entry.box)
        children[count] = entry.number
        count += 1
    }

    /// Removes a child; the last one takes its lane.
    mutating func remove(_ lane: Int) {
        count -= 1
        setBox(lane, box(count))
        children[lane] = children[count]
        setBox(
            count,
            Box(low: SIMD4(repeating: .infinity), high: SIMD4(repeating: -.infinity)))
        children[count] = -1
    }

    /// The lane of a child.
    func lane(of child: Int32) -> Int? {
        let bits = (children .== child).bits
        return bits == 0 ? nil : bits.trailingZeroBitCount
    }
}
