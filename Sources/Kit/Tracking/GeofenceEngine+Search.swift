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
        outlines.removeAll(keepingCapacity: true)
        nextWatch = Self.never
        let left = reconsiderStays(scene, in: index, policy: policy, emit: emit)
        var wasUndecided: [Int32] = []
        swap(&wasUndecided, &undecided)
        index.forEachCandidate(in: area(scene)) { number in
            guard stay(in: number).isAbsent else { return }
            let fence = index.fences[Int(number)]
            var isNew = fence.revision > seenRevision
            if let watch = index.watch(fence) {
                guard isWatched(watch, at: step.time) else { return }
                isNew =
                    isNew
                    || last.map { $0.time < watch.since || watch.state(at: $0.time, of: device) == .closed } ?? true
            }
            let isUnknown = isNew || wasUndecided.contains(number)
            guard fence.isCircle else {
                guard !left.contains(number) else { return }
                meetOutline(number, fence, in: index, isUnknown: isUnknown, scene, policy: policy, emit: emit)
                return
            }
            let isEntered =
                !left.contains(number)
                && meet(number, fence, in: index, isUnknown: isUnknown, scene, policy: policy, emit: emit)
            add(number, fence, isStay: isEntered, scene, policy: policy)
        }
        seenRevision = index.revision
        nextDwell = min(dwellDue(policy), nextWatch)
        settle(at: step.place)
    }

    /// Returns whether a nearby geofence is watched now, and notes when that changes, to search again then.
    private mutating func isWatched(_ watch: Geofence.Watch, at time: Timestamp) -> Bool {
        let state = watch.state(at: time, of: device)
        if let hours = watch.hours, state == .watched || state == .closed {
            nextWatch = min(nextWatch, hours.state(at: time).until)
        }
        switch state {
        case .otherDevices, .over, .closed: return false
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
            let fence = index.fences[Int(stay.number)]
            if fence.isRemoved || index.watch(fence).map({ !isWatched($0, at: scene.time) }) ?? false {
                var sighting = scene.sighting(stay.number, fence, in: index)
                sighting.isClosed =
                    index.watch(fence).map { $0.state(at: scene.time, of: device) == .closed } ?? false
                emit(.exit(sighting, inside: scene.seconds(stay), removed: true), scene.time, scene.place)
                continue
            }
            if fence.revision > seenRevision { continue }
            guard fence.isCircle else {
                if let slack = reconsider(&stay, fence, in: index, scene, policy: policy, emit: emit) {
                    near.add(stay.number, slack: slack)
                    stays[kept] = stay
                    kept += 1
                } else {
                    left.append(stay.number)
                    // The search has not begun, and skips what the device has left.
                    near.add(stay.number, slack: 0)
                }
                continue
            }
            if leave(stay, fence, in: index, scene, policy: policy, emit: emit) {
                left.append(stay.number)
                continue
            }
            if !stay.hasDwelt, scene.seconds(stay) >= policy.dwell {
                stay.hasDwelt = true
                emit(
                    .dwell(scene.sighting(stay.number, fence, in: index), inside: scene.seconds(stay)), scene.time,
                    scene.place)
            }
            add(stay.number, fence, isStay: true, scene, policy: policy)
            stays[kept] = stay
            kept += 1
        }
        stays.removeLast(stays.count - kept)
        return left
    }

    private mutating func add(
        _ number: Int32, _ fence: GeofenceIndex.Fence, isStay: Bool, _ scene: Scene, policy: TrackingPolicy
    ) {
        let limit = isStay ? Self.limit(ofStayIn: fence, policy) : fence.radius.meters
        near.add(
            number, center: fence.center, squaredChord: fence.center.squaredChord(to: scene.here), limit: limit,
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
