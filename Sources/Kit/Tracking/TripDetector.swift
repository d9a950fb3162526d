import Geodesy
import Positioning
import Time

/// Detects one device's trips and stops.
///
/// A trip begins when the device leaves a rest, backdated to the first moving fix. It ends when a rest or a silence has
/// lasted long enough, backdated to the arrival or the last fix. A stop is a rest that has lasted long enough; it is
/// reported whether or not a trip is open. All times are those of the fixes.
///
/// While no trip is open, and during a stop within a trip, the device is anchored: only proof of motion begins a trip
/// or ends the stop, see ``Rest``. Until then nothing is written, and geofences hold the device, too. Once motion is
/// proven, the rules run again over the fixes since the departure, because the device may have stopped among them.
struct TripDetector: Sendable, Codable {
    /// A fix as the detector sees it.
    struct TimedFix {
        /// The fix.
        ///
        /// Its `beginsSegment` is set if the path from the fix before is unknown.
        let fix: Fix
        let time: Timestamp
        let here: UnitVector
        /// The time of the decision.
        ///
        /// It is later than ``time`` where the rules run again.
        let decided: Timestamp
        let policy: TrackingPolicy
    }

    private let device: String
    private var rest: Rest?
    /// The number of rests that the device has left.
    private var rests = 0
    private var stop: StopSummary?
    private var trip: TripSummary?
    /// The totals of the trip, without the fixes in ``rest``, which may turn out not to belong to it.
    private var numbers = TripNumbers()
    private var last: Fix?
    /// The number of times the timeline has restarted; `nil` for never.
    private var restarts: Int?
    /// The last trip, if it ended in silence and may have continued; also `nil` in states that algorithm 2 saved.
    private var interrupted: InterruptedTrip?
    /// The total length of the trips that have ended.
    var travelled = Distance.zero

    init(device: String) { self.device = device }

    /// Whether the device counts as standing until it is proven to move.
    private var isAnchored: Bool { trip == nil || stop != nil }

    /// The number of the rest in which an anchored device is held, whatever its last fix reports.
    ///
    /// It is `nil` if geofences must follow the device.
    var heldInRest: Int? { isAnchored && rest?.isHeld == true ? rests : nil }

    /// Whether a stop is open.
    var isAtStop: Bool { stop != nil }

    /// Returns how sure it is that the device has left its rest; see ``Rest/certaintyOfLeaving(_:at:accuracy:)``.
    func certaintyOfLeaving(_ fix: Fix, at here: UnitVector, accuracy: Distance?) -> Double {
        rest?.certaintyOfLeaving(fix, at: here, accuracy: accuracy) ?? 0
    }

    /// Whether the times in this state are in order.
    ///
    /// They always are, unless a saved state is damaged.
    var isInOrder: Bool {
        let times = [trip?.start] + (rest?.times ?? []) + [last?.time]
        let known = times.compactMap { $0 }
        guard zip(known, known.dropFirst()).allSatisfy({ $0 <= $1 }) else { return false }
        // A stop begins with the arrival at its rest.
        guard let begin = stop?.start, let arrival = rest?.arrival.time else { return true }
        return begin <= arrival
    }

    /// Whether an open trip or stop has the rest and the last fix that end it.
    ///
    /// It always has, unless a saved state is damaged.
    var isComplete: Bool { (trip == nil && stop == nil) || (rest != nil && last != nil) }

    /// The time of the last known fix.
    var lastTime: Timestamp? { ((rest?.times ?? []) + [trip?.start, last?.time]).compactMap { $0 }.max() }

    /// Whether the counts are within the bounds of valid states.
    ///
    /// They always are, unless a saved state is damaged.
    var isBounded: Bool {
        SavedCount.bounds.contains(rests) && SavedCount.bounds.contains(restarts ?? 0) && numbers.isBounded
            && rest?.motion.isBounded ?? true
    }

    /// Whether the device was last seen outside its rest, and was not seen going there.
    var isAway: Bool { rest?.outside.contains(where: \.beginsSegment) ?? false }

    /// Emits what is due at `now` without a further fix, decided at its deadline.
    mutating func elapse(until now: Timestamp, policy: TrackingPolicy, into output: inout Tracker.Output) {
        guard trip != nil, let deadline = deadline(policy), now >= deadline else { return }
        endTripInSilence(decided: deadline, into: &output)
    }

    /// Returns when the open trip ends unless the device moves.
    private func deadline(_ policy: TrackingPolicy) -> Timestamp? {
        let isResting = rest.map { $0.isTold && $0.outside.isEmpty } ?? false
        let since = isResting ? rest?.arrival.time : last?.time
        return since?.advanced(byMilliseconds: Int64((policy.tripEndAfter * 1000).rounded(.up)))
    }

