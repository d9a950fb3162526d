/// Reductions over the lanes of a vector, halving it step by step: each step is one instruction a register, where the
/// standard library's own go lane by lane.
extension SIMD16<Float> {
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
    @inline(__always)
    var bits: UInt32 {
        let weights = SIMD16<UInt32>(
            1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768)
        let sixteen = SIMD16<UInt32>.zero.replacing(with: weights, where: self)
        let eight = sixteen.lowHalf | sixteen.highHalf
        let four = eight.lowHalf | eight.highHalf
        let two = four.lowHalf | four.highHalf
        return two.x | two.y
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
