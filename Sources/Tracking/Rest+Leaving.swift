import Geodesy
import Positioning

/// Whether a device that stands has left.
extension Rest {
    /// How far a fix is from an anchored rest, in metres.
    private struct Departure {
        var place: UnitVector
        /// From the mean.
        var distance: Double
        /// From the arrival, where that counts; the mean of a rest that was not told may follow the device.
        var begin: Double
        /// What is surely within: the stop radius, or the fix's own inaccuracy.
        var least: Double
        /// The distance that noise hardly exceeds.
        var uncertainty: Double

        func exceeds(_ bound: Double) -> Bool {
            distance > bound || (begin > bound && distance > bound / 2)
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
    /// Slower, in metres a second, is standing, by a receiver that measures speed.
    static let standing = 0.5

    /// The negative logarithm of the probability of noise from which a departure is proven.
    struct Proof {
        /// By the distance alone.
        var alone: Double
        /// By distance and steadiness, which add up: as rare, for two that are independent.
        var joint: Double

        /// For a trip: once in a thousand years of noise that is another one each minute.
        static let ofTrip = Proof(alone: 20, joint: 23)
        /// For going on with one: a stop within it lasts minutes, so that it is enough where two weeks bring one.
        static let ofGoingOn = Proof(alone: 10, joint: 12.5)
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
    ) -> Verdict {
        note(fix)
        let claimed = accuracy?.meters ?? 0
        let departure = departure(at: here, claimed: claimed, radius: radius.meters)
        let isStanding = fix.speed.map { $0.metersPerSecond < Self.standing } ?? false
        let hasLeft = !isStanding && departure.exceeds(departure.least) && proves(departure, fix, proof)
        guard hasLeft || departure.exceeds(departure.uncertainty) else {
            isHeld = !(isMoving && departure.distance > max(Self.core, claimed))
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
        isHeld = !isMoving && !hasLeft && !hasComeFar && (!isFar || isAlone)
        if hasLeft || (hasComeFar && !isAlone) { return .leaves }
        return (isFar && !isAlone) || now.seconds(since: since) >= patience ? .isElsewhere : .unsure
    }

    private func departure(at here: UnitVector, claimed: Double, radius: Double) -> Departure {
        let least = max(radius, (isMoving ? Self.accuracyShare : Self.anchoredAccuracyShare) * claimed)
        let usual = min(Self.spreads * usualSpread, Self.mostUncertainty * radius)
        return Departure(
            place: here, distance: mean.distance(to: here).meters,
            begin: isTold ? 0 : UnitVector(arrival.coordinate).distance(to: here).meters,
            least: least, uncertainty: isMoving ? least : max(least, usual))
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
        let spread = departure.uncertainty / Self.spreads
        let away = max(0, max(departure.distance, departure.begin) - longestStep(to: departure.place)) / spread
        let byDistance = away * away
        if byDistance >= proof.alone { return true }
        var steadiness = Steadiness(
            goal: fix, at: departure.place, from: isTold ? mean : UnitVector(arrival.coordinate),
            least: departure.least)
        steadiness.follow(back: outside)
        steadiness.follow(back: recent)
        return byDistance + steadiness.evidence >= proof.joint
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
}
