import Geodesy
import Glibc
import Positioning

/// Whether a device that stands has left.
extension Rest {
    /// How far a fix is from an anchored rest, in metres.
    private struct Departure {
        var place: UnitVector
        /// From the mean.
        var distance: Double
        /// From the arrival, where the mean of a rest that was not told follows a device that goes on.
        ///
        /// Two places that are noise are √2 times as far apart as one is from the mean, so this is less by that.
        var begin: Double
        /// What is surely within: the stop radius, or the fix's own inaccuracy.
        var least: Double
        /// The distance that noise hardly exceeds.
        var uncertainty: Double

        func exceeds(_ bound: Double) -> Bool {
            max(distance, begin) > bound
        }
    }

    /// The share of an inaccuracy's radius that a departure from an anchor must exceed: 1 is where 95 % are.
    private static let anchoredAccuracyShare = 2.0
    /// How many times the usual distance from the mean noise hardly exceeds: of independent fixes one in 8,000 does.
    private static let spreads = 3.0
    /// What that may at most be of the stop radius, so that strolling about does not make up for leaving.
    private static let mostUncertainty = 2.5
    /// The usual distance from the mean while little is known of it, in metres, and how many seconds of experience
    /// that weighs.
    private static let presumedSpread = 33.0
    private static let presumption = 600.0
    /// A displacement of so many uncertainties, and of more metres than high houses make a position jump, is no noise,
    /// even where no motion was seen.
    private static let certainty = 4.0
    private static let farthestJump = 500.0
    /// How many times its longest step the way to such a place must be: a jump, from which an indoor receiver comes back
    /// within minutes, is all of it.
    private static let wayOn = 1.5
    /// The share of its way from the arrival that a device that goes on is from the mean, about half.
    ///
    /// Where it is less, the arrival was noise.
    private static let wayFromMean = 0.45
    private static let runningLeg = 10.0
    /// Faster, in metres a second, is no walk.
    private static let walk = 5.0
    /// Slower, in metres a second, is standing, by a receiver that measures speed.
    static let standing = 0.5

    /// After a silence of so many seconds, in which a trip would have ended, a device is elsewhere beyond so many
    /// metres: no drift is known that would have brought it there, and a receiver that is switched on errs by less.
    private static let longSilence = (seconds: 900.0, meters: 100.0)

    /// What proves a departure.
    struct Proof {
        /// The negative logarithm of the probability of noise, by the distance alone.
        var alone: Double
        /// By distance and steadiness, which add up: as rare, for two that are independent.
        var joint: Double
        /// For how many seconds a running pace must be measured, wherever it leads.
        var running: Double

        /// For a trip: once in a thousand years of noise that is another one each minute.
        static let ofTrip = Proof(alone: 20, joint: 23, running: 180)
        /// For going on with one: a stop within it lasts minutes, so that it is enough where two weeks bring one.
        static let ofGoingOn = Proof(alone: 10, joint: 12.5, running: 60)
    }

    /// Takes the next fix of a device that stands.
    ///
    /// It leaves where noise would be too improbable: by how far it has come, without its longest step, which may be a
    /// jump, and by how steadily. Or it lies, with the fix before, so far beyond that no jump reaches. One that is found
    /// outside for `patience` seconds without such a proof is elsewhere.
    ///
    /// The uncertainty is the stop radius, twice the fix's accuracy, or three times the usual distance from the
    /// mean, whichever is most; a speed measured for three fixes in a row makes the last needless.
    mutating func take(
        _ fix: Fix, at here: UnitVector, accuracy: Distance?, radius: Distance, patience: Double, proof: Proof
    ) -> Evidence {
        motion.note(fix)
        let claimed = accuracy?.meters ?? 0
        let departure = departure(of: outside.first ?? fix, at: here, claimed: claimed, radius: radius.meters)
        let isStanding = fix.speed.map { $0.metersPerSecond < Self.standing } ?? false
        let hasLeft =
            !isStanding && departure.exceeds(departure.least) && proves(departure, fix, proof)
            || (motion.holds(.running, for: proof.running) && runs)
        guard hasLeft || departure.exceeds(departure.uncertainty) else {
            isHeld = !(motion.isSeen && departure.distance > max(Self.core, claimed))
            if isTold, departure.distance <= reach(radius), motion.runningSince == nil { forgetWay() }
            stay(fix, at: here, distance: departure.distance)
            return .stays
        }
        let isAlone = outside.isEmpty
        strays.append(fix)
        guard let first = outside.first, let since = first.time, let now = fix.time else { return .unsure }
        let isFar =
            !isStanding && departure.distance > max(Self.certainty * departure.uncertainty, Self.farthestJump)
        // Of the way to where a recording goes on nothing is known: it is elsewhere, and has not gone there.
        let hasComeFar = isFar && !first.beginsSegment
        let goesOn = departure.distance >= Self.wayOn * longestStep(to: here)
        isHeld = !motion.isSeen && !hasLeft && !hasComeFar && (!isFar || isAlone)
        if hasLeft || (hasComeFar && !isAlone && goesOn) { return .leaves }
        return (isFar && !isAlone && first.beginsSegment) || now.seconds(since: since) >= patience
            ? .isElsewhere : .unsure
    }

    /// Whether the places go as fast as a running pace that is measured, so that it is not invented.
    ///
    /// In legs of ten seconds or more, as a receiver's noise is quick in shorter ones.
    private var runs: Bool {
        guard let since = motion.runningSince else { return false }
        var (corner, way, seconds) = (nil as Fix?, 0.0, 0.0)
        for fix in recent where fix.time.map({ $0 >= since }) ?? false {
            guard let before = corner, let start = before.time, let end = fix.time else {
                corner = fix
                continue
            }
            let span = end.seconds(since: start)
            guard span >= Self.runningLeg else { continue }
            way += UnitVector(before.coordinate).distance(to: UnitVector(fix.coordinate)).meters
            seconds += span
            corner = fix
        }
        return way > MeasuredMotion.Pace.running.speed * seconds
    }

