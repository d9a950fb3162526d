/// Reductions and other operations on sixteen lanes.
///
/// The reductions halve the vector step by step, with one instruction for each register. Those of the standard library
/// go lane by lane.
extension SIMD16<Float> {
    /// Creates a vector from four quarters.
    @inline(__always)
    init(_ a: SIMD4<Float>, _ b: SIMD4<Float>, _ c: SIMD4<Float>, _ d: SIMD4<Float>) {
        self.init(lowHalf: SIMD8(lowHalf: a, highHalf: b), highHalf: SIMD8(lowHalf: c, highHalf: d))
    }

    /// The least lane.
    @inline(__always)
    var least: Float {
        let eight = lowHalf.replacing(with: highHalf, where: highHalf .< lowHalf)
        let four = eight.lowHalf.replacing(with: eight.highHalf, where: eight.highHalf .< eight.lowHalf)
        let two = four.lowHalf.replacing(with: four.highHalf, where: four.highHalf .< four.lowHalf)
        return Swift.min(two.x, two.y)
    }

    /// The greatest lane.
    @inline(__always)
    var greatest: Float { -(-self).least }

    /// Returns the smaller value of each pair of lanes.
    @inline(__always)
    func smaller(_ other: Self) -> Self { replacing(with: other, where: other .< self) }

    /// Returns the greater value of each pair of lanes.
    @inline(__always)
    func greater(_ other: Self) -> Self { replacing(with: other, where: other .> self) }
}

extension SIMDMask<SIMD16<Int32>> {
    /// The lanes that are true, as bits, with the first lane lowest.
    ///
    /// They are added as floating-point numbers, because a selection and an addition then take one instruction for each
    /// register.
    @inline(__always)
    var bits: UInt32 {
        let weights = SIMD16<Float>(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768)
        let sixteen = SIMD16<Float>.zero.replacing(with: weights, where: self)
        let eight = sixteen.lowHalf + sixteen.highHalf
        let four = eight.lowHalf + eight.highHalf
        let two = four.lowHalf + four.highHalf
        return UInt32(truncatingIfNeeded: Int32(two.x + two.y))
    }
}

/// A matrix of four rows with four values each, transposed into columns.
struct Columns {
    let x: SIMD4<Float>
    let y: SIMD4<Float>
    let z: SIMD4<Float>
    let w: SIMD4<Float>

    @inline(__always)
    init(_ a: SIMD4<Float>, _ b: SIMD4<Float>, _ c: SIMD4<Float>, _ d: SIMD4<Float>) {
        let (ab, cd) = (SIMD8(lowHalf: a, highHalf: b), SIMD8(lowHalf: c, highHalf: d))
        let xz = SIMD8(lowHalf: ab.evenHalf, highHalf: cd.evenHalf)
        let yw = SIMD8(lowHalf: ab.oddHalf, highHalf: cd.oddHalf)
        (x, y, z, w) = (xz.evenHalf, yw.evenHalf, xz.oddHalf, yw.oddHalf)
    }
}

/// Calls `body` with the index of each bit that is set, the lowest first.
@inline(__always)
func forEachBit(_ bits: UInt32, _ body: (Int) -> Void) {
    var left = bits
    while left != 0 {
        body(left.trailingZeroBitCount)
        left &= left - 1
    }
}
