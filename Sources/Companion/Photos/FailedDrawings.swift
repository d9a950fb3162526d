/// The pictures that the tool could not draw, and when each may be tried again.
///
/// A picture is not tried again if the tool itself gave up on it, because that would take as long as the first time. A
/// run that was cut short, by its time limit, a signal or cancellation, may have met a busy machine or an impatient
/// caller. Such a picture is tried again at once, and then after pauses that grow.
struct FailedDrawings {
    private struct Failure {
        /// The number of runs that were cut short.
        var cuts = 0
        /// When the picture may be tried again; `nil` if never.
        var next: ContinuousClock.Instant?
    }

    private var failures: [String: Failure] = [:]

    /// The pauses after each run that was cut short; the last one repeats.
    static let pauses: [Duration] = [.zero, .seconds(60), .seconds(600), .seconds(6_000), .seconds(60_000)]
    /// The number of entries at which all are forgotten.
    static let maximumCount = 1000

    /// Whether a picture may be drawn, or why not.
    enum Verdict {
        case may
        /// Its last run was cut short, and the pause is not over.
        case later
        case never
    }

    /// Returns whether a picture may be drawn at a time.
    func verdict(on name: String, at now: ContinuousClock.Instant) -> Verdict {
        guard let failure = failures[name] else { return .may }
        guard let next = failure.next else { return .never }
        return next <= now ? .may : .later
    }

    /// Records that the tool itself could not draw a picture.
    mutating func giveUp(_ name: String) { put(Failure(), of: name) }

    /// Records that a run was cut short.
    mutating func cut(_ name: String, at now: ContinuousClock.Instant) {
        var failure = failures[name] ?? Failure()
        failure.next = now + Self.pauses[min(failure.cuts, Self.pauses.count - 1)]
        failure.cuts = min(failure.cuts + 1, Self.pauses.count)
        put(failure, of: name)
    }

    /// Forgets the failures of a picture, which was drawn.
    mutating func forget(_ name: String) { failures[name] = nil }

    private mutating func put(_ failure: Failure, of name: String) {
        if failures.count >= Self.maximumCount, failures[name] == nil { failures = [:] }
        failures[name] = failure
    }
}
