import Geodesy
import Positioning

/// Whether a device rests: it does while its fixes stay within the stop radius of their running mean.
///
/// A moving device is always "at rest" for the few fixes that happen to lie near each other; what lasts long enough
/// is a stop. Leaving is believed when a fix lies two radii away, or three in a row lie outside.
struct Rest: Sendable, Codable {
    /// A fix since the arrival, with the trip's numbers when it was reached.
    struct Entry: Sendable, Codable {
        var fix: Fix
        var numbers: TripNumbers
    }

    /// The fixes that the arrival, or the departure, is still to be found among; see ``trim(core:)``.
    private(set) var recent: [Entry]
    /// The first fix at rest.
    private(set) var arrival: Entry
    /// The last fix within the radius.
    private(set) var last: Fix
    /// Whether it has lasted long enough to be told.
    var isTold = false
    /// The fixes outside since the last one within.
    private(set) var outside: [Entry] = []

    private var sumX: Double
    private var sumY: Double
    private var sumZ: Double

    /// No fix farther than this from the mean, in metres, is the arrival or the last one before the departure: what
    /// a receiver at rest wanders.
    private static let core = 25.0
    /// So many fixes in a row outside are a departure.
    private static let proof = 3
    /// The share of an inaccuracy's radius that a departure must exceed.
    private static let accuracyShare = 1.5
    /// The most fixes kept to look for arrival or departure: three minutes at nearly 3 Hz; beyond it every other one
    /// is dropped.
    private static let mostRecent = 512

    init(_ first: Entry) {
        recent = [first]
        arrival = first
        last = first.fix
        let place = UnitVector(first.fix.coordinate)
        (sumX, sumY, sumZ) = (place.x, place.y, place.z)
    }

    /// A rest that begins with fixes that left another.
    init?(_ entries: [Entry]) {
        guard let first = entries.first else { return nil }
        self.init(first)
        for entry in entries.dropFirst() { stay(entry, at: UnitVector(entry.fix.coordinate)) }
    }

    /// Where it rests.
    var mean: UnitVector {
        UnitVector(towardsX: sumX, y: sumY, z: sumZ) ?? UnitVector(arrival.fix.coordinate)
    }

    /// What a fix says about the rest.
    enum Verdict {
        /// It lies within.
        case stays
        /// It lies outside, which may be noise.
        case unsure
        /// The device has left.
        case leaves
    }

    /// Whether it has lasted so many seconds at a time.
    func hasLasted(_ seconds: Double, at time: Timestamp) -> Bool {
        arrival.fix.time.map { time.seconds(since: $0) >= seconds } ?? false
    }

    /// Takes the next fix.
    mutating func take(
        _ entry: Entry, at here: UnitVector, accuracy: Distance?, radius: Distance
    ) -> Verdict {
        let distance = mean.distance(to: here).meters
        if distance <= radius.meters {
            outside = []
            stay(entry, at: here)
            return .stays
        }
        let bound = max(radius.meters, Self.accuracyShare * (accuracy?.meters ?? 0))
        guard distance > bound else { return .unsure }
        outside.append(entry)
        return distance > 2 * bound || outside.count >= Self.proof ? .leaves : .unsure
    }

    private mutating func stay(_ entry: Entry, at here: UnitVector) {
        sumX += here.x
        sumY += here.y
        sumZ += here.z
        last = entry.fix
        if isTold, mean.distance(to: here).meters <= Self.core { recent = [] }
        recent.append(entry)
        guard recent.count > Self.mostRecent else { return }
        recent = recent.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    }

    /// Drops the way up to the place of rest: the arrival is the first fix near the mean.
    ///
    /// - Complexity: O(*k*) for *k* recent fixes.
    mutating func trim() {
        let middle = mean
        let isNear = { (entry: Entry) in
            middle.distance(to: UnitVector(entry.fix.coordinate)).meters <= Self.core
        }
        guard recent.first?.fix.time == arrival.fix.time, let first = recent.firstIndex(where: isNear), first > 0
        else { return }
        for entry in recent[..<first] {
            let place = UnitVector(entry.fix.coordinate)
            sumX -= place.x
            sumY -= place.y
            sumZ -= place.z
        }
        recent.removeFirst(first)
        arrival = recent[0]
    }

    /// The stop is told: from now on only the departure is looked for.
    mutating func tell() {
        isTold = true
        recent = recent.last.map { [$0] } ?? []
    }

    /// Nothing was heard for long: what comes next is held against the last fix, not against the way to it.
    ///
    /// The recent fixes belong to what is over.
    mutating func settle() {
        let all = recent + outside
        guard let latest = all.last else { return }
        let here = UnitVector(latest.fix.coordinate)
        let isNear = { (entry: Entry) in
            here.distance(to: UnitVector(entry.fix.coordinate)).meters <= Self.core
        }
        let way = all.lastIndex { !isNear($0) }.map { $0 + 1 } ?? 0
        guard let settled = Rest(Array(all[way...])) else { return }
        self = settled
        recent = []
    }

    /// The fixes from the first moving one on, those outside included.
    ///
    /// Who came to the place moving leaves with all of it; who rested leaves with the last fix near the mean.
    var departure: [Entry] {
        let middle = mean
        let isNear = { (entry: Entry) in
            middle.distance(to: UnitVector(entry.fix.coordinate)).meters <= Self.core
        }
        guard let first = recent.first, isNear(first), let from = recent.lastIndex(where: isNear) else {
            return recent + outside
        }
        return recent[from...] + outside
    }
}
