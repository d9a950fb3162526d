/// Random numbers that depend on nothing but the seed: SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = Checksum.mix(seed) }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Checksum.mix(state)
    }

    mutating func uniform(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &self) }

    /// A number about zero, by the normal distribution.
    mutating func gauss(_ deviation: Double) -> Double {
        // Twelve numbers from 0 to 1 sum up to a mean of 6 and a deviation of 1.
        deviation * ((0..<12).reduce(-6) { sum, _ in sum + uniform(0...1) })
    }
}
