import Geodesy
import Time

/// Compares the speed that a receiver reports with the way that its places show, over the last minute.
///
/// The way is measured from place to place over legs of at least ten seconds, so that laps count, and noise hardly does.
struct SpeedCheck: Sendable, Codable {
    /// A leg of the way.
    private struct Leg: Codable {
        /// The distance between its ends, in metres.
        var way: Double
        /// The distance that the reported speeds amount to, in metres.
        var claimed: Double
        var seconds: Double
    }

    private var legs: [Leg] = []
    private var corner: Coordinate?
    private var cornerTime: Timestamp?
    private var lastTime: Timestamp?
    private var lastSpeed = 0.0
    private var claimed = 0.0
    /// Whether the places have stayed where they were, although the reported speeds led away.
    private(set) var isContradicted = false

    private static let shortestLeg = 10.0
    /// The longest time in seconds that is compared.
    private static let span = 60.0
    /// The number of the shortest legs in that time.
    private static let maximumLegs = 6
    /// The longest time in seconds between two fixes over which a speed holds.
    ///
    /// Shorter than a stop: a device that has rested unseen has moved slower than it says before and after.
    private static let longestPause = 120.0
    /// The share of the distance claimed that the places must show.
    ///
    /// A path with sharp bends shows half of it.
    private static let share = 0.25
    /// The least distance, in metres, that must be missing.
    private static let missing = 20.0

    /// Whether a restored check is within the bounds of valid states.
    var isBounded: Bool {
        legs.count <= Self.maximumLegs
            && legs.allSatisfy { $0.way >= 0 && $0.claimed >= 0 && $0.seconds >= Self.shortestLeg }
    }

    /// Adds the next fix that reports a speed, in metres a second.
    mutating func note(_ speed: Double, at place: Coordinate, _ time: Timestamp, isCut: Bool) {
        defer { (lastTime, lastSpeed) = (time, speed) }
        guard !isCut, let corner, let cornerTime, let lastTime, time.seconds(since: lastTime) <= Self.longestPause
        else { return begin(at: place, time) }
        // Of two speeds, the lower one is sure.
        claimed += min(lastSpeed, speed) * max(0, time.seconds(since: lastTime))
        let seconds = time.seconds(since: cornerTime)
        guard seconds >= Self.shortestLeg else { return }
        legs.append(
            Leg(way: Sphere.distance(from: corner, to: place).meters, claimed: claimed, seconds: seconds))
        (self.corner, self.cornerTime, claimed) = (place, time, 0)
        compare()
    }

    private mutating func begin(at place: Coordinate, _ time: Timestamp) {
        self = SpeedCheck()
        (corner, cornerTime) = (place, time)
    }

    private mutating func compare() {
        var (way, claimed, seconds, count) = (0.0, 0.0, 0.0, 0)
        isContradicted = false
        for leg in legs.reversed() where seconds < Self.span {
            way += leg.way
            claimed = claimed + leg.claimed
            seconds += leg.seconds
            count += 1
            isContradicted = isContradicted || way < Self.share * claimed && claimed - way >= Self.missing
        }
        legs = Array(legs.suffix(count))
    }
}
