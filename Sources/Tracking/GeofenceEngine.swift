public import Geodesy
public import Positioning

/// What one device is inside of, and what its next fix changes about that.
///
/// Inside, outside and unknown are told apart: unknown is a geofence that has come, moved or been resized since the
/// device's last fix, and one of which the last fix was too inaccurate to tell.
///
/// A fix is looked at three times at most. Most end with the first look: the engine knows how far the device can go
/// before anything can change, and until then a fix costs a comparison. At the second, the boundaries near by are held
/// against the fix, and those that it may have crossed are decided exactly. Only a fix that leaves the area in which
/// no others can matter makes the engine search the index.
///
/// What is spared changes nothing: where a fix and the one before are both nearer to a place than any boundary is, so
/// is the way between them, since all that is nearer to a place than a quarter of the circumference is convex.
public struct GeofenceEngine: Sendable {
    /// A fix as the engine sees it.
    public struct Step: Sendable {
        /// When; later than the step before.
        public var time: Timestamp
        /// Where.
        public var place: Coordinate
        /// The radius of 95 %; nil where unknown or not to be considered.
        public var accuracy: Distance?
        /// Whether the way from the step before is not known, however short.
        public var isApart: Bool

        /// A fix at a time and place.
        public init(time: Timestamp, place: Coordinate, accuracy: Distance? = nil, isApart: Bool = false) {
            self.time = time
            self.place = place
            self.accuracy = accuracy
            self.isApart = isApart
        }
    }

    /// Takes what happened, when, and where.
    public typealias Tell = (Event.Kind, Timestamp, Coordinate) -> Void

    /// A stay inside a geofence.
    struct Stay: Sendable {
        var number: Int32
        var since: Timestamp
        var hasDwelt = false
    }

    // What the first look needs comes first, side by side.

    /// While the device is there, nothing but time and the index can change anything.
    private var calm = Vicinity.nowhere
    private var nextDwell = Self.never
    private(set) var seenRevision: Int64 = -1
    /// The step before.
    private(set) var last: (time: Timestamp, place: Coordinate)?

    private(set) var stays: [Stay] = []
    private var undecided: [Int32] = []
    private var near = NearBoundaries()
    private var reach = 500.0

    /// The smallest usable-accuracy bound and the smallest exit margin, in metres (protocol, section 1).
    private static let leastAccuracyBound = 50.0
    private static let leastMargin = 10.0
    private static let marginShare = 0.05
    /// How far a search reaches, in metres: as far as there are lanes for the boundaries it finds.
    private static let reaches = 50.0...TangentPlane.reach.meters
    /// A way on the plane that is surely short enough for a leg, in metres.
    private static let surelyShort = Float(TrackingPolicy.longestLeg.meters - 10)
    /// Bulge of the longest leg over its chord, and rounding, in metres.
    private static let legBulge = 0.6
    private static let never = Timestamp(milliseconds: .max)

    /// The engine of a device of which nothing is known.
    public init() {}

    /// Looks at the next fix, and calls `tell` with what happened; in the order of ``Event`` only once sorted.
    ///
    /// - Parameter policy: that of the fix before, unless ``reconsider()`` has been called since.
    /// - Complexity: O(1) for a fix that is far from any boundary, else that of a search in the index.
    public mutating func advance(_ step: Step, in index: GeofenceIndex, policy: TrackingPolicy, tell: Tell) {
        if !calm.holds(step.place) || step.time >= nextDwell || index.revision != seenRevision {
            if !lookAround(step, in: index, policy: policy, tell: tell) {
                search(step, in: index, policy: policy, tell: tell)
            }
        }
        last = (step.time, step.place)
    }

    /// Searches at the next fix, whatever was found before; for other settings.
    public mutating func reconsider() {
        calm = .nowhere
        near.forget()
    }

    /// Forgets everything: each geofence is unknown again.
    public mutating func reset() { self = GeofenceEngine() }

    private func isApart(_ step: Step, policy: TrackingPolicy) -> Bool {
        guard let last, !step.isApart else { return true }
        return !policy.gate.isOff && step.time.seconds(since: last.time) > TrackingPolicy.longestLegTime
    }
}

// MARK: - The second look

extension GeofenceEngine {
    /// Holds the boundaries near by against a fix.
    ///
    /// - Returns: whether that is enough.
    private mutating func lookAround(
        _ step: Step, in index: GeofenceIndex, policy: TrackingPolicy, tell: Tell
    ) -> Bool {
        guard index.revision == seenRevision, step.time < nextDwell, let here = near.point(step.place) else {
            return false
        }
        var start = here
        if let last, !isApart(step, policy: policy) {
            guard let before = near.point(last.place) else { return false }
            start = before
        }
        let way = here - start
        let length = (way * way).sum().squareRoot()
        guard length < Self.surelyShort else { return false }
        var least = near.leastGap(from: here)
        let bound = length + NearBoundaries.tolerance
        if least <= bound,
            decide(
                near.lanes(within: bound, of: here), from: start, to: here, step, in: index, policy: policy, tell: tell)
        {
            least = near.leastGap(from: here)
        }
        calm = near.calm(around: step.place, at: here, leastGap: least)
        return true
    }

