import Geodesy
import Positioning

/// What one device is inside of, and what its next fix changes about that.
///
/// Inside, outside and unknown are told apart: unknown is a geofence that has come, moved or been resized since the
/// device's last fix, and one of which the last fix was too inaccurate to tell. After a search the engine knows how
/// far the device can go before anything can change; until then a fix costs a comparison.
struct GeofenceEngine: Sendable {
    /// A stay inside a geofence.
    struct Stay: Sendable {
        var number: Int32
        var since: Timestamp
        var hasDwelt = false
    }

    /// A fix as the engine sees it.
    struct Step {
        var time: Timestamp
        var here: UnitVector
        /// Nil where unknown or not to be considered.
        var accuracy: Distance?
        /// The fix before and its time, where the way between is a leg.
        var leg: (start: UnitVector, startTime: Timestamp)?
    }

    private(set) var stays: [Stay] = []
    private var undecided: [Int32] = []
    /// What the fix being looked at has left.
    private var left: [Int32] = []
    private(set) var seenRevision: Int64 = -1
    private var anchor: UnitVector?
    private var squaredSlack = 0.0
    private var nextDwell: Timestamp?
    private var reach = 500.0

    /// The smallest usable-accuracy bound and the smallest exit margin, in metres (protocol, section 1).
    private static let leastAccuracyBound = 50.0
    private static let leastMargin = 10.0
    private static let marginShare = 0.05
    /// Geofences that a search brings to look at: beyond the one it reaches less far next time, below the other
    /// farther.
    private static let fewCandidates = 4
    private static let manyCandidates = 24
    private static let reaches = 100.0...8000.0
    /// Bulge of the longest leg over its chord, and rounding, in metres.
    private static let legBulge = 0.6
    /// What is taken off the slack for rounding, in metres.
    private static let slackRounding = 0.01

    /// Looks at a fix, and calls `tell` with what happened, at which place and time.
    @inline(__always)
    mutating func advance(
        _ step: Step, in index: GeofenceIndex, policy: TrackingPolicy,
        tell: (Event.Kind, Timestamp, UnitVector) -> Void
    ) {
        if let anchor, index.revision == seenRevision, anchor.squaredChord(to: step.here) < squaredSlack,
            nextDwell.map({ step.time < $0 }) ?? true
        {
            return
        }
        search(step, in: index, policy: policy, tell: tell)
    }

    private mutating func search(
        _ step: Step, in index: GeofenceIndex, policy: TrackingPolicy,
        tell: (Event.Kind, Timestamp, UnitVector) -> Void
    ) {
        var slack = reach
        reconsiderStays(step, in: index, policy: policy, slack: &slack, tell: tell)
        var area = Box(step.here)
        if let leg = step.leg { area = area.union(Box(leg.start)) }
        area = area.expanded(by: (max(0, slack) + Self.legBulge) / Sphere.radius.meters)
        let wasUndecided = undecided
        undecided.removeAll(keepingCapacity: true)
        var candidates = 0
        index.forEachCandidate(in: area) { number in
            candidates += 1
            guard !stays.contains(where: { $0.number == number }), !left.contains(number) else { return }
            let shape = index.shapes[Int(number)]
            let isUnknown = shape.revision > seenRevision || wasUndecided.contains(number)
            let squared = shape.center.squaredChord(to: step.here)
            if squared <= shape.squaredRadius {
                enter(
                    number, shape, in: index, isUnknown: isUnknown, squared: squared, step, policy: policy,
                    slack: &slack, tell: tell)
            } else {
                let gap = Sphere.distance(squaredChord: squared).meters - shape.radius.meters
                slack = min(slack, gap)
                if !isUnknown { cross(number, shape, in: index, step, tell: tell) }
            }
        }
        settle(step, candidates: candidates, slack: slack, revision: index.revision, policy: policy)
    }

    /// Exits, removals and dwells.
    private mutating func reconsiderStays(
        _ step: Step, in index: GeofenceIndex, policy: TrackingPolicy, slack: inout Double,
        tell: (Event.Kind, Timestamp, UnitVector) -> Void
    ) {
        var kept: [Stay] = []
        left.removeAll(keepingCapacity: true)
        for var stay in stays {
            let shape = index.shapes[Int(stay.number)]
            let distance = shape.center.distance(to: step.here)
            func sighting() -> Event.GeofenceSighting {
                Event.GeofenceSighting(geofence: index.geofence(stay.number), distance: distance)
            }
            let inside = step.time.seconds(since: stay.since)
            if shape.isRemoved {
                tell(.exit(sighting(), inside: inside, removed: true), step.time, step.here)
                continue
            }
            if shape.revision > seenRevision { continue }
            let radius = shape.radius.meters
            let least = policy.exitMargin?.meters ?? max(Self.leastMargin, Self.marginShare * radius)
            let margin = policy.exitMargin?.meters ?? max(least, step.accuracy?.meters ?? 0)
            if distance.meters > radius + margin {
                left.append(stay.number)
                slack = min(slack, distance.meters - radius)
                tell(.exit(sighting(), inside: inside, removed: false), step.time, step.here)
                continue
            }
            if !stay.hasDwelt, inside >= policy.dwell {
                stay.hasDwelt = true
                tell(.dwell(sighting(), inside: inside), step.time, step.here)
            }
            slack = min(slack, radius + least - distance.meters)
            kept.append(stay)
        }
        stays = kept
    }

