import Geodesy
import Glibc
import Positioning

/// How surely the way to a fix goes somewhere, rather than wanders.
///
/// Against it stands the assumption that the place wanders by Brownian motion, of whatever strength. Of legs with the
/// lengths *d* and the times *t*, that lead *D* metres in the time *T*, the steadiness *s* = (*D*²/*T*) / Σ(*d*²/*t*)
/// is 1 on a straight way of even speed. Noise exceeds *s* by *n* such legs with a probability of (1 − *s*)^(*n* − 1),
/// and more rarely where it tends back or jumps.
struct Steadiness {
    /// The negative logarithm of the probability that it was noise, for the surest way followed; 0 for none.
    private(set) var evidence = 0.0

    private let goal: UnitVector
    private let end: Timestamp?
    private let center: UnitVector
    private let reached: Double
    private let least: Double

    private var corner: UnitVector
    private var cornerTime: Timestamp?
    private var isCut: Bool
    private var legs = 0.0
    private var energy = 0.0

    /// Legs of fewer seconds are joined: a receiver smooths what it measures, so that its noise goes straight for a
    /// moment.
    private static let shortestLeg = 10.0
    /// Ways of fewer seconds prove nothing, for the same reason.
    private static let shortestWay = 60.0
    /// No more legs are followed; with the shortest ones, ten minutes.
    private static let mostLegs = 60.0

    /// Looks at ways to a fix that lead at least so many metres, and away from a center.
    init(goal fix: Fix, at goal: UnitVector, from center: UnitVector, least: Double) {
        (self.goal, self.center, self.least) = (goal, center, least)
        reached = center.distance(to: goal).meters
        (corner, end, cornerTime) = (goal, fix.time, fix.time)
        isCut = fix.beginsSegment
    }

    /// Follows the way back through the fixes before, from the last to the first; over a gap nothing is known of it.
    ///
    /// - Complexity: O(*n*) for *n* fixes.
    mutating func follow(back fixes: [Fix]) {
        for fix in fixes.reversed() {
            guard !isCut, legs < Self.mostLegs, let end, let cornerTime, let time = fix.time else { return }
            isCut = fix.beginsSegment
            let seconds = cornerTime.seconds(since: time)
            guard seconds >= Self.shortestLeg else { continue }
            let here = UnitVector(fix.coordinate)
            let leg = here.distance(to: corner).meters
            (corner, self.cornerTime) = (here, time)
            legs += 1
            energy += leg * leg / seconds
            weigh(from: here, seconds: end.seconds(since: time))
        }
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
