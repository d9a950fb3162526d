import Geodesy
import Positioning
import Time

/// The rest of a device: its fixes since an arrival, compared with their running mean.
///
/// A moving device is always "at rest" for the few fixes that happen to be close together. A rest that lasts long
/// enough is a stop. Before that, a departure is accepted at once. A standing device, however, is anchored: wandering
/// noise and positions that jump between tall buildings do not count as a departure. It takes a displacement beyond the
/// combined uncertainty, and evidence of motion.
struct Rest: Sendable, Codable {
    /// The first fix at rest.
    private(set) var arrival: Fix
    /// The last fix at rest.
    private(set) var last: Fix
    /// Whether the rest has been reported as a stop.
    private(set) var isTold = false
    /// Whether an anchored device may still be where it was, so that geofences must not follow its fixes.
    var isHeld = true
    /// The speed that the receiver measures.
    var motion: MeasuredMotion {
        get { measured ?? MeasuredMotion() }
        set { measured = newValue }
    }

    private var within: RecentFixes
    var strays = RecentFixes()
    private var sumX: Double
    private var sumY: Double
    private var sumZ: Double
    /// The squared distance from the mean, integrated over time, in m² s.
    private(set) var spread = 0.0
    /// The time over which ``spread`` was integrated, in seconds.
    private(set) var spreadTime = 0.0
    /// The speed that the receiver measures; also `nil` in states that algorithm 2 saved.
    private var measured: MeasuredMotion?
    /// Where the anchored device was of late; also `nil` in states that algorithm 3 saved.
    var trail: Trail?

    /// The greatest distance of the arrival from the mean, in metres.
    ///
    /// The position of a receiver at rest wanders by this much.
    static let core = 25.0
    /// The number of fixes in a row outside that prove that a device that may be passing has left.
    private static let inARow = 3
    /// The multiple of the accuracy radius that a departure from a rest that has not been reported must exceed.
    static let accuracyShare = 1.5
    /// The greatest number of seconds of experience that the time before one fix adds.
    private static let longestExperience = 60.0
    /// The least silence, and the greatest distance between its ends, that count as standing.
    ///
    /// The speed must also be below ``standing``, slower than anybody walks. A receiver that is switched on again errs
    /// by this distance.
    private static let silence = (seconds: 120.0, meters: 100.0)

    init(_ first: Fix) {
        within = RecentFixes([first])
        arrival = first
        last = first
        let place = UnitVector(first.coordinate)
        (sumX, sumY, sumZ) = (place.x, place.y, place.z)
    }

    /// The fixes among which the arrival or the departure is still to be found; see ``trim()``.
    ///
    /// A fix with `beginsSegment` set has a gap before it.
    var recent: [Fix] { within.fixes }

    /// The number of fixes dropped from ``recent`` to bound memory.
    var dropped: Int { within.dropped }

    /// The fixes outside since the last one at rest.
    var outside: [Fix] { strays.fixes }

    /// The last fix, at rest or outside.
    var latest: Fix { outside.last ?? last }

    /// The times of all fixes from the arrival on.
    var times: [Timestamp?] { ([arrival] + recent + [last] + outside).map(\.time) }

    /// The mean position of the rest.
    var mean: UnitVector {
        UnitVector(towardsX: sumX, y: sumY, z: sumZ) ?? UnitVector(arrival.coordinate)
    }

    /// The meaning of a fix for the rest.
    enum Evidence {
        /// The fix lies within.
        case stays
        /// The device stood at its last place, or near it, during a silence; see ``settle()``.
        case stood
        /// The fix lies outside, which may be noise.
        case unsure
        /// The device has left.
        case leaves
        /// The device is elsewhere, and was not seen going there.
        case isElsewhere
    }

    /// Whether the rest has lasted the given number of seconds at a time.
    func hasLasted(_ seconds: Double, at time: Timestamp) -> Bool {
        arrival.time.map { time.seconds(since: $0) >= seconds } ?? false
    }

