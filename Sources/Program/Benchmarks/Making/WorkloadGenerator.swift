/// A random number generator that depends only on its seed (SplitMix64).
struct WorkloadGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = ResultChecksum.mix(seed) }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return ResultChecksum.mix(state)
    }

    mutating func uniform(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &self) }

    /// Returns a normally distributed number with mean 0.
    mutating func gauss(_ deviation: Double) -> Double {
        // The sum of twelve uniform numbers from 0 to 1 has a mean of 6 and a standard deviation of 1.
        deviation * ((0..<12).reduce(-6) { sum, _ in sum + uniform(0...1) })
    }
}
