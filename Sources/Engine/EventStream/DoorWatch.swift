import Synchronization

/// What is known about a door's loop that accepts callers, so that the daemon notices when it is dead.
///
/// A caller is noted when the system has accepted its connection, and again when the loop takes it.
public final class DoorWatch: Sendable {
    /// The state of a door.
    public enum State: Hashable, Sendable {
        /// It accepts callers.
        case open
        /// Callers have waited for this long, and the loop takes none.
        case hanging(Duration)
        /// It does not listen any more, although nobody stopped it.
        case closed
    }

    /// The time that a caller may wait before its door hangs: far longer than the loop needs for thousands.
    public static let patience = Duration.seconds(10)

    private struct Callers {
        var waiting: [ObjectIdentifier: ContinuousClock.Instant] = [:]
        var hasEnded = false
        var isStopping = false
    }

    private let callers = Mutex(Callers())

    /// Creates the watch of a door that has just been opened.
    public init() {}

    /// Notes that a caller waits for the loop.
    public func noteWaiting(_ caller: ObjectIdentifier, at now: ContinuousClock.Instant = .now) {
        callers.withLock { $0.waiting[caller] = now }
    }

    /// Notes that the loop has taken a caller, or that it has hung up.
    public func noteTaken(_ caller: ObjectIdentifier) {
        callers.withLock { $0.waiting[caller] = nil }
    }

    /// Notes that the door is being closed on purpose.
    public func noteStop() { callers.withLock { $0.isStopping = true } }

    /// Notes that the loop has ended.
    public func noteEnd() { callers.withLock { $0.hasEnded = true } }

    /// Returns the state of the door.
    ///
    /// - Parameter isListening: Whether the system still listens for it.
    public func state(isListening: Bool, at now: ContinuousClock.Instant = .now) -> State {
        let callers = callers.withLock { $0 }
        guard !callers.isStopping else { return .open }
        guard isListening, !callers.hasEnded else { return .closed }
        let longest = callers.waiting.values.map { now - $0 }.max() ?? .zero
        return longest > Self.patience ? .hanging(longest) : .open
    }
}