    /// Decides exactly what a way on the plane may have crossed.
    ///
    /// - Returns: whether the device has entered or left anything.
    private mutating func decide(
        _ lanes: UInt32, from start: SIMD2<Float>, to end: SIMD2<Float>, _ step: Step, in index: GeofenceIndex,
        policy: TrackingPolicy, tell: Tell
    ) -> Bool {
        var exact: Scene?
        var changes = false
        var left = lanes
        while left != 0 {
            let lane = left.trailingZeroBitCount
            left &= left - 1
            let boundary = near[lane]
            guard boundary.isMet(from: start, to: end) else { continue }
            let scene = exact ?? self.scene(step, policy: policy)
            exact = scene
            let shape = index.shapes[Int(boundary.number)]
            if boundary.isStay {
                guard let position = stays.firstIndex(where: { $0.number == boundary.number }),
                    leave(stays[position], shape, in: index, scene, policy: policy, tell: tell)
                else { continue }
                stays.remove(at: position)
                near.turn(lane, limit: shape.radius.meters, isStay: false)
            } else {
                guard meet(boundary.number, shape, in: index, isUnknown: false, scene, policy: policy, tell: tell)
                else { continue }
                near.turn(lane, limit: Self.limit(ofStayIn: shape, policy), isStay: true)
            }
            changes = true
        }
        if changes { nextDwell = dwellDue(policy) }
        return changes
    }
}

// MARK: - The search

extension GeofenceEngine {
    private mutating func search(_ step: Step, in index: GeofenceIndex, policy: TrackingPolicy, tell: Tell) {
        let scene = scene(step, policy: policy)
        near.begin(at: step.place, scene.here, reach: reach)
        let left = reconsiderStays(scene, in: index, policy: policy, tell: tell)
        var wasUndecided: [Int32] = []
        swap(&wasUndecided, &undecided)
        let known = stays.count
        index.forEachCandidate(in: area(scene)) { number in
            guard !stays[..<known].contains(where: { $0.number == number }) else { return }
            let shape = index.shapes[Int(number)]
            let isUnknown = shape.revision > seenRevision || wasUndecided.contains(number)
            let isEntered =
                !left.contains(number)
                && meet(number, shape, in: index, isUnknown: isUnknown, scene, policy: policy, tell: tell)
            add(number, shape, isStay: isEntered, scene, policy: policy)
        }
        seenRevision = index.revision
        nextDwell = dwellDue(policy)
        settle(at: step.place)
    }

    /// Where geofences lie that the device may have crossed, or that the search is to bring.
    ///
    /// A leg no longer than the reach lies wholly within it.
    private func area(_ scene: Scene) -> Box {
        var area = Box(scene.here)
        if let leg = scene.leg, leg.length.meters > reach { area = area.union(Box(leg.start)) }
        return area.expanded(by: (reach + Self.legBulge) / Sphere.radius.meters)
    }