    /// Processes the next accepted fix.
    mutating func advance(_ step: TimedFix, into output: inout Tracker.Output) {
        defer { last = step.fix }
        if !isAnchored { output.changes.append(.point(step.fix, gap: step.fix.beginsSegment)) }
        switch evidence(of: step) {
        case .stays: emitIfDue(step, into: &output)
        case .stood:
            settle()
            rest?.stay(step.fix, at: step.here, distance: 0)
            emitIfDue(step, into: &output)
        case .unsure: break
        case .leaves: leave(step, hasMoved: true, into: &output)
        case .isElsewhere: leave(step, hasMoved: false, into: &output)
        case nil: rest = Rest(step.fix)
        }
    }

    private mutating func evidence(of step: TimedFix) -> Rest.Evidence? {
        let (accuracy, radius) = (step.policy.accuracy(of: step.fix), step.policy.stopRadius)
        guard isAnchored else { return rest?.add(step.fix, at: step.here, accuracy: accuracy, radius: radius) }
        return rest?.add(
            step.fix, at: step.here, accuracy: accuracy, radius: radius, patience: step.policy.stopAfter,
            proof: trip == nil ? .ofTrip : .ofGoingOn)
    }

    /// Emits what is due because the rest has lasted long enough: the stop, and the end of the trip.
    private mutating func emitIfDue(_ step: TimedFix, into output: inout Tracker.Output) {
        if stop == nil, rest?.motion.holds(.walking) == false, lasts(step.policy.stopAfter, at: step.time) {
            beginStop(decided: step.decided, into: &output)
        }
        if trip != nil, lasts(step.policy.tripEndAfter, at: step.time), let arrival = rest?.arrival {
            if stop == nil { endTrace(at: arrival, into: &output) }
            endTrip(at: arrival, decided: step.decided, into: &output)
        }
    }

    /// Returns whether the rest has lasted the given number of seconds since the arrival.
    ///
    /// If the arrival is not settled yet, this finds it, and adds the path up to it to the trip.
    private mutating func lasts(_ seconds: Double, at time: Timestamp) -> Bool {
        guard rest?.hasLasted(seconds, at: time) == true else { return false }
        if stop == nil, let (way, dropped) = rest?.trim(), trip != nil { add(way, dropped: dropped) }
        return rest?.hasLasted(seconds, at: time) == true
    }

    private mutating func beginStop(decided: Timestamp, into output: inout Tracker.Output) {
        guard let rest, let arrival = rest.arrival.time else { return }
        // A stop ends the journey of an interrupted trip.
        if trip == nil { interrupted = nil } else { endTrace(at: rest.arrival, into: &output) }
        let stop = StopSummary(device: device, start: arrival, place: Coordinate(rest.mean), timeline: restarts)
        self.stop = stop
        self.rest?.markReported()
        output.changes.append(.stopBegan(stop))
        output.events.append(event(.stopStart(stop), at: rest.arrival, decided: decided))
    }

    /// Makes the arrival the trip's last point, until the device leaves.
    private mutating func endTrace(at arrival: Fix, into output: inout Tracker.Output) {
        add([arrival])
        if let time = arrival.time { output.changes.append(.truncated(after: time)) }
    }

    /// Ends the trip after a long silence.
    ///
    /// It ends at the arrival if the device certainly stood before the silence, otherwise with the last fix.
    private mutating func endTripInSilence(decided: Timestamp, into output: inout Tracker.Output) {
        guard stop == nil else { return endTripAtLastFix(decided: decided, into: &output) }
        settle()
        guard let rest, let time = last?.time else { return }
        if rest.hasLasted(Rest.core / Rest.standing, at: time) {
            endTrace(at: rest.arrival, into: &output)
            endTrip(at: rest.arrival, decided: decided, into: &output)
        } else {
            endTripAtLastFix(decided: decided, isMoving: true, into: &output)
        }
        self.rest?.forgetWay()
    }

    /// Moves the rest to the place of the last fixes, so that the fix after a silence is not compared with the path
    /// there.
    private mutating func settle() {
        guard let (way, dropped) = rest?.settle() else { return }
        add(way, dropped: dropped)
    }

    /// Ends the trip at the arrival of a reported stop, otherwise with the last fix.
    private mutating func endTripAtLastFix(
        decided: Timestamp, isMoving: Bool = false, into output: inout Tracker.Output
    ) {
        guard let rest, let last else { return }
        addPending()
        endTrip(at: stop == nil ? last : rest.arrival, decided: decided, isMoving: isMoving, into: &output)
    }

    /// Adds the points of the trip that its numbers do not include yet, because they turned out to belong to it.
    private mutating func addPending() {
        guard !isAnchored, let rest else { return }
        add(rest.recent + rest.outside, dropped: rest.dropped)
    }

    private mutating func add(_ fixes: [Fix], dropped: Int = 0) {
        for fix in fixes { numbers.add(fix, gap: fix.beginsSegment || numbers.fixes == 0) }
        numbers.fixes += dropped
    }

