/// How long things took, in classes whose bounds grow by a fifth; any number of samples in the same memory.
struct LatencyHistogram: Sendable {
    /// The upper bound of the first class, in seconds: below a microsecond nothing is told apart.
    private static let least = 1e-6
    private static let growth = 1.2
    /// Enough for eleven minutes; what took longer is in the last class.
    private static let classes = 112

    private var counts = [Int](repeating: 0, count: classes)
    private(set) var count = 0

    /// Counts a duration in seconds.
    mutating func add(_ seconds: Double) {
        var bound = Self.least
        var number = 0
        while seconds > bound, number < Self.classes - 1 {
            bound *= Self.growth
            number += 1
        }
        counts[number] += 1
        count += 1
    }

    /// The duration in seconds that so large a share of the samples does not exceed, at most a fifth too long; nil
    /// without samples.
    func quantile(_ share: Double) -> Double? {
        guard count > 0 else { return nil }
        var rest = (share * Double(count)).rounded(.up)
        var bound = Self.least
        for count in counts {
            rest -= Double(count)
            if rest <= 0 { return bound }
            bound *= Self.growth
        }
        return bound
    }
}
