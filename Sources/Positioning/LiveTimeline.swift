/// Holds the time that a live device tells against a clock that cannot jump.
///
/// A receiver that is reset, replayed or wrong about the date tells times that are none. One such fix must neither
/// stop the device's timeline, as one from the future would, nor begin it anew, as one from the past would; many of
/// them that agree do. A value without a clock: the moment in which a fix came is given with it.
public struct LiveTimeline: Sendable {
    /// What a fix means for the timeline.
    public enum Effect: Hashable, Sendable {
        /// It goes on with it, or is for the gate to reject.
        case passes
        /// It lies in a future that cannot be yet, and is to be rejected as `future`.
        case held
        /// The timeline begins anew with it: what was before is over.
        case restarts
    }

    /// So many late fixes in a row that agree begin the timeline anew: beyond what a receiver repeats after a reset.
    public static let lateFixes = 100
    /// So many fixes in a row that agree prove a jump forward.
    public static let futureFixes = 10
    /// How far beyond the clock time may run ahead, for receivers whose clock was off a little, in milliseconds.
    public static let tolerance: Int64 = 3_600_000

    /// Fixes in a row that stand outside the timeline, each later than the one before.
    private struct Run {
        var kind: Effect
        var last: Timestamp
        var count = 1
    }

    private var run: Run?
    /// When the last fix came that went on with the timeline, in seconds of a clock that cannot jump.
    private var lastSeen: Double?

    /// A timeline of which nothing has been seen yet; its first fix may be at any time.
    public init() {}

    /// Judges a device's next fix.
    ///
    /// Fixes of a run agree where each is later than the one before, by at most ``tolerance``.
    ///
    /// - Parameters:
    ///   - time: the fix's.
    ///   - last: the time of the device's last accepted fix; nil before any.
    ///   - now: the moment in which the fix came, in seconds of a clock that cannot jump.
    ///   - systemTime: the system's time, where that can be trusted; it bounds the first fix, which nothing else does.
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

    /// Counts a fix into a run of its kind, and says whether the run is long enough.
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
