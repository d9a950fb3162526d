import Geodesy

/// The bounding boxes of a node's children, stored axis by axis, so that one comparison tests all of them.
///
/// Free lanes contain a box that intersects nothing and is infinitely far from everything.
struct Boxes: Sendable {
    /// The factor that turns a sum of squares into a lower bound.
    ///
    /// Every operation in single precision errs by at most 6e-8 of its result, and seven of them by less than this.
    static let roundingDown: Float = 1 - 1e-6

    private var lowX = SIMD16<Float>(repeating: .infinity)
    private var lowY = SIMD16<Float>(repeating: .infinity)
    private var lowZ = SIMD16<Float>(repeating: .infinity)
    private var highX = SIMD16<Float>(repeating: -.infinity)
    private var highY = SIMD16<Float>(repeating: -.infinity)
    private var highZ = SIMD16<Float>(repeating: -.infinity)

    /// The box of one child.
    subscript(lane: Int) -> Box {
        get {
            Box(
                low: SIMD4(lowX[lane], lowY[lane], lowZ[lane], 0),
                high: SIMD4(highX[lane], highY[lane], highZ[lane], 0))
        }
        set {
            lowX[lane] = newValue.low.x
            lowY[lane] = newValue.low.y
            lowZ[lane] = newValue.low.z
            highX[lane] = newValue.high.x
            highY[lane] = newValue.high.y
            highZ[lane] = newValue.high.z
        }
    }

    /// The number of lanes in use.
    var count: Int { (lowX .<= highX).bits.nonzeroBitCount }

    /// The bounding box of all children.
    ///
    /// It intersects nothing if there are none.
    var union: Box {
        Box(
            low: SIMD4(lowX.least, lowY.least, lowZ.least, 0),
            high: SIMD4(highX.greatest, highY.greatest, highZ.greatest, 0))
    }

    /// Returns the lanes whose boxes contain a point, one bit each.
    @inline(__always)
    func lanes(containing point: SIMD4<Float>) -> UInt32 {
        let x = (lowX .<= point.x) .& (highX .>= point.x)
        let y = (lowY .<= point.y) .& (highY .>= point.y)
        let z = (lowZ .<= point.z) .& (highZ .>= point.z)
        return (x .& y .& z).bits
    }

    /// Returns the lanes whose boxes intersect a box, one bit each.
    @inline(__always)
    func lanes(intersecting box: Box) -> UInt32 {
        let x = (lowX .<= box.high.x) .& (highX .>= box.low.x)
        let y = (lowY .<= box.high.y) .& (highY .>= box.low.y)
        let z = (lowZ .<= box.high.z) .& (highZ .>= box.low.z)
        return (x .& y .& z).bits
    }

    /// Returns lower bounds of the squared straight-line distances from a point, given as its box, to the boxes.
    @inline(__always)
    func squaredDistances(to place: Box) -> SIMD16<Float> {
        let dx = (lowX - place.high.x).greater(place.low.x - highX).greater(.zero)
        let dy = (lowY - place.high.y).greater(place.low.y - highY).greater(.zero)
        let dz = (lowZ - place.high.z).greater(place.low.z - highZ).greater(.zero)
        return (dx * dx + dy * dy + dz * dz) * Self.roundingDown
    }

    /// Returns the lane of the box that must grow least, by the sum of its sides, to contain another.
    ///
    /// Among equals it is the smallest box.
    ///
    /// The sides are summed instead of multiplied because the boxes of a surface are flat.
    func laneOfLeastEnlargement(for box: Box) -> Int {
        let margins = (highX - lowX) + (highY - lowY) + (highZ - lowZ)
        let (low, high) = (box.low, box.high)
        let x = highX.greater(SIMD16(repeating: high.x)) - lowX.smaller(SIMD16(repeating: low.x))
        let y = highY.greater(SIMD16(repeating: high.y)) - lowY.smaller(SIMD16(repeating: low.y))
        let z = highZ.greater(SIMD16(repeating: high.z)) - lowZ.smaller(SIMD16(repeating: low.z))
        // The margin of a free lane is -inf.
        let growths = x + y + z - margins
        let best = (growths .== growths.least) .& (margins .>= 0)
        let smallest = SIMD16(repeating: Float.infinity).replacing(with: margins, where: best)
        return (smallest .== smallest.least).bits.trailingZeroBitCount
    }
}

extension Box {
    /// The box that intersects nothing.
    static let nothing = Box(
        low: SIMD4(.infinity, .infinity, .infinity, 0), high: SIMD4(-.infinity, -.infinity, -.infinity, 0))

    /// The sum of the sides.
    var margin: Float {
        let sides = high - low
        return sides.x + sides.y + sides.z
    }
}
