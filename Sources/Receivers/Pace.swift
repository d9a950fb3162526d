public import Positioning

/// Holds a recording to a multiple of real time.
public struct Pace: Sendable {
    /// A wait is at most so long: recordings span no more, and the sum with the clock stays in range.
    private static let longest = 1e9

    private let speed: Double
    private var begin: (fix: Timestamp, clock: ContinuousClock.Instant)?

    /// Times real time, above 0.
    public init(speed: Double) { self.speed = speed }

    /// How long to wait before a fix; nil where it is due, or has no time.
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
