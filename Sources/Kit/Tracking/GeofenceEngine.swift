public import Geodesy
import Positioning
public import Time

/// The geofences that one device is inside, and the events that its next fix causes.
///
/// For each geofence, the device is inside, outside or unknown. Unknown are geofences that were added, moved or resized
/// since the device's last fix, and those for which the last fix was too inaccurate.
///
/// The engine takes up to three steps for a fix. Most fixes end with the first: the engine knows how far the device can
/// go before anything can change, and until then a fix costs one comparison. In the second step, the engine compares
/// the fix with the boundaries nearby, and decides exactly about those that the device may have crossed. In the third
/// step, it searches the index; this happens only if a fix leaves the area in which no other boundaries matter.
///
/// The short cuts do not change the result. If a fix and the one before are both nearer to a place than any boundary
/// is, so is the path between them, since a circle smaller than a quarter of the circumference is convex on the sphere.
public struct GeofenceEngine: Sendable {
    /// A fix as the engine sees it.
    public struct PlacedFix: Sendable {
        /// The time of the fix, later than that of the step before.
        public var time: Timestamp
        /// The position that geofences assume.
        public var place: Coordinate
        /// The radius that holds the true position with a probability of 95 %; `nil` if unknown or to be ignored.
        public var accuracy: Distance?
        /// Whether the path from the step before is unknown, however short it is.
        public var isApart: Bool
        /// Whether the fix would give an alarm that the fixes before do not bear out, and ``place`` is their average.
        var isDoubted = false

        /// Creates a fix at a time and place.
        public init(time: Timestamp, place: Coordinate, accuracy: Distance? = nil, isApart: Bool = false) {
            self.time = time
            self.place = place
            self.accuracy = accuracy
            self.isApart = isApart
        }
    }

    /// A function that receives an event's kind, time and place.
    public typealias Emit = (Event.Kind, Timestamp, Coordinate) -> Void

    /// A stay inside a geofence.
    struct Stay: Sendable {
        var number: Int32
        var since: Timestamp
        var hasDwelt = false
    }

    // The fields that the fast path reads come first, next to each other in memory.

    /// The area in which nothing but time and the index can change anything.
    var calm = Vicinity.nowhere
    /// The earliest time at which a dwell may be due, or a nearby geofence starts or stops being watched.
    var nextDwell = Self.never
    var seenRevision: Int64 = -1
    /// The time and place of the step before.
    var last: (time: Timestamp, place: Coordinate)?

    /// The stays, sorted by number.
    var stays: [Stay] = []
    var undecided: [Int32] = []
    var near = NearBoundaries()
    var reach = 500.0
    /// What is remembered of the shapes nearby that are not circles.
    var outlines: [NearOutline] = []

    // Most fixes do not need these, so they stay out of the cache lines of the others.

    /// The earliest time at which a nearby geofence starts or stops being watched.
    var nextWatch = Self.never
    /// The number of exact looks at shapes other than circles, by which tests know how the cost grows.
    var looks = 0
    /// The name of the device.
    let device: String

    static let never = Timestamp.latest

    /// Creates the engine of a device about which nothing is known.
    ///
    /// - Parameter device: the device's name. A device without a name is not watched by geofences that are limited to
    ///   some devices.
    public init(device: String = "") { self.device = device }

    /// Processes the next fix, and calls `emit` with each event, in no particular order.
    ///
    /// - Parameter policy: the same policy as for the fix before, unless ``reconsider()`` has been called since.
    /// - Complexity: O(1) for a fix that is far from any boundary, otherwise that of a search in the index.
    public mutating func advance(_ step: PlacedFix, in index: GeofenceIndex, policy: TrackingPolicy, emit: Emit) {
        if !calm.holds(step.place) || step.time >= nextDwell || index.revision != seenRevision {
            lookCloser(step, in: index, policy: policy, emit: emit)
        }
        last = (step.time, step.place)
    }

    // Not inlined, so that the fast path stays short.
    @inline(never)
    private mutating func lookCloser(_ step: PlacedFix, in index: GeofenceIndex, policy: TrackingPolicy, emit: Emit) {
        if !lookAround(step, in: index, policy: policy, emit: emit) {
            search(step, in: index, policy: policy, emit: emit)
        }
    }

    /// Searches the index at the next fix whatever was found before, because the settings have changed.
    public mutating func reconsider() {
        calm = .nowhere
        near.forget()
    }

    /// Forgets everything.
    ///
    /// Each geofence is unknown again.
    public mutating func reset() { self = GeofenceEngine(device: device) }

    /// Returns the position of the stay in a geofence, or the position at which to insert it.
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
    /// A length on the plane, in metres, that is certainly shorter than the longest leg.
    private static let surelyShort = Float(TrackingPolicy.longestLeg.meters - 10)

    /// Compares a fix with the boundaries nearby.
    ///
    /// - Returns: whether that was enough. If not, the engine must search the index.
    private mutating func lookAround(
        _ step: PlacedFix, in index: GeofenceIndex, policy: TrackingPolicy, emit: Emit
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
                near.lanes(within: bound, of: here), from: start, to: here, step, in: index, policy: policy, emit: emit)
        {
            least = near.leastGap(from: here)
        }
        calm = near.calm(around: step.place, at: here, leastGap: least)
        return true
    }

    /// Decides exactly about the boundaries that a path on the plane may have crossed.
    ///
    /// - Returns: whether any boundary is another one now, because the device has entered or left a geofence, or is
    ///   elsewhere in relation to a shape.
    private mutating func decide(
        _ lanes: UInt32, from start: SIMD2<Float>, to end: SIMD2<Float>, _ step: PlacedFix, in index: GeofenceIndex,
        policy: TrackingPolicy, emit: Emit
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
            let fence = index.fences[Int(boundary.number)]
            if !fence.isCircle {
                switch decide(boundary.number, fence, in: index, scene, policy: policy, emit: emit) {
                case .cap(let radius): near.move(lane, toCircleAround: fence.center, limit: radius)
                case .slack(let slack): near.move(lane, to: end, slack: slack)
                }
            } else if boundary.isStay {
                let (position, isAbsent) = stay(in: boundary.number)
                guard !isAbsent, leave(stays[position], fence, in: index, scene, policy: policy, emit: emit) else {
                    continue
                }
                stays.remove(at: position)
                near.turn(lane, limit: fence.radius.meters, isStay: false)
            } else {
                guard meet(boundary.number, fence, in: index, isUnknown: false, scene, policy: policy, emit: emit)
                else { continue }
                near.turn(lane, limit: Self.limit(ofStayIn: fence, policy), isStay: true)
            }
            changes = true
        }
        if changes { nextDwell = min(dwellDue(policy), nextWatch) }
        return changes
    }
}
