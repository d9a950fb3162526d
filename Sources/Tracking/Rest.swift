import Geodesy
import Positioning

/// Whether a device rests: the fixes since an arrival, held against their running mean.
///
/// A moving device is always "at rest" for the few fixes that happen to lie near each other; what lasts long enough
/// is a stop. Leaving that is believed at once. A device that stands, though, is anchored: noise that wanders, and
/// positions that jump between high houses, are not taken for a departure. That asks for a displacement beyond the
/// combined uncertainty, and for evidence of motion.
struct Rest: Sendable, Codable {
    /// The first fix at rest.
    private(set) var arrival: Fix
    /// The last fix that was at rest.
    private(set) var last: Fix
    /// Whether it has lasted long enough to be told.
    private(set) var isTold = false
    /// Whether an anchored device may still be where it was, so that geofences are not to follow its fixes.
    var isHeld = true
    /// What its receiver measures of its speed.
    var motion: MeasuredMotion {
        get { measured ?? MeasuredMotion() }
        set { measured = newValue }
    }

    private var within: RecentFixes
    var strays = RecentFixes()
    private var sumX: Double
    private var sumY: Double
    private var sumZ: Double
    /// The squared distance from the mean, summed over time, and that time: m² s and s.
    private(set) var spread = 0.0
    private(set) var spreadTime = 0.0
    /// Nil in states of algorithm 2 too.
    private var measured: MeasuredMotion?

    /// No fix farther than this from the mean, in metres, is the arrival: what a receiver at rest wanders.
    static let core = 25.0
    /// So many fixes in a row outside prove that a device that may be passing has left.
    private static let inARow = 3
    /// The share of an inaccuracy's radius that a departure from a rest that was not told must exceed.
    static let accuracyShare = 1.5
    /// The most seconds of experience that the time to one fix adds.
    private static let longestExperience = 60.0
    /// A silence of at least so many seconds between two places no farther apart than so many metres was standing,
    /// where nobody walks so slowly: what a receiver errs by when it is switched on again.
    private static let silence = (seconds: 120.0, meters: 100.0)

    init(_ first: Fix) {
        within = RecentFixes([first])
        arrival = first
        last = first
        let place = UnitVector(first.coordinate)
        (sumX, sumY, sumZ) = (place.x, place.y, place.z)
    }

    /// The fixes that the arrival, or the departure, is still to be found among; see ``trim()``.
    ///
    /// One with `beginsSegment` set has a gap before it.
    var recent: [Fix] { within.fixes }

    /// How many were dropped from among them so that memory stays bounded.
    var dropped: Int { within.dropped }

    /// The fixes outside since the last one at rest.
    var outside: [Fix] { strays.fixes }

    /// The last fix of all.
    var latest: Fix { outside.last ?? last }

    /// The times of all its fixes, from the arrival on.
    var times: [Timestamp?] { ([arrival] + recent + [last] + outside).map(\.time) }

    /// Where it rests.
    var mean: UnitVector {
        UnitVector(towardsX: sumX, y: sumY, z: sumZ) ?? UnitVector(arrival.coordinate)
    }

    /// What a fix says about the rest.
    enum Evidence {
        /// It lies within.
        case stays
        /// The device has stood at the last place, or near it, through a silence; see ``settle()``.
        case stood
        /// It lies outside, which may be noise.
        case unsure
        /// The device has left.
        case leaves
        /// The device is somewhere else, and nothing was seen of the way.
        case isElsewhere
    }

    /// Whether it has lasted so many seconds at a time.
    func hasLasted(_ seconds: Double, at time: Timestamp) -> Bool {
        arrival.time.map { time.seconds(since: $0) >= seconds } ?? false
    }

    /// Takes the next fix of a device that may be passing.
    mutating func take(_ fix: Fix, at here: UnitVector, accuracy: Distance?, radius: Distance) -> Evidence {
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
            // They are on the trip's way, whatever they are.
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

    /// The way to the place is over: it is not needed for the departure.
    mutating func forgetWay() { within.removeAll() }

    /// Drops the way up to the place of rest: the arrival is the first fix near the mean.
    ///
    /// - Returns: the fixes of that way, the arrival not among them, and how many were dropped from among them.
    /// - Complexity: O(*k*) for *k* recent fixes.
    mutating func trim() -> (way: [Fix], dropped: Int) {
        let middle = mean
        guard recent.first?.time == arrival.time, let first = recent.firstIndex(where: { Self.isNear($0, middle) }),
            first > 0
        else { return ([], 0) }
        let (way, dropped) = within.takeFirst(first)
        for fix in way {
            let place = UnitVector(fix.coordinate)
            sumX -= place.x
            sumY -= place.y
            sumZ -= place.z
        }
        arrival = recent[0]
        return (way, dropped)
    }

    /// The stop is told: from now on only the departure is looked for, and how far the fixes wander is learnt anew.
    mutating func tell() {
        isTold = true
        isHeld = true
        (spread, spreadTime) = (0, 0)
        within = RecentFixes(Array(recent.suffix(1)))
    }

    /// Drops the way up to the last fixes, which all lie near the very last: those the device stood at in the end.
    ///
    /// - Returns: the fixes of that way, and how many were dropped from among them.
    mutating func settle() -> (way: [Fix], dropped: Int) {
        let (all, inside) = (recent + outside, recent.count)
        let here = UnitVector(latest.coordinate)
        let begin = all.lastIndex { !Self.isNear($0, here) }.map { $0 + 1 } ?? 0
        guard begin < all.count else { return ([], 0) }
        let (_, dropped) = within.takeFirst(min(begin, inside))
        for fix in all[max(begin, inside)...] { within.append(fix) }
        var settled = Rest(all[begin])
        for fix in all[(begin + 1)...] { settled.stay(fix, at: UnitVector(fix.coordinate), distance: 0) }
        (settled.within, settled.measured) = (within, measured)
        self = settled
        return (Array(all[..<begin]), dropped)
    }

    static func isNear(_ fix: Fix, _ place: UnitVector, within reach: Double = core) -> Bool {
        place.distance(to: UnitVector(fix.coordinate)).meters <= reach
    }
}