    private mutating func enter(
        _ number: Int32, _ shape: GeofenceIndex.Shape, in index: GeofenceIndex, isUnknown: Bool, squared: Double,
        _ step: Step, policy: TrackingPolicy, slack: inout Double, tell: (Event.Kind, Timestamp, UnitVector) -> Void
    ) {
        let radius = shape.radius.meters
        if let accuracy = step.accuracy, accuracy.meters > max(radius, Self.leastAccuracyBound) {
            if isUnknown { undecided.append(number) }
            slack = 0
            return
        }
        let distance = Sphere.distance(squaredChord: squared)
        let sighting = Event.GeofenceSighting(geofence: index.geofence(number), distance: distance)
        tell(.enter(sighting, initial: isUnknown), step.time, step.here)
        let dwellsAtOnce = policy.dwell <= 0
        if dwellsAtOnce { tell(.dwell(sighting, inside: 0), step.time, step.here) }
        stays.append(Stay(number: number, since: step.time, hasDwelt: dwellsAtOnce))
        slack = min(slack, radius - distance.meters)
    }

    private func cross(
        _ number: Int32, _ shape: GeofenceIndex.Shape, in index: GeofenceIndex, _ step: Step,
        tell: (Event.Kind, Timestamp, UnitVector) -> Void
    ) {
        guard let leg = step.leg, leg.start.squaredChord(to: shape.center) > shape.squaredRadius,
            let arc = GreatCircleArc(from: leg.start, to: step.here),
            let (point, fraction) = arc.closestInteriorPoint(to: shape.center)
        else { return }
        let squared = point.squaredChord(to: shape.center)
        guard squared <= shape.squaredRadius else { return }
        let span = Double(step.time.milliseconds(since: leg.startTime))
        let time = leg.startTime.advanced(byMilliseconds: Int64((span * fraction).rounded()))
        let distance = Sphere.distance(squaredChord: squared)
        tell(.cross(.init(geofence: index.geofence(number), distance: distance)), time, point)
    }

    private mutating func settle(
        _ step: Step, candidates: Int, slack: Double, revision: Int64, policy: TrackingPolicy
    ) {
        seenRevision = revision
        anchor = step.here
        squaredSlack = Sphere.squaredChord(distance: .meters(slack - Self.slackRounding))
        nextDwell = stays.lazy.filter { !$0.hasDwelt }
            .map { $0.since.advanced(byMilliseconds: Int64((policy.dwell * 1000).rounded(.up))) }.min()
        if candidates < Self.fewCandidates { reach = min(reach * 2, Self.reaches.upperBound) }
        if candidates > Self.manyCandidates { reach = max(reach / 2, Self.reaches.lowerBound) }
    }

    /// Searches at the next fix, whatever was found before; for other settings.
    mutating func reconsider() { anchor = nil }

    /// Forgets everything: each geofence is unknown again.
    mutating func reset() { self = GeofenceEngine() }
}

extension GeofenceEngine {
    /// What must be kept for the device to go on after a restart.
    struct Saved: Codable, Hashable, Sendable {
        struct Stay: Codable, Hashable, Sendable {
            var geofence: Geofence
            var since: Timestamp
            var hasDwelt: Bool
        }

        var stays: [Stay]
        var undecided: [Geofence.Identity]
        var seenRevision: Int64
    }

    func saved(in index: GeofenceIndex) -> Saved {
        Saved(
            stays: stays.map {
                Saved.Stay(
                    geofence: index.geofence($0.number), since: $0.since, hasDwelt: $0.hasDwelt)
            },
            undecided: undecided.map { index.geofence($0).identity }, seenRevision: seenRevision)
    }

    /// The engine as it was saved.
    ///
    /// A stay in a geofence that is gone is kept with a tombstone, which the index gets.
    init(_ saved: Saved, in index: inout GeofenceIndex) {
        seenRevision = saved.seenRevision
        stays = saved.stays.map {
            Stay(number: index.number(ofOrBurying: $0.geofence), since: $0.since, hasDwelt: $0.hasDwelt)
        }
        undecided = saved.undecided.compactMap { index.number(of: $0) }
    }
}
