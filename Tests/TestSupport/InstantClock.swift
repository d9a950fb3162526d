import Synchronization

/// A clock on which every sleep ends at once, and that adds up the sleeps.
public final class InstantClock: Clock, Sendable {
    /// A moment; time stands still.
    public struct Instant: InstantProtocol {
        var offset = Swift.Duration.zero
        /// Returns the moment after a time.
        public func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
        /// Returns the time until another moment.
        public func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
        /// Orders moments.
        public static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private let sum = Mutex(Swift.Duration.zero)
    /// The only moment.
    public let now = Instant()
    /// Any sleep is exact.
    public let minimumResolution = Swift.Duration.zero

    /// Creates a clock without sleeps.
    public init() {}

    /// The sum of all sleeps so far.
    public var slept: Swift.Duration { sum.withLock { $0 } }

    /// Adds the sleep, and returns at once.
    public func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        sum.withLock { $0 += deadline.offset }
    }
}
