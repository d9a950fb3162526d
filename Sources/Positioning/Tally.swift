/// How often something happened, by reason.
public struct Tally: Hashable, Sendable, Codable {
    private var counts: [String: Int] = [:]

    /// Nothing counted yet.
    public init() {}

    /// Counts one more.
    public mutating func count(_ reason: String, times: Int = 1) { counts[reason, default: 0] += times }

    /// Adds what another has counted.
    public mutating func add(_ other: Tally) {
        counts.merge(other.counts, uniquingKeysWith: +)
    }

    /// How often a reason was counted.
    public subscript(reason: String) -> Int { counts[reason] ?? 0 }

    /// Everything counted.
    public var total: Int { counts.values.reduce(0, +) }

    /// Whether nothing was counted.
    public var isEmpty: Bool { counts.isEmpty }

    /// Reasons with their counts, in the order of the reasons' bytes.
    public var sorted: [(reason: String, count: Int)] {
        counts.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { (reason: $0.key, count: $0.value) }
    }
}