    /// Exits, removals and dwells.
    ///
    /// - Returns: what was left.
    private mutating func reconsiderStays(
        _ scene: Scene, in index: GeofenceIndex, policy: TrackingPolicy, tell: Tell
    ) -> [Int32] {
        var left: [Int32] = []
        var kept = 0
        for position in stays.indices {
            var stay = stays[position]
            let shape = index.shapes[Int(stay.number)]
            if shape.isRemoved {
                tell(
                    .exit(scene.sighting(stay.number, shape, in: index), inside: scene.seconds(stay), removed: true),
                    scene.time, scene.place)
                continue
            }
            if shape.revision > seenRevision { continue }
            if leave(stay, shape, in: index, scene, policy: policy, tell: tell) {
                left.append(stay.number)
                continue
            }
            if !stay.hasDwelt, scene.seconds(stay) >= policy.dwell {
                stay.hasDwelt = true
                tell(
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
        if near.isFull {
            reach = max(near.radius, Self.reaches.lowerBound)
        } else if near.count < NearBoundaries.most / 2 {
            reach = min(reach * 2, Self.reaches.upperBound)
        }
    }
}

// MARK: - Exact decisions

extension GeofenceEngine {
    /// A fix on the sphere, and the way to it.
    private struct Scene {
        var time: Timestamp
        var place: Coordinate
        var accuracy: Distance?
        var here: UnitVector
        var leg: Leg?

        struct Leg {
            var start: UnitVector
            var startTime: Timestamp
            /// No less than its length.
            var length: Distance
        }

        func seconds(_ stay: Stay) -> Double { time.seconds(since: stay.since) }

        func sighting(_ number: Int32, _ shape: GeofenceIndex.Shape, in index: GeofenceIndex) -> Event.GeofenceSighting
        {
            Event.GeofenceSighting(geofence: index.geofence(number), distance: shape.center.distance(to: here))
        }
    }

    private func scene(_ step: Step, policy: TrackingPolicy) -> Scene {
        var scene = Scene(
            time: step.time, place: step.place, accuracy: step.accuracy, here: UnitVector(step.place), leg: nil)
        if let last, !isApart(step, policy: policy) {
            let start = UnitVector(last.place)
            let squared = start.squaredChord(to: scene.here)
            if squared <= Self.squaredLongestLeg {
                scene.leg = Scene.Leg(
                    start: start, startTime: last.time, length: Sphere.mostDistance(squaredChord: squared))
            }
        }
        return scene
    }

    private static let squaredLongestLeg = Sphere.squaredChord(distance: TrackingPolicy.longestLeg)

    /// The least distance from the middle at which a device that is inside may have left.
    private static func limit(ofStayIn shape: GeofenceIndex.Shape, _ policy: TrackingPolicy) -> Double {
        let radius = shape.radius.meters
        return radius + (policy.exitMargin?.meters ?? max(leastMargin, marginShare * radius))
    }

    /// Tells that a stay has ended, if it has.
    private func leave(
        _ stay: Stay, _ shape: GeofenceIndex.Shape, in index: GeofenceIndex, _ scene: Scene, policy: TrackingPolicy,
        tell: Tell
    ) -> Bool {
        let squared = shape.center.squaredChord(to: scene.here)
        let least = Self.limit(ofStayIn: shape, policy)
        guard Sphere.mostDistance(squaredChord: squared).meters > least else { return false }
        let sighting = scene.sighting(stay.number, shape, in: index)
        let radius = shape.radius.meters
        let limit = policy.exitMargin == nil ? max(least, radius + (scene.accuracy?.meters ?? 0)) : least
        guard sighting.distance.meters > limit else { return false }
        tell(.exit(sighting, inside: scene.seconds(stay), removed: false), scene.time, scene.place)
        return true
    }

    /// Tells that a geofence in which the device is not has been entered or crossed, if it has.
    ///
    /// - Returns: whether it has been entered.
    private mutating func meet(
        _ number: Int32, _ shape: GeofenceIndex.Shape, in index: GeofenceIndex, isUnknown: Bool, _ scene: Scene,
        policy: TrackingPolicy, tell: Tell
    ) -> Bool {
        let squared = shape.center.squaredChord(to: scene.here)
        guard squared <= shape.squaredRadius else {
            if !isUnknown { cross(number, shape, in: index, squared: squared, scene, tell: tell) }
            return false
        }
        if let accuracy = scene.accuracy, accuracy.meters > max(shape.radius.meters, Self.leastAccuracyBound) {
            if isUnknown { undecided.append(number) }
            return false
        }
        let sighting = scene.sighting(number, shape, in: index)
        tell(.enter(sighting, initial: isUnknown), scene.time, scene.place)
        let dwellsAtOnce = policy.dwell <= 0
        if dwellsAtOnce { tell(.dwell(sighting, inside: 0), scene.time, scene.place) }
        stays.append(Stay(number: number, since: scene.time, hasDwelt: dwellsAtOnce))
        return true
    }

    private func cross(
        _ number: Int32, _ shape: GeofenceIndex.Shape, in index: GeofenceIndex, squared: Double, _ scene: Scene,
        tell: Tell
    ) {
        guard let leg = scene.leg else { return }
        // Who crosses goes at least from the start to the boundary, and from there to the end.
        let gap = Sphere.leastDistance(squaredChord: squared) - shape.radius
        guard gap <= leg.length else { return }
        let squaredStart = leg.start.squaredChord(to: shape.center)
        guard squaredStart > shape.squaredRadius,
            gap + Sphere.leastDistance(squaredChord: squaredStart) - shape.radius <= leg.length,
            let arc = GreatCircleArc(from: leg.start, to: scene.here),
            let (point, fraction) = arc.closestInteriorPoint(to: shape.center)
        else { return }
        let closest = point.squaredChord(to: shape.center)
        guard closest <= shape.squaredRadius else { return }
        let span = Double(scene.time.milliseconds(since: leg.startTime))
        let time = leg.startTime.advanced(byMilliseconds: Int64((span * fraction).rounded()))
        let sighting = Event.GeofenceSighting(
            geofence: index.geofence(number), distance: Sphere.distance(squaredChord: closest))
        tell(.cross(sighting), time, point == scene.here ? scene.place : Coordinate(point))
    }

    /// When the next dwell may be due: rounded down, since what is due is decided exactly.
    private func dwellDue(_ policy: TrackingPolicy) -> Timestamp {
        let span = Int64((policy.dwell * 1000).rounded(.down))
        return stays.reduce(Self.never) { next, stay in
            stay.hasDwelt ? next : min(next, stay.since.advanced(byMilliseconds: span))
        }
    }
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
    init(_ saved: Saved, last: (time: Timestamp, place: Coordinate)?, in index: inout GeofenceIndex) {
        self.last = last
        seenRevision = saved.seenRevision
        stays = saved.stays.map {
            Stay(number: index.number(ofOrBurying: $0.geofence), since: $0.since, hasDwelt: $0.hasDwelt)
        }
        undecided = saved.undecided.compactMap { index.number(of: $0) }
    }
}