    /// The last fix at the place, and the way from there on.
    ///
    /// Who came to the place moving leaves with all of it. Who rested leaves with the last fix no farther from the
    /// mean than is usual there; what runs, with the first fix of that.
    ///
    /// - Parameter isKnown: whether the way is one whatever gaps it has. Else it begins after the last gap, since nobody
    ///   knows when the device left in it.
    func departure(_ policy: TrackingPolicy, isKnown: Bool) -> (end: Fix, way: [Fix]) {
        let all = recent + outside
        let (middle, reach) = (mean, reach(policy.stopRadius))
        var from: Int?
        if let since = motion.runningSince, motion.holds(.running) {
            from = all.firstIndex { $0.time.map { $0 >= since } ?? false }
        } else if let first = recent.first, !isPassing, Self.isNear(first, middle, within: reach) {
            from = recent.lastIndex { Self.isNear($0, middle, within: reach) }
        }
        let begin = from ?? 0
        let gaps = all.indices.dropFirst(begin + 1).filter { index in
            guard let before = all[index - 1].time, let time = all[index].time else { return false }
            return all[index].beginsSegment || time.seconds(since: before) >= policy.tripEndAfter
        }
        guard !isKnown, let last = gaps.last else { return (all.isEmpty ? last : all[begin], Array(all[begin...])) }
        // Beyond the first gap that it was outside after, it was not there any more.
        return (all[(gaps.first { $0 >= recent.count } ?? last) - 1], Array(all[last...]))
    }

    /// How far from the mean the last fix before the departure is, at most, in metres: as far as the fixes of the stop
    /// usually are, but not beyond its radius.
    private func reach(_ radius: Distance) -> Double {
        guard isTold, spreadTime > 0 else { return Self.core }
        return max(Self.core, min((spread / spreadTime).squareRoot(), radius.meters))
    }

    /// Whether the device has not rested at all since the arrival, but gone on from there: its mean is then half
    /// way to the last fix.
    private var isPassing: Bool {
        let (begin, end) = (UnitVector(arrival.coordinate), UnitVector(last.coordinate))
        let way = begin.distance(to: end).meters
        return !isTold && way > 2 * Self.core && begin.distance(to: mean).meters > way / 4
    }

    private func departure(of first: Fix, at here: UnitVector, claimed: Double, radius: Double) -> Departure {
        let least = max(radius, (motion.isSeen ? Self.accuracyShare : Self.anchoredAccuracyShare) * claimed)
        var usual = min(Self.spreads * usualSpread, Self.mostUncertainty * radius)
        if let before = last.time, let time = first.time, time.seconds(since: before) >= Self.longSilence.seconds {
            usual = min(usual, Self.longSilence.meters)
        }
        let distance = mean.distance(to: here).meters
        let way = isTold ? 0 : UnitVector(arrival.coordinate).distance(to: here).meters
        return Departure(
            place: here, distance: distance,
            begin: distance >= Self.wayFromMean * way ? way / 2.0.squareRoot() : 0,
            least: least, uncertainty: motion.isSeen ? least : max(least, usual))
    }

    /// The root of the mean square of the distance from the mean, in metres.
    private var usualSpread: Double {
        let presumed = Self.presumption * Self.presumedSpread * Self.presumedSpread
        return ((spread + presumed) / (spreadTime + Self.presumption)).squareRoot()
    }

    /// Whether noise that has brought a fix here would be too improbable.
    ///
    /// The distance from the mean of noise of the usual spread *u* exceeds *d* with a probability of exp(−*d*²/*u*²).
    private func proves(_ departure: Departure, _ fix: Fix, _ proof: Proof) -> Bool {
        let distance = max(departure.distance, departure.begin)
        let spread = departure.uncertainty / Self.spreads
        let byDistance = pow(max(0, distance - longestStep(to: departure.place)) / spread, 2)
        var steadiness = Steadiness(
            goal: fix, at: departure.place, from: isTold ? mean : UnitVector(arrival.coordinate),
            least: departure.least)
        if byDistance < proof.alone {
            steadiness.follow(back: outside)
            steadiness.follow(back: recent)
            guard byDistance + steadiness.evidence >= proof.joint else { return false }
        }
        // The jump may have come before it was outside.
        let without = pow(max(0, distance - longestJump) / spread, 2)
        return without >= proof.alone || without + steadiness.evidence >= proof.joint
    }

    /// The longest way from fix to fix since the last one at rest, in metres.
    private func longestStep(to here: UnitVector) -> Double {
        var (place, longest) = (UnitVector(last.coordinate), 0.0)
        for fix in outside {
            let next = UnitVector(fix.coordinate)
            longest = max(longest, place.distance(to: next).meters)
            place = next
        }
        return max(longest, place.distance(to: here).meters)
    }

    /// The longest way from fix to fix since the last one near the mean, of those that nobody walks.
    private var longestJump: Double {
        let (middle, inside) = (mean, recent)
        var longest = 0.0
        for (from, to) in zip(inside, inside.dropFirst()).reversed() {
            let start = UnitVector(from.coordinate)
            let step = start.distance(to: UnitVector(to.coordinate)).meters
            if let begin = from.time, let end = to.time, step > Self.walk * end.seconds(since: begin) {
                longest = max(longest, step)
            }
            if Self.isNear(from, middle) { break }
        }
        return longest
    }
}
