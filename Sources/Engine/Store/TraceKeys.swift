/// The keys of one trip's points: the trip's number in the high bits, the milliseconds since its start in the low ones.
struct TraceKeys: Hashable, Sendable {
    let trip: Int64

    /// The number of bits of a key that hold the time.
    private static let bits: Int64 = 40
    /// The possible times of a point, in milliseconds: 34 years.
    static let times: ClosedRange<Int64> = 0...(1 << bits) - 1
    /// An SQL condition: whether a row of `trace` belongs to the row of `trip`.
    static let isOfTrip = "trace.key BETWEEN trip.number << \(bits) AND trip.number << \(bits) | \(times.upperBound)"

    /// Returns the key of a point at a time, which must be one of ``times``.
    func key(_ time: Int64) -> Int64 { trip << Self.bits | time }

    /// Returns the least and the greatest key of the points between two times, both included.
    ///
    /// If there can be no such point, the least key is the greater one.
    func range(from first: Int64 = .min, to last: Int64 = .max) -> (least: Int64, greatest: Int64) {
        let (first, last) = (max(first, Self.times.lowerBound), min(last, Self.times.upperBound))
        return first <= last ? (key(first), key(last)) : (1, 0)
    }
}
