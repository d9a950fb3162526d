import Geodesy
import Time

extension GeofenceEngine {
    /// The range of search radii, in metres.
    ///
    /// The radius adapts so that the boundaries found fit into the lanes.
    private static let reaches = 20.0...TangentPlane.reach.meters
    /// The height of the longest leg's arc over its chord, and rounding errors, in metres.
    private static let legBulge = 0.6

    /// Searches the index for everything that a fix changes, and for the boundaries around it.
    mutating func search(_ step: PlacedFix, in index: GeofenceIndex, policy: TrackingPolicy, emit: Emit) {
        let scene = scene(step, policy: policy)
        near.begin(at: step.place, scene.here, reach: reach)
        nextWatch = Self.never
        let left = reconsiderStays(scene, in: index, policy: policy, emit: emit)
        var wasUndecided: [Int32] = []
        swap(&wasUndecided, &undecided)
        index.forEachCandidate(in: area(scene)) { number in
            guard stay(in: number).isAbsent else { return }
            let shape = index.shapes[Int(number)]
            var isNew = shape.revision > seenRevision
            if let watch = index.watch(shape) {
                guard isWatched(watch, at: step.time) else { return }
                isNew = isNew || last.map { $0.time < watch.since } ?? true
            }
            let isUnknown = isNew || wasUndecided.contains(number)
            let isEntered =
                !left.contains(number)
                && meet(number, shape, in: index, isUnknown: isUnknown, scene, policy: policy, emit: emit)
            add(number, shape, isStay: isEntered, scene, policy: policy)
        }
        seenRevision = index.revision
        nextDwell = min(dwellDue(policy), nextWatch)
        settle(at: step.place)
    }

    /// Returns whether a nearby geofence is watched now, and notes when that changes, to search again then.
    private mutating func isWatched(_ watch: Geofence.Watch, at time: Timestamp) -> Bool {
        switch watch.state(at: time, of: device) {
        case .otherDevices, .over: return false
        case .notYet:
            nextWatch = min(nextWatch, watch.since)
            return false
        case .watched:
            nextWatch = min(nextWatch, watch.until.advanced(byMilliseconds: 1))
            return true
        }
    }

    /// Returns the box of geofences that the device may have crossed, or that are within `reach` of it.
    ///
    /// A leg no longer than `reach` lies wholly within it.
    private func area(_ scene: Scene) -> Box {
        var area = Box(scene.here)
        if let leg = scene.leg, leg.length.meters > reach { area = area.union(Box(leg.start)) }
        return area.expanded(by: (reach + Self.legBulge) / Sphere.radius.meters)
    }

    /// Updates all stays: emits exits, removals and dwells.
    ///
    /// - Returns: the numbers of the geofences that the device left.
    private mutating func reconsiderStays(
        _ scene: Scene, in index: GeofenceIndex, policy: TrackingPolicy, emit: Emit
    ) -> [Int32] {
        var left: [Int32] = []
        var kept = 0
        for position in stays.indices {
            var stay = stays[position]
            let shape = index.shapes[Int(stay.number)]
            if shape.isRemoved || index.watch(shape).map({ !isWatched($0, at: scene.time) }) ?? false {
                emit(
                    .exit(scene.sighting(stay.number, shape, in: index), inside: scene.seconds(stay), removed: true),
                    scene.time, scene.place)
                continue
            }
            if shape.revision > seenRevision { continue }
            if leave(stay, shape, in: index, scene, policy: policy, emit: emit) {
                left.append(stay.number)
                continue
            }
            if !stay.hasDwelt, scene.seconds(stay) >= policy.dwell {
                stay.hasDwelt = true
                emit(
                    .dwell(scene.sighting(stay.number, shape, in: index), inside: scene.seconds(stay)), scene.time,
                    scene.place)
            }
            add(stay.number, shape, isStay: true, scene, policy: policy)
            stays[kept] = stay
            kept += 1
        }
        stays.removeLast(stays.count - kept)
        return left
    }

    private mutating func add(
        _ number: Int32, _ shape: GeofenceIndex.Shape, isStay: Bool, _ scene: Scene, policy: TrackingPolicy
    ) {
        let limit = isStay ? Self.limit(ofStayIn: shape, policy) : shape.radius.meters
        near.add(
            number, center: shape.center, squaredChord: shape.center.squaredChord(to: scene.here), limit: limit,
            isStay: isStay)
    }

    private mutating func settle(at place: Coordinate) {
        near.settle(at: place)
        calm = near.calm(around: place, at: .zero, leastGap: near.leastGap(from: .zero))
        if !undecided.isEmpty { reconsider() }
        // Adapts the next search radius so that the boundaries within it about fill the lanes.
        if near.radius < reach {
            reach = max(near.radius, Self.reaches.lowerBound)
        } else if near.count < NearBoundaries.maximumCount / 2 {
            reach = min(reach * 2, Self.reaches.upperBound)
        }
    }
}
