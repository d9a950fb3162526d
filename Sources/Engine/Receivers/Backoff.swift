/// The wait before the next attempt to connect.
///
/// It doubles each time, so that attempts do not burden the other side. A random share keeps many clients from coming
/// at the same moment.
struct Backoff: Sendable {
    /// The first wait.
    ///
    /// It is short, because most connections that end can be made again at once.
    static let shortest = Duration.milliseconds(500)
    /// The longest wait for a source on this machine.
    ///
    /// An attempt costs next to nothing there, and a restarted program must be found within seconds.
    static let longestHere = Duration.seconds(5)
    /// The longest wait for a source on the network, still short enough for a person who watches.
    static let longestElsewhere = Duration.seconds(30)
    /// The greatest random deviation of a wait, as a share of it.
    static let jitter = 0.2

    private let longest: Duration
    private var next = shortest

    /// Creates the backoff for a source on this machine or elsewhere.
    init(isLocal: Bool) { longest = isLocal ? Self.longestHere : Self.longestElsewhere }

    /// Returns the next wait.
    ///
    /// `random` is at least 0 and less than 1.
    mutating func wait(random: Double) -> Duration {
        defer { next = min(next * 2, longest) }
        return next * (1 + Self.jitter * (2 * random - 1))
    }

    /// Makes the next wait the shortest again, after a success.
    mutating func reset() { next = Self.shortest }
}
