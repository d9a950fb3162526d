/// A random number generator that depends only on its seed (SplitMix64).
///
/// - SeeAlso: Steele, Lea and Flood, *Fast splittable pseudorandom number generators*, OOPSLA 2014.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a normal deviate: the sum of twelve uniform deviates minus their mean.
    ///
    /// It never exceeds six standard deviations. It needs no logarithm, whose last digit differs between machines.
    mutating func deviate() -> Double {
        var sum = -6.0
        for _ in 0..<12 { sum += Double(next() >> 11) * 0x1p-53 }
        return sum
    }
}

/// An error that wanders: a first-order autoregressive process around zero, which begins in its stationary state.
struct Wander {
    /// The long-term standard deviation.
    let deviation: Double
    /// The time in seconds after which little more than a third of an error is left.
    let correlationTime: Double
    private var generator: SeededGenerator
    /// The current error.
    private(set) var value: Double

    init(deviation: Double, correlationTime: Double, seed: UInt64) {
        self.deviation = deviation
        self.correlationTime = correlationTime
        generator = SeededGenerator(seed: seed)
        value = deviation * generator.deviate()
    }

    /// Returns the error `seconds` later.
    mutating func advance(bySeconds seconds: Double) -> Double {
        let kept = correlationTime / (correlationTime + seconds)
        value = kept * value + (1 - kept * kept).squareRoot() * deviation * generator.deviate()
        return value
    }

    /// Returns the error `seconds` later, which only fades and does not wander.
    mutating func fade(bySeconds seconds: Double) -> Double {
        value *= correlationTime / (correlationTime + seconds)
        return value
    }
}