    /// Leaves a rest.
    ///
    /// Begins a trip if none is open and the device was seen to move.
    private mutating func leave(_ step: TimedFix, hasMoved: Bool, into output: inout Tracker.Output) {
        guard let rest else { return }
        guard isAnchored else {
            add(rest.recent, dropped: rest.dropped)
            guard let passage = Passage(rest.outside, policy: step.policy) else { return }
            return follow(passage, decided: step.decided, policy: step.policy, into: &output)
        }
        let (end, way) = rest.departure(step.policy, isKnown: trip != nil)
        guard let first = way.first, let passage = Passage(way, policy: step.policy) else { return }
        // If another stop follows, this one ends before it, whenever that is decided.
        endStop(rest, end: end, at: passage.isStop ? end : step.fix, decided: step.decided, into: &output)
        if trip == nil, hasMoved, !passage.isStop, way.count > 1 {
            begin(at: first, decided: step.decided, into: &output)
        }
        if trip != nil {
            for fix in passage.read { output.changes.append(.point(fix, gap: fix.beginsSegment)) }
        }
        follow(passage, decided: step.decided, policy: step.policy, into: &output)
    }

    /// Continues with the outcome of the fixes that have left a rest.
    private mutating func follow(
        _ passage: Passage, decided: Timestamp, policy: TrackingPolicy, into output: inout Tracker.Output
    ) {
        rest = passage.rest
        rests += 1
        if trip != nil { add(passage.passed, dropped: passage.dropped) }
        guard passage.isStop else { return }
        func step(_ fix: Fix) -> TimedFix? {
            fix.time.map {
                TimedFix(fix: fix, time: $0, here: UnitVector(fix.coordinate), decided: decided, policy: policy)
            }
        }
        if let arrived = step(passage.rest.last) { emitIfDue(arrived, into: &output) }
        for next in passage.unread.compactMap(step) { advance(next, into: &output) }
    }

    private mutating func begin(at first: Fix, decided: Timestamp, into output: inout Tracker.Output) {
        guard let start = first.time else { return }
        let trip = TripSummary(device: device, start: start, timeline: restarts)
        self.trip = trip
        numbers = TripNumbers()
        interrupted?.next = first
        output.changes.append(.tripBegan(trip))
        output.events.append(event(.tripStart(trip), at: first, decided: decided))
    }

    private mutating func endStop(
        _ rest: Rest, end: Fix, at deciding: Fix, decided: Timestamp, into output: inout Tracker.Output
    ) {
        guard var stop, let time = end.time else { return }
        stop.end = time
        stop.place = Coordinate(rest.mean)
        if trip != nil { numbers.stop(from: stop.start, to: time) }
        self.stop = nil
        output.changes.append(.stopEnded(stop))
        output.events.append(event(.stopEnd(stop), at: deciding, decided: decided))
    }

    /// Ends the trip, and joins it to the interrupted trip that it continues, if any.
    private mutating func endTrip(
        at end: Fix, decided: Timestamp, isMoving: Bool = false, into output: inout Tracker.Output
    ) {
        guard var trip, let time = end.time else { return }
        trip.end = time
        trip.adopt(numbers)
        self.trip = nil
        travelled += numbers.distance
        output.changes.append(.tripEnded(trip))
        output.events.append(event(.tripEnd(trip), at: end, decided: decided))
        var journey = trip.id
        if let interrupted, interrupted.isContinued(by: trip) {
            journey = interrupted.id
            output.changes.append(.tripsJoined(journey, trip.id, decided: decided))
        }
        interrupted = isMoving ? InterruptedTrip(id: journey, trip, end: end) : nil
    }

    private func event(_ kind: Event.Kind, at fix: Fix, decided: Timestamp) -> Event {
        let time = fix.time ?? decided
        return Event(
            kind: kind, time: time, decided: decided == time ? nil : decided, device: device, place: fix.coordinate)
    }

    /// Starts another timeline, in which the same times may occur again.
    ///
    /// Call this after ``close(into:)``.
    mutating func restart() { restarts = (restarts ?? 0) + 1 }

    /// The open trip, with its numbers up to the last fix.
    var openTrip: TripSummary? {
        guard var trip else { return nil }
        var copy = self
        copy.addPending()
        trip.adopt(copy.numbers)
        return trip
    }

    /// Ends an open trip and stop, as at the end of a recording.
    ///
    /// The next fix starts over.
    mutating func close(into output: inout Tracker.Output) {
        if let rest, let last, let now = last.time {
            if trip != nil { endTripAtLastFix(decided: now, into: &output) }
            endStop(rest, end: rest.last, at: last, decided: now, into: &output)
        }
        rest = nil
        rests += 1
        (stop, last, interrupted) = (nil, nil, nil)
        numbers = TripNumbers()
    }
}
