import Positioning
import Service

/// The clocks that a live pipeline looks at; tests give others.
struct LiveClock: Sendable {
    /// Seconds of a clock that cannot jump, since any moment.
    var moment: @Sendable () -> Double
    /// The system's time, which may be wrong.
    var time: @Sendable () -> Timestamp
    /// Whether the system's time can be trusted; nil where that is not known.
    var isSynchronised: @Sendable () -> Bool?

    /// The machine's clocks.
    static let system: LiveClock = {
        let start = ContinuousClock.now
        return LiveClock(
            moment: { (ContinuousClock.now - start) / .seconds(1) },
            time: { Timestamp.now() },
            isSynchronised: { ClockState.isSynchronised() })
    }()
}
