import Geodesy
import Shapes
import Time

/// Decides about geofences of other shapes than circles, by the same rules.
///
/// In place of the distance from the centre, the rules take the distance to the shape, and the radius is 0 for polygons.
/// No lane of ``NearBoundaries`` has the boundary of a shape. Outside of the *cap*, a circle that holds the shape, nothing
/// can change, and the circle has a lane. Within it, each look at the shape says how far the device may go before anything
/// can change: its *slack*. It is at least 0 and less than the truth by ``outlineTolerance``.
extension GeofenceEngine {
    /// What is remembered of a shape nearby, so that the next look at it is cheap.
    ///
    /// There are at most as many as lanes; each takes about 200 bytes.
    struct NearOutline: Sendable {
        var number: Int32
        var cursor = ShapeCursor()
    }

    /// More than the edges of a shape and the arcs that stand for them are apart, twice, and all rounding, in metres.
    private static let outlineTolerance = 0.5

    /// Returns the exit margin that is certain whatever the accuracy of a fix, in metres.
    private static func leastMargin(_ fence: GeofenceIndex.Fence, _ policy: TrackingPolicy) -> Double {
        limit(ofStayIn: fence, policy) - fence.radius.meters
    }

    /// Returns the exit margin of a fix, in metres.
    private static func margin(
        _ fence: GeofenceIndex.Fence, accuracy: Distance?, _ policy: TrackingPolicy
    ) -> Double {
        exitLimit(fence, accuracy: accuracy, policy) - fence.radius.meters
    }

    private static func slack(
        _ standing: Shape.Standing, isStay: Bool, _ fence: GeofenceIndex.Fence, _ policy: TrackingPolicy
    ) -> Double {
        let way = isStay ? standing.edge + leastMargin(fence, policy) : -standing.edge
        return max(0, way - outlineTolerance)
    }

    /// Returns the worst accuracy, in metres, with which a fix enters a shape.
    static func worstAccuracy(toEnter outline: Outline) -> Double {
        max(outline.halfInnerWidth, leastAccuracyBound)
    }

    private static func isAccurate(_ accuracy: Distance?, toEnter outline: Outline) -> Bool {
        guard let accuracy, accuracy.meters > leastAccuracyBound else { return true }
        return accuracy.meters <= worstAccuracy(toEnter: outline)
    }

    /// How far a device may go before anything about a shape can change.
    enum Clearance {
        /// Until it enters the cap of this radius in metres.
        case cap(Double)
        /// So many metres.
        case slack(Double)
    }

    /// Returns the radius in metres of the cap of a shape if the device and the leg to it are surely outside.
    ///
    /// - Parameter squaredLimit: the squared chord of the greatest distance from the cap's centre.
    private static func clearCap(
        of fence: GeofenceIndex.Fence, _ scene: Scene, squaredLimit: Double
    ) -> (radius: Double, squaredChord: Double)? {
        let squared = fence.center.squaredChord(to: scene.here)
        guard squared > fence.squaredRadius, squared < squaredLimit else { return nil }
        let radius = Sphere.maximumDistance(squaredChord: fence.squaredRadius).meters
        let gap = Sphere.minimumDistance(squaredChord: squared).meters - radius
        return gap > scene.leg?.length.meters ?? 0 ? (radius, squared) : nil
    }

    /// Whether a place is outside of the cap of a shape, and by more than the tolerance.
    private static func isClear(of fence: GeofenceIndex.Fence, _ place: UnitVector) -> Bool {
        Sphere.minimumDistance(squaredChord: fence.center.squaredChord(to: place)).meters
            > Sphere.maximumDistance(squaredChord: fence.squaredRadius).meters + 2 * outlineTolerance
    }

    private static let squaredReach = Sphere.squaredChord(distance: TangentPlane.reach)

    /// Returns how far a shape must be looked at, so that all is decided and known that matters near the device.
    private func outlook(of scene: Scene, margin: Double) -> Distance {
        .meters(max(near.radius, scene.leg?.length.meters ?? 0, margin) + 2 * Self.outlineTolerance)
    }

    /// Decides about a shape whose clearance the device has used up.
    ///
    /// - Returns: the clearance from here on.
    mutating func decide(
        _ number: Int32, _ fence: GeofenceIndex.Fence, in index: GeofenceIndex, _ scene: Scene, policy: TrackingPolicy,
        emit: Emit
    ) -> Clearance {
        let (position, isAbsent) = stay(in: number)
        if isAbsent, let cap = Self.clearCap(of: fence, scene, squaredLimit: Self.squaredReach) {
            return .cap(cap.radius)
        }
        guard let outline = index.outline(number) else { return .slack(.infinity) }
        let margin = isAbsent ? 0 : Self.margin(fence, accuracy: scene.accuracy, policy)
        looks += 1
        let (standing, isExact) = standing(number, fence, outline, scene, exactWithin: .meters(margin))
        guard !isAbsent else {
            return .slack(
                meet(
                    number, fence, outline, standing, isExact: isExact, in: index, isUnknown: false, scene,
                    policy: policy, emit: emit))
        }
        guard !standing.isInside, standing.gap > margin else {
            return .slack(Self.slack(standing, isStay: true, fence, policy))
        }
        emitExit(of: stays[position], fence, isExact ? standing : nil, in: index, scene, emit: emit)
        stays.remove(at: position)
        return .slack(Self.slack(standing, isStay: false, fence, policy))
    }

