import Geodesy
import Glibc
import Positioning
import Time

/// Decides whether a standing device has left.
extension Rest {
    /// The distance of a fix from an anchored rest, in metres.
    private struct Departure {
        var place: UnitVector
        /// The distance from the mean.
        var distance: Double
        /// The distance from the arrival divided by √2, for a rest that has not been reported; otherwise 0.
        ///
        /// The mean of such a rest follows a device that keeps going. The divisor is √2, because
        /// two noisy places are that many times as far apart as one of them is from the mean.
        var begin: Double
        /// The distance that always counts as within: the stop radius, or a multiple of the fix's accuracy.
        var least: Double
        /// The distance that noise hardly exceeds.
        var uncertainty: Double

        func exceeds(_ bound: Double) -> Bool {
            max(distance, begin) > bound
        }
    }

    /// The multiple of the accuracy radius, which holds 95 %, that a departure from an anchor must exceed.
    private static let anchoredAccuracyShare = 2.0
    /// The multiple of the usual distance from the mean that noise hardly exceeds.
    ///
    /// One in 8,000 independent fixes does.
    private static let spreads = 3.0
    /// The greatest uncertainty that the spread may cause, as a multiple of the stop radius.
    ///
    /// Strolling about a place must not make it impossible to leave.
    private static let maximumUncertainty = 2.5
    /// The usual distance from the mean, in metres, that is presumed while little is known.
    private static let presumedSpread = 33.0
    /// The weight of ``presumedSpread``, as seconds of experience.
    private static let presumption = 600.0
    /// The number of uncertainties that a displacement must exceed to be no noise, even if no motion was seen.
    ///
    /// It must also exceed ``farthestJump``.
    private static let certainty = 4.0
    /// The farthest jump of a position between tall buildings, in metres.
    private static let farthestJump = 500.0
    /// The least ratio of the distance of such a place to the longest step on the way there.
    ///
    /// A jump consists of a single step, and an indoor receiver returns from it within minutes.
    private static let wayOn = 1.5
    /// The least ratio of a device's distance from the mean to its distance from the arrival, if it keeps going.
    ///
    /// It is usually about half. If it is less, the arrival was noise.
    private static let wayFromMean = 0.45
    private static let runningLeg = 10.0
    /// The durations of legs, in seconds, over which a slow path is looked for.
    private static let legs = [Steadiness.shortestLeg, 30, 90]
    /// The share of a leg over which places are averaged.
    ///
    /// Averages of wandering noise go on more steadily than its places do. Over a third of a leg, this is worth about
    /// an eighth of a unit of evidence for each leg: for Brownian motion, the steps between averages have 8/9 of the
    /// variance of those between places, and neighbours have a covariance of 1/18 of it.
    private static let averagedShare = 1.0 / 3
    /// The least length of such a path, in metres.
    private static let shortestPath = 20.0
    /// The time in seconds after which a receiver's error has mostly changed, so that a fix is a sample of its own.
    private static let wander = 150.0
    /// The number of such samples that show how a receiver's error spreads: 20 minutes.
    private static let enoughSamples = 8.0
    /// The multiple of the usual distance from the mean within which a place counts as near it.
    private static let usualSpreads = 2.0
    /// The accuracy, in metres, that is presumed of a receiver that claims none.
    private static let unclaimed = 20.0
    /// The ratio of the radius of 95 % to the root mean square of the distance.
    private static let radiusOfSpread = 1.73
    /// The speed, in metres a second, above which nobody walks.
    private static let walk = 5.0
    /// The speed, in metres a second, below which a device is standing, if its receiver measures speed.
    static let standing = 0.5

    /// The limit of the uncertainty after a long silence: after at least `seconds`, it is at most `meters`.
    ///
    /// A trip would have ended in such a silence. No known drift exceeds this distance, and a receiver that has just
    /// been switched on errs by less.
    private static let longSilence = (seconds: 900.0, meters: 100.0)

