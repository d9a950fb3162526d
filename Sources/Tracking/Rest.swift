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

    private var within: RecentFixes
    var strays = RecentFixes()
    private var sumX: Double
    private var sumY: Double
    private var sumZ: Double
    /// The squared distance from the mean, summed over time, and that time: m² s and s.
    private(set) var spread = 0.0
    private(set) var spreadTime = 0.0
    /// Fixes in a row whose receiver measured a motion.
    private var motions = 0

    /// No fix farther than this from the mean, in metres, is the arrival or the last one before the departure: what
    /// a receiver at rest wanders.
    static let core = 25.0
    /// So many fixes in a row prove that a device moves, by their place or by the speed that was measured.
    private static let inARow = 3
    /// The share of an inaccuracy's radius that a departure from a rest that was not told must exceed.
    static let accuracyShare = 1.5
    /// The most seconds of experience that the time to one fix adds.
    private static let longestExperience = 60.0
    /// Faster, in metres a second, is moving, by a receiver that measures speed.
    private static let moving = 1.0

    init(_ first: Fix) {
        within = RecentFixes([first])
        arrival = first
        last = first
        let place = UnitVector(first.coordinate)
        (sumX, sumY, sumZ) = (place.x, place.y, place.z)
    }

    /// A rest that begins with fixes that left another, and the fixes among them that have left this one already.
    static func following(_ fixes: [Fix], radius: Distance) -> (rest: Rest, passed: [Fix])? {
        guard let first = fixes.first else { return nil }
        var (rest, passed) = (Rest(first), [Fix]())
        for fix in fixes.dropFirst() {
            let verdict = rest.take(fix, at: UnitVector(fix.coordinate), accuracy: nil, radius: radius)
            guard verdict == .leaves, let next = rest.outside.first else { continue }
            passed += rest.recent
            let outside = rest.outside.dropFirst()
            rest = Rest(next)
            for fix in outside { rest.stay(fix, at: UnitVector(fix.coordinate), distance: 0) }
        }
        return (rest, passed)
    }

    private init?(settling fixes: [Fix]) {
        guard let first = fixes.first else { return nil }
        self.init(first)
        for fix in fixes.dropFirst() { stay(fix, at: UnitVector(fix.coordinate), distance: 0) }
    }

    /// The fixes that the arrival, or the departure, is still to be found among; see ``trim()``.
    ///
    /// One with `beginsSegment` set has a gap before it.
    var recent: [Fix] { within.fixes }

    /// How many were dropped from among them so that memory stays bounded.
    var dropped: Int { within.dropped }

    /// The fixes outside since the last one at rest.
    var outside: [Fix] { strays.fixes }

    /// Where it rests.
    var mean: UnitVector {
        UnitVector(towardsX: sumX, y: sumY, z: sumZ) ?? UnitVector(arrival.coordinate)
    }

    /// What a fix says about the rest.
    enum Verdict {
        /// It lies within.
        case stays
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
    mutating func take(_ fix: Fix, at here: UnitVector, accuracy: Distance?, radius: Distance) -> Verdict {
        note(fix)
        let distance = mean.distance(to: here).meters
        let bound = max(radius.meters, Self.accuracyShare * (accuracy?.meters ?? 0))
        isHeld = !isMoving && distance <= 2 * bound || distance <= max(Self.core, accuracy?.meters ?? 0)
        if distance <= bound {
            // They are on the trip's way, whatever they are.
            for stray in outside { stay(stray, at: UnitVector(stray.coordinate), distance: bound) }
            stay(fix, at: here, distance: distance)
            return .stays
        }
        strays.append(fix)
        return distance > 2 * bound || outside.count >= Self.inARow ? .leaves : .unsure
    }

    /// Whether the receiver has measured a motion for long enough.
    var isMoving: Bool { motions >= Self.inARow }

    mutating func note(_ fix: Fix) {
        motions = fix.speed.map { $0.metersPerSecond >= Self.moving } == true ? min(motions + 1, Self.inARow) : 0
    }

    mutating func stay(_ fix: Fix, at here: UnitVector, distance: Double) {
        if !outside.isEmpty { strays.removeAll() }
        if let before = last.time, let time = fix.time {
            let span = min(time.seconds(since: before), Self.longestExperience)
            spread += span * distance * distance
            spreadTime += span
        }
        sumX += here.x
        sumY += here.y
        sumZ += here.z
        last = fix
        if isTold, distance <= Self.core { within.removeAll() }
        within.append(fix)
    }

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

    /// Nothing was heard for long: what comes next is held against the last fix, not against the way to it.
    ///
    /// The recent fixes belong to what is over.
    mutating func settle() {
        let all = recent + outside
        guard let settled = Rest(settling: Array(all[Self.standing(in: all)...])) else { return }
        self = settled
        within.removeAll()
    }

    /// Where the last fixes begin that all lie near the very last.
    private static func standing(in fixes: [Fix]) -> Int {
        guard let here = fixes.last.map({ UnitVector($0.coordinate) }) else { return 0 }
        return fixes.lastIndex { !isNear($0, here) }.map { $0 + 1 } ?? 0
    }

    /// Drops the way up to the fixes that the device stood at in the end, slower than any walk; nil where it did not.
    ///
    /// - Returns: the fixes of that way, how many were dropped from among them, and the arrival.
    mutating func trimToStanding() -> (way: [Fix], dropped: Int, arrival: Fix)? {
        let begin = Self.standing(in: recent + outside)
        guard begin < recent.count, let start = recent[begin].time, let end = (recent + outside).last?.time,
            end.seconds(since: start) >= Self.core / Self.standing
        else { return nil }
        let (way, dropped) = within.takeFirst(begin)
        return (way, dropped, recent[0])
    }

    /// The fixes from the first moving one on, those outside included.
    ///
    /// Who came to the place moving leaves with all of it; who rested leaves with the last fix near the mean.
    var departure: [Fix] {
        let middle = mean
        guard let first = recent.first, !isPassing, Self.isNear(first, middle),
            let from = recent.lastIndex(where: { Self.isNear($0, middle) })
        else { return recent + outside }
        return recent[from...] + outside
    }

    /// Whether the device has not rested at all since the arrival, but gone on from there: its mean is then half
    /// way to the last fix.
    private var isPassing: Bool {
        let (begin, end) = (UnitVector(arrival.coordinate), UnitVector(last.coordinate))
        let way = begin.distance(to: end).meters
        return !isTold && way > 2 * Self.core && begin.distance(to: mean).meters > way / 4
    }

    private static func isNear(_ fix: Fix, _ place: UnitVector) -> Bool {
        place.distance(to: UnitVector(fix.coordinate)).meters <= core
    }
}