    /// Adds the next fix of a device that may be passing.
    mutating func add(_ fix: Fix, at here: UnitVector, accuracy: Distance?, radius: Distance) -> Evidence {
        motion.note(fix)
        if Self.stood(from: latest, to: fix, at: here) { return .stood }
        if motion.holds(.walking) {
            strays.append(fix)
            return .leaves
        }
        let distance = mean.distance(to: here).meters
        let bound = max(radius.meters, Self.accuracyShare * (accuracy?.meters ?? 0))
        isHeld = !motion.isSeen && distance <= 2 * bound || distance <= max(Self.core, accuracy?.meters ?? 0)
        if distance <= bound {
            // The strays belong to the trip's trace, noise or not.
            let passed = outside
            strays.removeAll()
            for stray in passed { stay(stray, at: UnitVector(stray.coordinate), distance: bound) }
            stay(fix, at: here, distance: distance)
            return .stays
        }
        strays.append(fix)
        return distance > 2 * bound || outside.count >= Self.inARow ? .leaves : .unsure
    }

    private static func stood(from before: Fix, to fix: Fix, at here: UnitVector) -> Bool {
        guard let start = before.time, let end = fix.time else { return false }
        let seconds = end.seconds(since: start)
        guard seconds >= silence.seconds else { return false }
        return UnitVector(before.coordinate).distance(to: here).meters <= min(silence.meters, standing * seconds)
    }

    mutating func stay(_ fix: Fix, at here: UnitVector, distance: Double) {
        if !outside.isEmpty {
            for stray in outside { within.append(stray) }
            strays.removeAll()
        }
        if let before = last.time, let time = fix.time {
            let span = min(time.seconds(since: before), Self.longestExperience)
            spread += span * distance * distance
            spreadTime += span
        }
        sumX += here.x
        sumY += here.y
        sumZ += here.z
        last = fix
        within.append(fix)
    }

    /// Drops the path to the place, which is not needed to find the departure.
    mutating func forgetWay() { within.removeAll() }

    /// Drops the path up to the place of rest, and makes the first fix near the mean the arrival.
    ///
    /// - Returns: the fixes of that path without the arrival, and the number of fixes dropped from among them.
    /// - Complexity: O(*k*) for *k* recent fixes.
    mutating func trim() -> (way: [Fix], dropped: Int) {
        let middle = mean
        guard recent.first?.time == arrival.time, let first = recent.firstIndex(where: { Self.isNear($0, middle) }),
            first > 0
        else { return ([], 0) }
        let (way, dropped) = within.drainFirst(first)
        for fix in way {
            let place = UnitVector(fix.coordinate)
            sumX -= place.x
            sumY -= place.y
            sumZ -= place.z
        }
        arrival = recent[0]
        return (way, dropped)
    }

    /// Marks the rest as reported.
    ///
    /// From now on it only looks for the departure, and measures the spread from zero.
    mutating func markReported() {
        isTold = true
        isHeld = true
        (spread, spreadTime) = (0, 0)
        within = RecentFixes(Array(recent.suffix(1)))
    }

    /// Drops the path up to the last fixes, all near the very last one, where the device stood in the end.
    ///
    /// - Returns: the fixes of that path, and the number of fixes dropped from among them.
    mutating func settle() -> (way: [Fix], dropped: Int) {
        let (all, inside) = (recent + outside, recent.count)
        let here = UnitVector(latest.coordinate)
        let begin = all.lastIndex { !Self.isNear($0, here) }.map { $0 + 1 } ?? 0
        guard begin < all.count else { return ([], 0) }
        let (_, dropped) = within.drainFirst(min(begin, inside))
        for fix in all[max(begin, inside)...] { within.append(fix) }
        var settled = Rest(all[begin])
        for fix in all[(begin + 1)...] { settled.stay(fix, at: UnitVector(fix.coordinate), distance: 0) }
        (settled.within, settled.measured, settled.trail) = (within, measured, trail)
        self = settled
        return (Array(all[..<begin]), dropped)
    }

    static func isNear(_ fix: Fix, _ place: UnitVector, within reach: Double = core) -> Bool {
        place.distance(to: UnitVector(fix.coordinate)).meters <= reach
    }
}