    /// The evidence that proves a departure.
    struct Proof {
        /// The negative logarithm of the probability of noise that distance alone must reach.
        var alone: Double
        /// The sum of the evidence of distance and steadiness that is required.
        ///
        /// If the two are independent, noise reaches it as rarely as ``alone``.
        var joint: Double
        /// The number of seconds for which a running pace must be measured, wherever it leads.
        var running: Double

        /// The proof to begin a trip.
        ///
        /// With one independent sample a minute, noise reaches it once in a thousand years.
        static let ofTrip = Proof(alone: 20, joint: 23, running: 180)
        /// The proof to continue a trip.
        ///
        /// Noise reaches it once in two weeks, which suffices because a stop within a trip lasts minutes.
        static let ofGoingOn = Proof(alone: 10, joint: 12.5, running: 60)
    }

    /// Adds the next fix of a standing device.
    ///
    /// The device leaves if noise is too improbable, judging by its distance and its steadiness. The longest step does
    /// not count towards the distance, since it may be a jump. The device also leaves if this fix and the one before
    /// are farther away than any jump. A device that is outside for `patience` seconds without such a proof is
    /// elsewhere.
    ///
    /// The uncertainty is the stop radius, twice the fix's accuracy, or three times the usual distance from the mean,
    /// whichever is greatest. Once three fixes in a row have shown motion by their speed, the usual distance does not
    /// count, and 1.5 times the accuracy suffices.
    mutating func add(
        _ fix: Fix, at here: UnitVector, accuracy: Distance?, radius: Distance, patience: Double, proof: Proof
    ) -> Evidence {
        motion.note(fix)
        trail = trail ?? Trail()
        trail?.append(fix)
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
        // The path to where a recording resumes is unknown. The device is elsewhere, but was not seen going there.
        let hasComeFar = isFar && !first.beginsSegment
        let goesOn = departure.distance >= Self.wayOn * longestStep(to: here)
        isHeld = !motion.isSeen && !hasLeft && !hasComeFar && (!isFar || isAlone)
        if hasLeft || (hasComeFar && !isAlone && goesOn) { return .leaves }
        return (isFar && !isAlone && first.beginsSegment) || now.seconds(since: since) >= patience
            ? .isElsewhere : .unsure
    }

    /// Returns how sure it is that no noise has brought an anchored device to a fix, for geofences to follow it there.
    ///
    /// It is the negative logarithm of a probability, summed over the distance from the mean and the steadiness of the
    /// path, like a ``Proof``. A trip needs more: a device that drags its anchor has left a geofence without travelling.
    func certaintyOfLeaving(_ fix: Fix, at here: UnitVector, accuracy: Distance?) -> Double {
        let middle = mean
        let distance = middle.distance(to: here).meters
        let spread = seenSpread(claimed: accuracy?.meters)
        // The trail knows jumps within the core, too, which `recent` forgets. But it knows nothing before a gap, such as
        // a jump that the gate believed late.
        let leap = max(
            longestLeap(over: recent + outside, to: here, near: Self.core),
            longestLeap(over: trail?.fixes ?? [], to: here, near: min(Self.core, Self.usualSpreads * spread)))
        let byDistance = pow(max(0, distance - leap) / spread, 2)
        let path = (trail ?? Trail()).path(to: fix, at: here)
        let bySteadiness = Self.legs.reduce(0.0) { most, leg in
            let steadiness = Steadiness(
                of: path.averaged(over: leg * Self.averagedShare), from: middle, least: Self.shortestPath,
                shortestLeg: leg)
            return max(most, steadiness?.evidence ?? 0)
        }
        return byDistance + bySteadiness
    }

