import Service
import Time

/// The clocks of a live pipeline; tests replace them.
struct LiveClock: Sendable {
    /// Returns the seconds of a monotonic clock with an arbitrary start.
    var moment: @Sendable () -> Double
    /// Returns the system time, which may be wrong.
    var time: @Sendable () -> Timestamp
    /// Returns whether the system time can be trusted; `nil` if that is unknown.
    var isSynchronised: @Sendable () -> Bool?

    /// The clocks of the machine.
    static let system: LiveClock = {
        let start = ContinuousClock.now
        return LiveClock(
            moment: { (ContinuousClock.now - start) / .seconds(1) },
            time: { Timestamp.now() },
            isSynchronised: { ClockState.isSynchronised() })
    }()
}
