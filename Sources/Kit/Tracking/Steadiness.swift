import Geodesy
import Glibc
import Positioning
import Time

/// A measure of the certainty that the path to a fix leads somewhere instead of wandering.
///
/// The null hypothesis is Brownian motion of any strength. For legs of the lengths *d* and the times *t* that lead *D*
/// metres in the time *T*, the steadiness *s* = (*D*²/*T*) / Σ(*d*²/*t*) is 1 on a straight path at constant speed.
/// With *n* legs, noise exceeds *s* with a probability of (1 − *s*)^(*n* − 1), and more rarely if it tends back or
/// jumps.
struct Steadiness {
    /// The negative logarithm of the probability of noise, for the surest path followed; 0 for none.
    private(set) var evidence = 0.0

    private let goal: UnitVector
    private let end: Timestamp?
    private let center: UnitVector
    private let reached: Double
    private let least: Double
    private let shortestLeg: Double

    private var corner: UnitVector
    private var cornerTime: Timestamp?
    private var isCut: Bool
    private var legs = 0.0
    private var energy = 0.0

    /// The least duration of a leg, in seconds.
    ///
    /// Shorter ones are joined, because receivers smooth their positions, so that noise goes straight for a moment.
    static let shortestLeg = 10.0
    /// The least duration of a path, in seconds.
    ///
    /// Shorter ones prove nothing, for the same reason.
    private static let shortestWay = 60.0
    /// The greatest number of legs to follow: ten minutes of the shortest ones.
    private static let maximumLegs = 60.0

    /// Examines paths to a fix that are at least `least` metres long and lead away from a centre.
    init(goal fix: Fix, at goal: UnitVector, from center: UnitVector, least: Double) {
        (self.goal, self.center, self.least, shortestLeg) = (goal, center, least, Self.shortestLeg)
        reached = center.distance(to: goal).meters
        (corner, end, cornerTime) = (goal, fix.time, fix.time)
        isCut = fix.beginsSegment
    }

    /// Examines a path without gaps that is at least `least` metres long and leads away from a centre; `nil` if it is
    /// empty.
    ///
    /// - Parameter shortestLeg: the least duration of a leg, in seconds. Longer legs show a slow path among the noise of
    ///   single fixes, and need a longer path.
    /// - Complexity: O(*n*) for *n* places.
    init?(of path: [TimedPlace], from center: UnitVector, least: Double, shortestLeg: Double) {
        guard let last = path.last else { return nil }
        (goal, self.center, self.least, self.shortestLeg) = (last.here, center, least, shortestLeg)
        reached = center.distance(to: goal).meters
        (corner, end, cornerTime, isCut) = (goal, last.time, last.time, false)
        for place in path.dropLast().reversed() { follow(to: place.here, at: place.time) }
    }

    /// Follows the path back through the fixes before, from the last to the first.
    ///
    /// It ends at a gap.
    ///
    /// - Complexity: O(*n*) for *n* fixes.
    mutating func follow(back fixes: [Fix]) {
        for fix in fixes.reversed() {
            guard !isCut, let time = fix.time else { return }
            isCut = fix.beginsSegment
            follow(to: UnitVector(fix.coordinate), at: time)
        }
    }

    private mutating func follow(to place: @autoclosure () -> UnitVector, at time: Timestamp) {
        guard legs < Self.maximumLegs, let end, let cornerTime else { return }
        let seconds = cornerTime.seconds(since: time)
        guard seconds >= shortestLeg else { return }
        let here = place()
        let leg = here.distance(to: corner).meters
        (corner, self.cornerTime) = (here, time)
        legs += 1
        energy += leg * leg / seconds
        weigh(from: here, seconds: end.seconds(since: time))
    }

    private mutating func weigh(from here: UnitVector, seconds: Double) {
        let way = here.distance(to: goal).meters
        guard seconds >= Self.shortestWay, way >= least, reached - center.distance(to: here).meters >= way / 2 else {
            return
        }
        let noise = max(1 - way * way / (seconds * energy), Double.leastNormalMagnitude)
        evidence = max(evidence, -(legs - 1) * log(noise))
    }
}
