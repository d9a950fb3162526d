import Geodesy
import Shapes
import Time

/// Decides which events a fix causes, exactly on the sphere and by the rules of the guide page *Interfaces*.
extension GeofenceEngine {
    /// The accuracy, in metres, that always suffices to enter, even a smaller geofence (*Interfaces*).
    static let leastAccuracyBound = 50.0
    /// The smallest exit margin, in metres (*Interfaces*).
    private static let leastMargin = 10.0
    /// The exit margin as a share of the radius (*Interfaces*).
    private static let marginShare = 0.05

    /// A fix on the sphere, and the leg to it.
    struct Scene {
        var time: Timestamp
        var place: Coordinate
        var accuracy: Distance?
        var here: UnitVector
        var leg: Leg?

        struct Leg {
            var start: UnitVector
            var startPlace: Coordinate
            var startTime: Timestamp
            /// An upper bound of the leg's length.
            var length: Distance
        }

        func seconds(_ stay: Stay) -> Double { time.seconds(since: stay.since) }

        /// - Parameter standing: how the fix stands to the shape, exactly, if that is known.
        func sighting(
            _ number: Int32, _ fence: GeofenceIndex.Fence, _ standing: Shape.Standing? = nil, in index: GeofenceIndex
        ) -> Event.GeofenceSighting {
            guard let standing else { return index.sighting(number, at: place, here) }
            return Event.GeofenceSighting(geofence: index.geofence(number), edge: .meters(standing.edge))
        }
    }

    /// Whether the device is inside a geofence whose exit is an alarm, or its fix lies in one.
    ///
    /// The fix counts too: a device that is held somewhere else would otherwise never enter the circle of an anchor that
    /// is dropped at its fix, and so never give an alarm.
    func isInsideAlarm(_ place: Coordinate, _ here: UnitVector, at time: Timestamp, in index: GeofenceIndex) -> Bool {
        guard index.hasAlarms else { return false }
        if stays.contains(where: { index.isAlarm($0.number) }) { return true }
        var isInside = false
        index.forEachCandidate(in: Box(here)) { number in
            guard !isInside, index.isAlarm(number) else { return }
            let fence = index.fences[Int(number)]
            guard !fence.isRemoved, index.watch(fence).map({ $0.state(at: time, of: device) == .watched }) ?? true
            else { return }
            isInside =
                fence.isCircle
                ? fence.center.squaredChord(to: here) <= fence.squaredRadius
                : index.outline(number)?.shape.contains(place, at: here) ?? false
        }
        return isInside
    }

    /// Whether the device is inside a geofence whose exit is an alarm.
    func staysInAlarm(in index: GeofenceIndex) -> Bool {
        index.hasAlarms && stays.contains { index.isAlarm($0.number) }
    }

    /// Whether a fix leaves a geofence whose exit is an alarm, and the average of the fixes before does not bear it out.
    ///
    /// - Complexity: O(*n*) for *n* stays.
    func isDoubtfulAlarm(
        _ place: Coordinate, _ here: UnitVector, accuracy: Distance?, average: UnitVector, in index: GeofenceIndex,
        policy: TrackingPolicy
    ) -> Bool {
        stays.contains { stay in
            let fence = index.fences[Int(stay.number)]
            guard index.isAlarm(stay.number), !fence.isRemoved else { return false }
            let margin = Self.exitLimit(fence, accuracy: accuracy, policy) - fence.radius.meters
            func isBeyond(_ margin: Double, _ place: Coordinate, _ here: UnitVector) -> Bool {
                guard !fence.isCircle, let outline = index.outline(stay.number) else {
                    return fence.center.distance(to: here).meters > fence.radius.meters + margin
                }
                let standing = outline.shape.standing(place, at: here)
                return !standing.isInside && standing.gap > margin
            }
            return isBeyond(margin, place, here)
                && !isBeyond(AlarmProof.marginShare * margin, Coordinate(average), average)
        }
    }

