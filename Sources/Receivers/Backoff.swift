/// How long to wait before the next attempt: twice as long each time, so that nobody is pestered, and with some
/// chance, so that many do not come at once.
struct Backoff: Sendable {
    /// Short, as most connections that end can be had again at once.
    static let shortest = Duration.milliseconds(500)
    /// On this machine an attempt costs next to nothing, and what was restarted is to be found within seconds.
    static let longestHere = Duration.seconds(5)
    /// Over a network: still soon enough for somebody who looks on.
    static let longestElsewhere = Duration.seconds(30)
    /// How much a wait may be off, as a part of it.
    static let jitter = 0.2

    private let longest: Duration
    private var next = shortest

    /// Waits for a source on this machine or elsewhere.
    init(isLocal: Bool) { longest = isLocal ? Self.longestHere : Self.longestElsewhere }

    /// The next wait; `random` is from 0 to below 1.
    mutating func wait(random: Double) -> Duration {
        defer { next = min(next * 2, longest) }
        return next * (1 + Self.jitter * (2 * random - 1))
    }

    /// It went well: the next wait is the shortest.
    mutating func reset() { next = Self.shortest }
}
