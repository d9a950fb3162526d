/// Compares the time that a live device reports with a monotonic clock.
///
/// A receiver that was reset, is being replayed or has a wrong date reports false times. A single such fix must not
/// stop the device's timeline, as one from the future would, nor restart it, as one from the past would. Many
/// consistent ones do. This is a value without a clock: the caller passes the moment in which a fix came.
public struct LiveTimeline: Sendable {
    /// The effect of a fix on the timeline.
    public enum Effect: Hashable, Sendable {
        /// The fix continues the timeline, or the gate decides about it.
        case passes
        /// The fix lies in an impossible future, and is rejected as `future`.
        case held
        /// The fix restarts the timeline, and the old timeline ends.
        case restarts
    }

    /// The number of consistent late fixes in a row that restart the timeline, more than a receiver repeats after a
    /// reset.
    public static let lateFixes = 100
    /// The number of consistent fixes in a row that prove a jump forward.
    public static let futureFixes = 10
    /// How far a fix may be ahead of the clock, in milliseconds, in case the receiver's clock was slightly wrong.
    public static let tolerance: Int64 = 3_600_000

    /// Consecutive fixes outside the timeline, each later than the one before.
    private struct Run {
        var kind: Effect
        var last: Timestamp
        var count = 1
    }

    private var run: Run?
    /// The moment when the last fix came that continued the timeline, in seconds of a monotonic clock.
    private var lastSeen: Double?

    /// Creates a timeline without fixes.
    ///
    /// The first fix may have any time.
    public init() {}

    /// Judges a device's next fix.
    ///
    /// The fixes of a run are consistent if each is later than the one before, by at most ``tolerance``.
    ///
    /// - Parameters:
    ///   - time: the time of the fix.
    ///   - last: the time of the device's last accepted fix; `nil` if there is none.
    ///   - now: the moment when the fix came, in seconds of a monotonic clock.
    ///   - systemTime: the system's time, or `nil` if it cannot be trusted. It is the only limit for the first fix.
    /// - Complexity: O(1).
    public mutating func judge(
        _ time: Timestamp, after last: Timestamp?, now: Double, systemTime: @autoclosure () -> Timestamp?
    ) -> Effect {
        if let last, time <= last {
            guard lasts(.restarts, time, proof: Self.lateFixes) else { return .passes }
            _ = pass(now)
            return .restarts
        }
        guard let last, let lastSeen else {
            guard let limit = systemTime(), time.milliseconds(since: limit) > Self.tolerance else { return pass(now) }
            return lasts(.held, time, proof: Self.futureFixes) ? pass(now) : .held
        }
        let elapsed = Int64((max(0, now - lastSeen) * 1000).rounded())
        guard time.milliseconds(since: last) > elapsed + Self.tolerance else { return pass(now) }
        return lasts(.held, time, proof: Self.futureFixes) ? pass(now) : .held
    }

    private mutating func pass(_ now: Double) -> Effect {
        run = nil
        lastSeen = now
        return .passes
    }

    /// Counts a fix in a run of its kind.
    ///
    /// Returns whether the run is long enough.
    private mutating func lasts(_ kind: Effect, _ time: Timestamp, proof: Int) -> Bool {
        if var run, run.kind == kind, time > run.last, time.milliseconds(since: run.last) <= Self.tolerance {
            run.last = time
            run.count += 1
            self.run = run
        } else {
            run = Run(kind: kind, last: time)
        }
        return run.map { $0.count >= proof } ?? false
    }
}