    /// Returns the limits of speed of the geofences that the device is inside.
    func speedLimits(in index: GeofenceIndex) -> [SpeedWatch.Limit] {
        guard index.hasSpeedLimits else { return [] }
        return stays.compactMap { stay in
            index.speedLimit(stay.number).map {
                SpeedWatch.Limit(geofence: index.geofence(stay.number).identity, speed: $0)
            }
        }
    }

    /// Returns a fix and the leg to it, in the form that exact decisions need.
    func scene(_ step: PlacedFix, policy: TrackingPolicy) -> Scene {
        var scene = Scene(
            time: step.time, place: step.place, accuracy: step.accuracy, here: UnitVector(step.place), leg: nil)
        if let last, !isApart(step, policy: policy) {
            let start = UnitVector(last.place)
            let squared = start.squaredChord(to: scene.here)
            if squared <= Self.squaredLongestLeg {
                scene.leg = Scene.Leg(
                    start: start, startPlace: last.place, startTime: last.time,
                    length: Sphere.maximumDistance(squaredChord: squared))
            }
        }
        return scene
    }

    private static let squaredLongestLeg = Sphere.squaredChord(distance: TrackingPolicy.longestLeg)

    /// Returns the distance from the centre, in metres, up to which a device that is inside stays inside.
    static func limit(ofStayIn fence: GeofenceIndex.Fence, _ policy: TrackingPolicy) -> Double {
        let radius = fence.radius.meters
        return radius + (policy.exitMargin?.meters ?? max(leastMargin, marginShare * radius))
    }

    /// Returns the distance from the centre, in metres, beyond which a fix leaves.
    static func exitLimit(_ fence: GeofenceIndex.Fence, accuracy: Distance?, _ policy: TrackingPolicy) -> Double {
        let least = limit(ofStayIn: fence, policy)
        return policy.exitMargin == nil ? max(least, fence.radius.meters + (accuracy?.meters ?? 0)) : least
    }

    /// How far a fix lies outside of the geofences that the device is inside.
    enum Remoteness: Int, Comparable {
        /// It lies within all, or within the margin.
        case near
        /// It lies beyond the margin of one.
        case beyondMargin
        /// It lies beyond the margin of one, and by more than twice its accuracy.
        case beyondAccuracy

        static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }

    /// Returns how far a place lies outside of the geofences that the device is inside.
    ///
    /// - Complexity: O(*n*) for *n* stays.
    func remoteness(
        of place: Coordinate, _ here: UnitVector, accuracy: Distance?, in index: GeofenceIndex, policy: TrackingPolicy
    ) -> Remoteness {
        var remoteness = Remoteness.near
        for stay in stays where remoteness < .beyondAccuracy {
            let fence = index.fences[Int(stay.number)]
            guard fence.isCircle else {
                remoteness = max(
                    remoteness, self.remoteness(of: place, here, stay, accuracy: accuracy, in: index, policy: policy))
                continue
            }
            let squared = fence.center.squaredChord(to: here)
            guard !fence.isRemoved, squared > fence.squaredRadius else { continue }
            let distance = Sphere.distance(squaredChord: squared).meters
            guard distance > Self.exitLimit(fence, accuracy: accuracy, policy) else { continue }
            let isFar = accuracy.map { distance > fence.radius.meters + 2 * $0.meters } ?? false
            remoteness = max(remoteness, isFar ? .beyondAccuracy : .beyondMargin)
        }
        return remoteness
    }

    /// Returns the worst accuracy, in metres, with which a fix enters a circle.
    static func worstAccuracy(toEnter fence: GeofenceIndex.Fence) -> Double {
        max(fence.radius.meters, leastAccuracyBound)
    }

