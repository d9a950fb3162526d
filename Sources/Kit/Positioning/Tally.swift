/// Counts by reason.
public struct Tally: Hashable, Sendable, Codable {
    private var counts: [String: Int] = [:]

    /// Creates an empty tally.
    public init() {}

    /// Increases the count of a reason.
    public mutating func count(_ reason: String, times: Int = 1) { counts[reason, default: 0] += times }

    /// Decreases the count of a reason by 1, down to 0.
    public mutating func subtract(_ reason: String) {
        guard let count = counts[reason] else { return }
        counts[reason] = count > 1 ? count - 1 : nil
    }

    /// Adds the counts of another tally.
    public mutating func add(_ other: Tally) {
        counts.merge(other.counts, uniquingKeysWith: +)
    }

    /// The count of a reason.
    public subscript(reason: String) -> Int { counts[reason] ?? 0 }

    /// The sum of all counts.
    public var total: Int { counts.values.reduce(0, +) }

    /// Whether nothing has been counted.
    public var isEmpty: Bool { counts.isEmpty }

    /// The reasons with their counts, ordered by the reasons' bytes.
    public var sorted: [(reason: String, count: Int)] {
        counts.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { (reason: $0.key, count: $0.value) }
    }
}
