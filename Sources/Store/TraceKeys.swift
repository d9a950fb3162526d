/// The keys of the points of one trip: its number above the milliseconds since its start.
struct TraceKeys: Hashable, Sendable {
    /// The number of the trip.
    let trip: Int64

    /// Bits of a key that hold the time.
    private static let bits: Int64 = 40
    /// The times that a point can have: 34 years.
    static let times: ClosedRange<Int64> = 0...(1 << bits) - 1
    /// In SQL, whether a row of `trace` is of the row of `trip`.
    static let isOfTrip = "trace.key BETWEEN trip.number << \(bits) AND trip.number << \(bits) | \(times.upperBound)"

    /// The key of the point of a time, which must be one of ``times``.
    func key(_ time: Int64) -> Int64 { trip << Self.bits | time }

    /// The least and the greatest key of the points from one time to another, both included; where there can be none,
    /// the least is the greater one.
    func range(from first: Int64 = .min, to last: Int64 = .max) -> (least: Int64, greatest: Int64) {
        let (first, last) = (max(first, Self.times.lowerBound), min(last, Self.times.upperBound))
        return first <= last ? (key(first), key(last)) : (1, 0)
    }
}