    /// Emits the exit event of a stay in a circle if the fix ends it.
    ///
    /// - Returns: whether the device has left.
    func leave(
        _ stay: Stay, _ fence: GeofenceIndex.Fence, in index: GeofenceIndex, _ scene: Scene, policy: TrackingPolicy,
        emit: Emit
    ) -> Bool {
        let squared = fence.center.squaredChord(to: scene.here)
        let least = Self.limit(ofStayIn: fence, policy)
        guard Sphere.maximumDistance(squaredChord: squared).meters > least else { return false }
        let sighting = scene.sighting(stay.number, fence, in: index)
        guard sighting.distance.meters > Self.exitLimit(fence, accuracy: scene.accuracy, policy) else { return false }
        emit(.exit(sighting, inside: scene.seconds(stay), removed: false), scene.time, scene.place)
        return true
    }

    /// Emits the event of a circle that the device was not inside, if the fix enters or crosses it.
    ///
    /// - Returns: whether the device has entered.
    mutating func meet(
        _ number: Int32, _ fence: GeofenceIndex.Fence, in index: GeofenceIndex, isUnknown: Bool, _ scene: Scene,
        policy: TrackingPolicy, emit: Emit
    ) -> Bool {
        let squared = fence.center.squaredChord(to: scene.here)
        guard squared <= fence.squaredRadius else {
            if !isUnknown { cross(number, fence, in: index, squared: squared, scene, emit: emit) }
            return false
        }
        if let accuracy = scene.accuracy, accuracy.meters > Self.worstAccuracy(toEnter: fence) {
            if isUnknown { undecided.append(number) }
            return false
        }
        enter(number, fence, in: index, isUnknown: isUnknown, scene, policy: policy, emit: emit)
        return true
    }

    /// Emits the enter event of a geofence, and begins the stay in it.
    ///
    /// - Parameter standing: how the fix stands to its shape, exactly, if that is known.
    mutating func enter(
        _ number: Int32, _ fence: GeofenceIndex.Fence, _ standing: Shape.Standing? = nil, in index: GeofenceIndex,
        isUnknown: Bool, _ scene: Scene, policy: TrackingPolicy, emit: Emit
    ) {
        let sighting = scene.sighting(number, fence, standing, in: index)
        emit(.enter(sighting, initial: isUnknown), scene.time, scene.place)
        let dwellsAtOnce = policy.dwell <= 0
        if dwellsAtOnce { emit(.dwell(sighting, inside: 0), scene.time, scene.place) }
        stays.insert(Stay(number: number, since: scene.time, hasDwelt: dwellsAtOnce), at: stay(in: number).position)
    }

    private func cross(
        _ number: Int32, _ fence: GeofenceIndex.Fence, in index: GeofenceIndex, squared: Double, _ scene: Scene,
        emit: Emit
    ) {
        guard let leg = scene.leg else { return }
        // A leg that crosses the circle is at least as long as the sum of the distances of its ends from the boundary.
        let gap = Sphere.minimumDistance(squaredChord: squared) - fence.radius
        guard gap <= leg.length else { return }
        let squaredStart = leg.start.squaredChord(to: fence.center)
        guard squaredStart > fence.squaredRadius,
            gap + Sphere.minimumDistance(squaredChord: squaredStart) - fence.radius <= leg.length,
            let arc = GreatCircleArc(from: leg.start, to: scene.here),
            let (point, fraction) = arc.closestInteriorPoint(to: fence.center)
        else { return }
        let closest = point.squaredChord(to: fence.center)
        guard closest <= fence.squaredRadius else { return }
        let span = Double(scene.time.milliseconds(since: leg.startTime))
        let time = leg.startTime.advanced(byMilliseconds: Int64((span * fraction).rounded()))
        let sighting = Event.GeofenceSighting(
            geofence: index.geofence(number), distance: Sphere.distance(squaredChord: closest))
        emit(.cross(sighting), time, point == scene.here ? scene.place : Coordinate(point))
    }

    /// Returns the earliest time at which a dwell may be due, rounded down.
    ///
    /// Whether it is due is decided exactly.
    func dwellDue(_ policy: TrackingPolicy) -> Timestamp {
        let span = Int64((policy.dwell * 1000).rounded(.down))
        return stays.reduce(Self.never) { next, stay in
            stay.hasDwelt ? next : min(next, stay.since.advanced(byMilliseconds: span))
        }
    }
}
