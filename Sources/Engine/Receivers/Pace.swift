public import Positioning
import Time

/// Slows a recording down to a multiple of real time.
public struct Pace: Sendable {
    /// The longest wait, in seconds.
    ///
    /// No recording spans more, and the sum with the clock stays in range.
    private static let longest = 1e9

    private let speed: Double
    private var begin: (fix: Timestamp, clock: ContinuousClock.Instant)?

    /// Creates a pace of `speed` times real time, which must be greater than 0.
    public init(speed: Double) { self.speed = speed }

    /// Returns how long to wait before a fix, or `nil` if it is due or has no time.
    public mutating func delay(until fix: Fix, at now: ContinuousClock.Instant = .now) -> Duration? {
        guard let time = fix.time else { return nil }
        guard let begin else {
            begin = (time, now)
            return nil
        }
        let due = begin.clock + .seconds(min(time.seconds(since: begin.fix) / speed, Self.longest))
        return due > now ? due - now : nil
    }
}
