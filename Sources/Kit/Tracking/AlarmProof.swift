import Geodesy
import Time

/// What the last fixes say about one that would give an alarm, so that a single wild fix wakes nobody.
///
/// Part of a receiver's error is new at each fix. Its radius of 95 % is 2.45 standard deviations on each axis, and with
/// an exit margin of as much, a boat at the end of its chain gives an alarm at an error of 4.9 of them. One fix in a
/// million is so wrong, and a night has 29,000 at one a second. Where the anchor drags, the fixes before lie outside as
/// well. The other part of the error wanders for minutes and brings several fixes there, but it has few independent
/// values in a night.
struct AlarmProof: Codable, Hashable, Sendable {
    /// The average of the last places, as a vector that is nearly of unit length.
    private var x: Double
    private var y: Double
    private var z: Double
    private var last: Timestamp
    /// The place that geofences assumed in place of the last fix, if that was doubted.
    private(set) var doubted: Coordinate?

    /// The time in seconds over which places are averaged.
    private static let span = 12.0
    /// The time in seconds after which the fixes before say nothing about a fix.
    private static let longestPause = 30.0
    /// The share of the exit margin beyond which the average of the fixes before proves the alarm.
    static let marginShare = 0.3

    private init(_ here: UnitVector, at time: Timestamp) {
        (x, y, z) = (here.x, here.y, here.z)
        last = time
    }

    /// Adds the next fix of a device that is inside a geofence whose exit is an alarm.
    ///
    /// The alarm is proven by a second fix in a row beyond the margin, or by the average of the fixes before.
    ///
    /// - Parameters:
    ///   - isSeen: whether the path from the fix before is known.
    ///   - isDoubtful: whether the fix would give an alarm that an average does not bear out.
    /// - Returns: the place that geofences assume in place of a doubted fix; `nil` for a fix that is not doubted.
    static func doubt(
        at time: Timestamp, _ here: UnitVector, isSeen: Bool, after proof: inout AlarmProof?,
        isDoubtful: (_ average: UnitVector) -> Bool
    ) -> Coordinate? {
        guard isSeen, let known = proof, let average = UnitVector(towardsX: known.x, y: known.y, z: known.z),
            time.seconds(since: known.last) <= longestPause
        else {
            proof = AlarmProof(here, at: time)
            return nil
        }
        let doubted = known.doubted == nil && isDoubtful(average) ? Coordinate(average) : nil
        proof?.add(here, at: time)
        proof?.doubted = doubted
        return doubted
    }

    private mutating func add(_ here: UnitVector, at time: Timestamp) {
        let seconds = max(0, time.seconds(since: last))
        let weight = seconds / (seconds + Self.span)
        x += weight * (here.x - x)
        y += weight * (here.y - y)
        z += weight * (here.z - z)
        last = time
    }
}