    private mutating func standing(
        _ number: Int32, _ fence: GeofenceIndex.Fence, _ outline: Outline, _ scene: Scene, exactWithin margin: Distance
    ) -> (standing: Shape.Standing, isExact: Bool) {
        let known = outlines.firstIndex { $0.number == number }
        let position = known ?? outlines.count
        if known == nil {
            let outside = scene.leg.flatMap { Self.isClear(of: fence, $0.start) ? $0.start : nil }
            outlines.append(NearOutline(number: number, cursor: outside.map(ShapeCursor.init(outsideAt:)) ?? .init()))
        }
        let standing = outlines[position].cursor.standing(
            scene.place, at: scene.here, in: outline.shape, exactWithin: margin)
        return (standing, outlines[position].cursor.isExact)
    }

    /// - Parameter standing: how the fix stands, exactly, if that is known.
    private func emitExit(
        of stay: Stay, _ fence: GeofenceIndex.Fence, _ standing: Shape.Standing?, in index: GeofenceIndex,
        _ scene: Scene, emit: Emit
    ) {
        let sighting = scene.sighting(stay.number, fence, standing, in: index)
        emit(.exit(sighting, inside: scene.seconds(stay), removed: false), scene.time, scene.place)
    }

    /// Decides about a stay in a shape during a search.
    ///
    /// - Returns: the slack; `nil` if the device has left.
    mutating func reconsider(
        _ stay: inout Stay, _ fence: GeofenceIndex.Fence, in index: GeofenceIndex, _ scene: Scene,
        policy: TrackingPolicy, emit: Emit
    ) -> Double? {
        guard let outline = index.outline(stay.number) else { return .infinity }
        let margin = Self.margin(fence, accuracy: scene.accuracy, policy)
        looks += 1
        let standing = outline.shape.standing(
            scene.place, at: scene.here, within: outlook(of: scene, margin: margin))
        if !standing.isInside, standing.gap > margin {
            emitExit(of: stay, fence, nil, in: index, scene, emit: emit)
            return nil
        }
        if !stay.hasDwelt, scene.seconds(stay) >= policy.dwell {
            stay.hasDwelt = true
            emit(
                .dwell(scene.sighting(stay.number, fence, in: index), inside: scene.seconds(stay)), scene.time,
                scene.place)
        }
        return Self.slack(standing, isStay: true, fence, policy)
    }

    /// Decides about a shape that the device was not inside, during a search, and adds it to what is near.
    mutating func meetOutline(
        _ number: Int32, _ fence: GeofenceIndex.Fence, in index: GeofenceIndex, isUnknown: Bool, _ scene: Scene,
        policy: TrackingPolicy, emit: Emit
    ) {
        if let cap = Self.clearCap(of: fence, scene, squaredLimit: NearBoundaries.squaredSpan) {
            near.add(
                number, center: fence.center, squaredChord: cap.squaredChord, limit: cap.radius, isStay: false)
            return
        }
        guard let outline = index.outline(number) else { return }
        looks += 1
        let standing = outline.shape.standing(scene.place, at: scene.here, within: outlook(of: scene, margin: 0))
        let slack = meet(
            number, fence, outline, standing, isExact: false, in: index, isUnknown: isUnknown, scene, policy: policy,
            emit: emit)
        near.add(number, slack: slack)
    }

    private mutating func meet(
        _ number: Int32, _ fence: GeofenceIndex.Fence, _ outline: Outline, _ standing: Shape.Standing, isExact: Bool,
        in index: GeofenceIndex, isUnknown: Bool, _ scene: Scene, policy: TrackingPolicy, emit: Emit
    ) -> Double {
        guard standing.isInside else {
            if !isUnknown { cross(number, outline, standing, in: index, scene, emit: emit) }
            return Self.slack(standing, isStay: false, fence, policy)
        }
        guard Self.isAccurate(scene.accuracy, toEnter: outline) else {
            if isUnknown { undecided.append(number) }
            return 0
        }
        enter(
            number, fence, isExact ? standing : nil, in: index, isUnknown: isUnknown, scene, policy: policy, emit: emit)
        return Self.slack(standing, isStay: true, fence, policy)
    }

    private func cross(
        _ number: Int32, _ outline: Outline, _ standing: Shape.Standing, in index: GeofenceIndex, _ scene: Scene,
        emit: Emit
    ) {
        guard let leg = scene.leg, standing.gap - Self.outlineTolerance <= leg.length.meters,
            let meeting = outline.shape.passage(from: leg.start, to: scene.here),
            !outline.shape.contains(leg.startPlace, at: leg.start)
        else { return }
        let span = Double(scene.time.milliseconds(since: leg.startTime))
        let time = leg.startTime.advanced(byMilliseconds: Int64((span * meeting.fraction).rounded()))
        let sighting = Event.GeofenceSighting(
            geofence: index.geofence(number), edge: outline.shape.radius - meeting.distance)
        emit(.cross(sighting), time, meeting.point == scene.here ? scene.place : Coordinate(meeting.point))
    }

    /// Returns how far a place lies outside of a shape that the device is inside.
    func remoteness(
        of place: Coordinate, _ here: UnitVector, _ stay: Stay, accuracy: Distance?, in index: GeofenceIndex,
        policy: TrackingPolicy
    ) -> Remoteness {
        let fence = index.fences[Int(stay.number)]
        guard !fence.isRemoved, let outline = index.outline(stay.number) else { return .near }
        // Where nothing can change, the device is within the margin.
        if calm.holds(place), fence.revision <= seenRevision { return .near }
        let standing = outline.shape.standing(place, at: here)
        guard !standing.isInside, standing.gap > Self.margin(fence, accuracy: accuracy, policy) else { return .near }
        let isFar = accuracy.map { standing.gap > 2 * $0.meters } ?? false
        return isFar ? .beyondAccuracy : .beyondMargin
    }
}
