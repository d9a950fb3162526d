import Geodesy

/// Sixteen boxes of the unit sphere, stored axis by axis, so that one comparison tests all of them.
///
/// Free lanes contain a box that meets nothing and is infinitely far from everything.
struct BoxLanes {
    static let count = 16

    private var lowX = SIMD16<Float>(repeating: .infinity)
    private var lowY = SIMD16<Float>(repeating: .infinity)
    private var lowZ = SIMD16<Float>(repeating: .infinity)
    private var highX = SIMD16<Float>(repeating: -.infinity)
    private var highY = SIMD16<Float>(repeating: -.infinity)
    private var highZ = SIMD16<Float>(repeating: -.infinity)

    /// Every operation in single precision errs by at most 6e-8 of its result, and seven of them by less than this.
    private static let roundingDown: Float = 1 - 1e-6

    mutating func set(_ lane: Int, to box: Box) {
        lowX[lane] = box.low.x
        lowY[lane] = box.low.y
        lowZ[lane] = box.low.z
        highX[lane] = box.high.x
        highY[lane] = box.high.y
        highZ[lane] = box.high.z
    }

    /// Returns lower bounds of the squared straight-line distances from a point, given as its box.
    @inline(__always)
    func squaredDistances(to place: Box) -> SIMD16<Float> {
        let dx = Self.greater(lowX - place.high.x, place.low.x - highX)
        let dy = Self.greater(lowY - place.high.y, place.low.y - highY)
        let dz = Self.greater(lowZ - place.high.z, place.low.z - highZ)
        return (dx * dx + dy * dy + dz * dz) * Self.roundingDown
    }

    /// Returns the lanes whose boxes meet a box, one bit each.
    @inline(__always)
    func lanes(meeting box: Box) -> UInt32 {
        let x = (lowX .<= box.high.x) .& (highX .>= box.low.x)
        let y = (lowY .<= box.high.y) .& (highY .>= box.low.y)
        let z = (lowZ .<= box.high.z) .& (highZ .>= box.low.z)
        return Self.bits(x .& y .& z)
    }

    /// The greater value of each pair of lanes, and at least 0.
    @inline(__always)
    private static func greater(_ a: SIMD16<Float>, _ b: SIMD16<Float>) -> SIMD16<Float> {
        let greater = a.replacing(with: b, where: b .> a)
        return greater.replacing(with: 0, where: greater .< 0)
    }

    /// The least lane.
    @inline(__always)
    static func least(_ lanes: SIMD16<Float>) -> Float {
        let eight = lanes.lowHalf.replacing(with: lanes.highHalf, where: lanes.highHalf .< lanes.lowHalf)
        let four = eight.lowHalf.replacing(with: eight.highHalf, where: eight.highHalf .< eight.lowHalf)
        let two = four.lowHalf.replacing(with: four.highHalf, where: four.highHalf .< four.lowHalf)
        return min(two.x, two.y)
    }

    /// The lanes that are true, as bits, with the first lane lowest.
    @inline(__always)
    static func bits(_ mask: SIMDMask<SIMD16<Int32>>) -> UInt32 {
        let weights = SIMD16<Float>(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768)
        let sixteen = SIMD16<Float>.zero.replacing(with: weights, where: mask)
        let eight = sixteen.lowHalf + sixteen.highHalf
        let four = eight.lowHalf + eight.highHalf
        let two = four.lowHalf + four.highHalf
        return UInt32(truncatingIfNeeded: Int32(two.x + two.y))
    }
}