    /// Returns the longest step from fix to fix since the last one near the mean, in metres.
    private func longestLeap(over fixes: [Fix], to here: UnitVector, near reach: Double) -> Double {
        let middle = mean
        var (place, longest) = (here, 0.0)
        for fix in fixes.reversed() {
            let before = UnitVector(fix.coordinate)
            longest = max(longest, before.distance(to: place).meters)
            if Self.isNear(fix, middle, within: reach) { break }
            place = before
        }
        return longest
    }

    /// The root mean square of the distance from the mean, in metres, as far as this rest has shown it.
    ///
    /// A receiver that was seen standing for long enough is known; its accuracy is only a lower bound.
    private func seenSpread(claimed: Double?) -> Double {
        let samples = spreadTime / Self.wander
        guard samples >= Self.enoughSamples else { return usualSpread }
        let seen = (spread / spreadTime * (1 + 2 / samples.squareRoot())).squareRoot()
        return min(usualSpread, max(seen, (claimed ?? Self.unclaimed) / Self.radiusOfSpread))
    }

    /// Whether the positions advance as fast as the running pace that is measured, so that it is not invented.
    ///
    /// They are compared over legs of at least ten seconds, because noise moves fast over shorter ones.
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

    /// Returns the last fix at the place, and the path from there on.
    ///
    /// A device that never rested leaves with all its fixes. A device that rested leaves with the last fix that is no
    /// farther from the mean than usual there, and a running one with the first fix of the run.
    ///
    /// - Parameter isKnown: whether the path counts whatever gaps it has. If false, it begins after the last gap, since
    ///   nobody knows when during the gap the device left.
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
        // The first gap that ends outside is when the device left. The fix before it was the last one at the place.
        return (all[(gaps.first { $0 >= recent.count } ?? last) - 1], Array(all[last...]))
    }

    /// Returns the greatest distance from the mean of the last fix before the departure, in metres.
    ///
    /// It is the usual distance of the stop's fixes, but not more than the stop radius.
    private func reach(_ radius: Distance) -> Double {
        guard isTold, spreadTime > 0 else { return Self.core }
        return max(Self.core, min((spread / spreadTime).squareRoot(), radius.meters))
    }

    /// Whether the device has kept going since the arrival without resting.
    ///
    /// The mean is then halfway to the last fix.
    private var isPassing: Bool {
        let (begin, end) = (UnitVector(arrival.coordinate), UnitVector(last.coordinate))
        let way = begin.distance(to: end).meters
        return !isTold && way > 2 * Self.core && begin.distance(to: mean).meters > way / 4
    }

    private func departure(of first: Fix, at here: UnitVector, claimed: Double, radius: Double) -> Departure {
        let least = max(radius, (motion.isSeen ? Self.accuracyShare : Self.anchoredAccuracyShare) * claimed)
        var usual = min(Self.spreads * usualSpread, Self.maximumUncertainty * radius)
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

    /// The root mean square of the distance from the mean, in metres.
    private var usualSpread: Double {
        let presumed = Self.presumption * Self.presumedSpread * Self.presumedSpread
        return ((spread + presumed) / (spreadTime + Self.presumption)).squareRoot()
    }

    /// Whether it is too improbable that noise has brought a fix here.
    ///
    /// For noise of the usual spread *u*, the distance from the mean exceeds *d* with a probability of exp(−*d*²/*u*²).
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
        // The jump may have come before the device was outside.
        let without = pow(max(0, distance - longestJump) / spread, 2)
        return without >= proof.alone || without + steadiness.evidence >= proof.joint
    }

    /// Returns the longest step from fix to fix since the last one at rest, in metres.
    private func longestStep(to here: UnitVector) -> Double {
        var (place, longest) = (UnitVector(last.coordinate), 0.0)
        for fix in outside {
            let next = UnitVector(fix.coordinate)
            longest = max(longest, place.distance(to: next).meters)
            place = next
        }
        return max(longest, place.distance(to: here).meters)
    }

    /// The longest step from fix to fix since the last one near the mean, in metres, among those too fast for walking.
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
