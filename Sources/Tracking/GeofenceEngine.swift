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
    public struct PlacedFix: Sendable {
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
    var calm = Vicinity.nowhere
    /// When a dwell is due, or a geofence about here is watched or is not any more.
    var nextDwell = Self.never
    var seenRevision: Int64 = -1
    /// The step before.
    var last: (time: Timestamp, place: Coordinate)?

    /// When a geofence about here is watched or is not any more.
    var nextWatch = Self.never
    /// Whose fixes these are.
    let device: String
    /// By number.
    var stays: [Stay] = []
    var undecided: [Int32] = []
    var near = NearBoundaries()
    var reach = 500.0

    static let never = Timestamp.latest

    /// The engine of a device of which nothing is known.
    ///
    /// - Parameter device: its name; of the geofences that are watched for some devices, none is for one without a name.
    public init(device: String = "") { self.device = device }

    /// Looks at the next fix, and calls `tell` with what happened, in no particular order.
    ///
    /// - Parameter policy: that of the fix before, unless ``reconsider()`` has been called since.
    /// - Complexity: O(1) for a fix that is far from any boundary, else that of a search in the index.
    public mutating func advance(_ step: PlacedFix, in index: GeofenceIndex, policy: TrackingPolicy, tell: Tell) {
        if !calm.holds(step.place) || step.time >= nextDwell || index.revision != seenRevision {
            lookCloser(step, in: index, policy: policy, tell: tell)
        }
        last = (step.time, step.place)
    }

    // Apart, so that the first look is short.
    @inline(never)
    private mutating func lookCloser(_ step: PlacedFix, in index: GeofenceIndex, policy: TrackingPolicy, tell: Tell) {
        if !lookAround(step, in: index, policy: policy, tell: tell) {
            search(step, in: index, policy: policy, tell: tell)
        }
    }

    /// Searches at the next fix, whatever was found before; for other settings.
    public mutating func reconsider() {
        calm = .nowhere
        near.forget()
    }

    /// Forgets everything: each geofence is unknown again.
    public mutating func reset() { self = GeofenceEngine(device: device) }

    /// Where the stay in a geofence stands, or would.
    func stay(in number: Int32) -> (position: Int, isAbsent: Bool) {
        var (low, high) = (0, stays.count)
        while low < high {
            let middle = (low + high) / 2
            if stays[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return (low, low == stays.count || stays[low].number != number)
    }

    func isApart(_ step: PlacedFix, policy: TrackingPolicy) -> Bool {
        guard let last, !step.isApart else { return true }
        return !policy.gate.isOff && step.time.seconds(since: last.time) > TrackingPolicy.longestLegTime
    }
}

extension GeofenceEngine {
    /// A way on the plane that is surely short enough for a leg, in metres.
    private static let surelyShort = Float(TrackingPolicy.longestLeg.meters - 10)

    /// Holds the boundaries near by against a fix.
    ///
    /// - Returns: whether that is enough.
    private mutating func lookAround(
        _ step: PlacedFix, in index: GeofenceIndex, policy: TrackingPolicy, tell: Tell
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
        _ lanes: UInt32, from start: SIMD2<Float>, to end: SIMD2<Float>, _ step: PlacedFix, in index: GeofenceIndex,
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
                let (position, isAbsent) = stay(in: boundary.number)
                guard !isAbsent, leave(stays[position], shape, in: index, scene, policy: policy, tell: tell) else {
                    continue
                }
                stays.remove(at: position)
                near.turn(lane, limit: shape.radius.meters, isStay: false)
            } else {
                guard meet(boundary.number, shape, in: index, isUnknown: false, scene, policy: policy, tell: tell)
                else { continue }
                near.turn(lane, limit: Self.limit(ofStayIn: shape, policy), isStay: true)
            }
            changes = true
        }
        if changes { nextDwell = min(dwellDue(policy), nextWatch) }
        return changes
    }
}
