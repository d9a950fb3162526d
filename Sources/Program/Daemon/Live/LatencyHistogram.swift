/// A histogram of durations, in classes whose bounds grow by a fifth.
///
/// Its size does not depend on the number of samples.
struct LatencyHistogram: Sendable {
    /// The upper bound of the first class, in seconds; shorter durations are not distinguished.
    private static let least = 1e-6
    private static let growth = 1.2
    /// The number of classes, enough for eleven minutes; longer durations count in the last class.
    private static let classes = 112

    private var counts = [Int](repeating: 0, count: classes)
    private(set) var count = 0

    /// Adds a duration in seconds.
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

    /// Returns the duration in seconds that a share of the samples does not exceed; `nil` without samples.
    ///
    /// The result is at most a fifth too long.
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
