/// Sixteen lanes reduced to one by halving: each step is one instruction a register, where the standard library's own
/// reductions go lane by lane.
extension SIMD16<Float> {
    /// Four quarters one after the other.
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

    /// Lane by lane the smaller of two.
    @inline(__always)
    func smaller(_ other: Self) -> Self { replacing(with: other, where: other .< self) }

    /// Lane by lane the greater of two.
    @inline(__always)
    func greater(_ other: Self) -> Self { replacing(with: other, where: other .> self) }
}

extension SIMDMask<SIMD16<Int32>> {
    /// The lanes that are true, a bit each, the first lane lowest.
    ///
    /// They are summed up as floating point, where a choice and a sum are one instruction a register.
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

/// Four rows of four as columns.
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

/// Calls `body` with the number of every bit that is set, the lowest first.
@inline(__always)
func forEachBit(_ bits: UInt32, _ body: (Int) -> Void) {
    var left = bits
    while left != 0 {
        body(left.trailingZeroBitCount)
        left &= left - 1
    }
}
