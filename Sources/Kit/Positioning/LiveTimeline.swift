public import Time

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
        /// The fix and those before it prove that the time has changed: the old timeline ends, and another begins with
        /// the first of them.
        case restarts
    }

    /// The number of consistent late fixes in a row that restart the timeline, more than a receiver repeats after a
    /// reset.
    public static let lateFixes = 100
    /// The number of consistent fixes in a row that prove a jump forward.
    public static let futureFixes = 10
    /// The number of seconds for which fixes must agree on a date that is implausible.
    public static let implausibleTime = 600.0
    /// How far ahead of everything known a date is implausible, in milliseconds: two years.
    ///
    /// A board without a clock may have been off for months.
    public static let plausible: Int64 = 2 * 365 * Timestamp.millisecondsPerDay
    /// How far a fix may be ahead of the clock, in milliseconds, in case the receiver's clock was slightly wrong.
    public static let tolerance: Int64 = 3_600_000

    /// Consecutive fixes outside the timeline, each later than the one before.
    private struct Run {
        var kind: Effect
        var last: Timestamp
        /// The moment when the first of them came.
        let begin: Double
        var count = 1
    }

    private var run: Run?
    /// The number of fixes before the last one that it has proved right, although they were held or late.
    ///
    /// They were good, so whoever kept them can process them now.
    public private(set) var proved = 0
    /// The number of fixes that wait for proof, including the last one.
    public var waiting: Int { run?.count ?? 0 }
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
    ///   - latestKnown: the latest of the times that have certainly been reached, and of an untrusted system's time. A
    ///     date far beyond it is implausible. `nil` if none is known.
    /// - Complexity: O(1).
    public mutating func judge(
        _ time: Timestamp, after last: Timestamp?, now: Double, systemTime: @autoclosure () -> Timestamp?,
        latestKnown: @autoclosure () -> Timestamp? = nil
    ) -> Effect {
        proved = 0
        if let last, time <= last {
            guard lasts(.restarts, time, now, proof: Self.lateFixes) else { return .passes }
            return restart(now)
        }
        if let last, let lastSeen {
            let elapsed = Int64((max(0, now - lastSeen) * 1000).rounded())
            guard time.milliseconds(since: last) > elapsed + Self.tolerance else { return pass(now) }
        } else {
            let (trusted, known) = (systemTime(), latestKnown())
            let isAhead = trusted.map { time.milliseconds(since: $0) > Self.tolerance } ?? false
            guard isAhead || Self.isImplausible(time, known ?? trusted) else { return pass(now) }
        }
        let isImplausible = Self.isImplausible(time, systemTime() ?? latestKnown())
        guard lasts(.held, time, now, proof: Self.futureFixes, seconds: isImplausible ? Self.implausibleTime : 0)
        else { return .held }
        // There is nothing to end before the first fix.
        guard last == nil else { return restart(now) }
        proved = waiting - 1
        return pass(now)
    }

    private static func isImplausible(_ time: Timestamp, _ known: Timestamp?) -> Bool {
        known.map { time.milliseconds(since: $0) > plausible } ?? false
    }

    private mutating func restart(_ now: Double) -> Effect {
        proved = waiting - 1
        _ = pass(now)
        return .restarts
    }

    private mutating func pass(_ now: Double) -> Effect {
        run = nil
        lastSeen = now
        return .passes
    }

    /// Counts a fix in a run of its kind.
    ///
    /// Returns whether the run is long enough.
    private mutating func lasts(
        _ kind: Effect, _ time: Timestamp, _ now: Double, proof: Int, seconds: Double = 0
    ) -> Bool {
        if var run, run.kind == kind, time > run.last, time.milliseconds(since: run.last) <= Self.tolerance {
            run.last = time
            run.count += 1
            self.run = run
        } else {
            run = Run(kind: kind, last: time, begin: now)
        }
        return run.map { $0.count >= proof && now - $0.begin >= seconds } ?? false
    }
}
