import Geodesy
import Positioning

/// Writes one device's trips and stops.
///
/// A trip begins when the device leaves a rest, back-dated to the first moving fix, and ends when a rest or a silence
/// has lasted long enough, back-dated to the arrival or the last fix. A stop is a rest that has lasted long enough; it
/// is told whether or not a trip is open. Time is that of the fixes.
///
/// While no trip is open, and during a stop within one, the device is anchored: only proof of motion begins a trip or
/// ends the stop, see ``Rest``. Until then nothing is written, and geofences hold too.
struct TripDetector: Sendable, Codable {
    /// A fix as the detector sees it.
    struct Step {
        var fix: Fix
        var time: Timestamp
        var here: UnitVector
        /// Nil where unknown or not to be considered.
        var accuracy: Distance?
        /// Whether the way from the fix before is not known.
        var gap: Bool
    }

    private let device: String
    private var rest: Rest?
    /// How many rests have been left.
    private var rests = 0
    private var stop: StopSummary?
    private var trip: TripSummary?
    /// What the trip adds up to, without the fixes that ``rest`` has and that may turn out to be none of it.
    private var numbers = TripNumbers()
    private var last: Fix?
    /// How often the timeline has begun anew; nil for never.
    private var restarts: Int?
    /// What the trips that have ended add up to.
    var travelled = Distance.zero

    init(device: String) { self.device = device }

    /// Whether the device is taken to stand until it is proven to move.
    private var isAnchored: Bool { trip == nil || stop != nil }

    /// The number of the rest in which an anchored device is held to be where it was, whatever its last fix says; nil
    /// where geofences are to follow it.
    var heldInRest: Int? { isAnchored && rest?.isHeld == true ? rests : nil }

    /// Whether the device was last seen outside its rest, and the way there was not seen.
    var isAway: Bool { rest?.outside.contains(where: \.beginsSegment) ?? false }

    /// What is due by a moment without a further fix, decided at its deadline.
    mutating func elapse(until now: Timestamp, policy: TrackingPolicy, into output: inout Tracker.Output) {
        guard trip != nil, let deadline = deadline(policy), now >= deadline else { return }
        endTripInSilence(decided: deadline, into: &output)
        if stop == nil { rest?.settle() }
    }

    /// When the open trip ends unless something moves.
    private func deadline(_ policy: TrackingPolicy) -> Timestamp? {
        guard let last = last?.time else { return nil }
        let span = Int64((policy.tripEndAfter * 1000).rounded(.up))
        guard let rest, let arrival = rest.arrival.time, rest.isTold, rest.outside.isEmpty else {
            return last.advanced(byMilliseconds: span)
        }
        return arrival.advanced(byMilliseconds: span)
    }

    /// Takes the next accepted fix.
    mutating func advance(_ step: Step, policy: TrackingPolicy, into output: inout Tracker.Output) {
        var fix = step.fix
        fix.beginsSegment = step.gap
        defer { last = fix }
        if !isAnchored { output.changes.append(.point(fix, gap: step.gap)) }
        guard rest != nil else {
            rest = Rest(fix)
            return
        }
        switch take(fix, step, policy: policy) {
        case .stays:
            if rest?.isTold == false { tellIfDue(step, policy: policy, into: &output) }
            endTripIfDue(step, policy: policy, into: &output)
        case .unsure: break
        case .leaves: leave(fix, step, hasMoved: true, policy: policy, into: &output)
        case .isElsewhere: leave(fix, step, hasMoved: false, policy: policy, into: &output)
        }
    }

    private mutating func take(_ fix: Fix, _ step: Step, policy: TrackingPolicy) -> Rest.Verdict {
        let verdict =
            isAnchored
            ? rest?.take(
                fix, at: step.here, accuracy: step.accuracy, radius: policy.stopRadius, patience: policy.stopAfter,
                proof: trip == nil ? .ofTrip : .ofGoingOn)
            : rest?.take(fix, at: step.here, accuracy: step.accuracy, radius: policy.stopRadius)
        return verdict ?? .stays
    }

    private mutating func tellIfDue(_ step: Step, policy: TrackingPolicy, into output: inout Tracker.Output) {
        guard rest?.hasLasted(policy.stopAfter, at: step.time) == true else { return }
        arrive()
        guard let rest, rest.hasLasted(policy.stopAfter, at: step.time), let arrival = rest.arrival.time else { return }
        if trip != nil { endTrace(at: rest.arrival, into: &output) }
        let stop = StopSummary(device: device, start: arrival, place: Coordinate(rest.mean), timeline: restarts)
        self.stop = stop
        self.rest?.tell()
        output.changes.append(.stopBegan(stop))
        output.events.append(
            Event(
                kind: .stopStart(stop), time: arrival, decided: step.time, device: device,
                place: rest.arrival.coordinate))
    }

    /// Finds the arrival; the way up to it is the trip's.
    private mutating func arrive() {
        guard let (way, dropped) = rest?.trim(), trip != nil else { return }
        add(way)
        numbers.fixes += dropped
    }

    /// The arrival is the trip's last point until the device leaves.
    private mutating func endTrace(at arrival: Fix, into output: inout Tracker.Output) {
        add([arrival])
        if let time = arrival.time { output.changes.append(.truncated(after: time)) }
    }

    /// Ends the trip where this fix shows that the rest has lasted long enough already.
    private mutating func endTripIfDue(_ step: Step, policy: TrackingPolicy, into output: inout Tracker.Output) {
        guard trip != nil, rest?.hasLasted(policy.tripEndAfter, at: step.time) == true else { return }
        if stop == nil { arrive() }
        guard let rest, rest.hasLasted(policy.tripEndAfter, at: step.time) else { return }
        if stop == nil { endTrace(at: rest.arrival, into: &output) }
        endTrip(at: rest.arrival, decided: step.time, into: &output)
    }

    /// Ends the trip after a long silence: at the arrival, where the device surely stood before, else with the last fix.
    private mutating func endTripInSilence(decided: Timestamp, into output: inout Tracker.Output) {
        guard stop == nil, let (way, dropped, arrival) = rest?.trimToStanding() else {
            endTripUnheard(decided: decided, into: &output)
            return
        }
        add(way)
        numbers.fixes += dropped
        endTrace(at: arrival, into: &output)
        endTrip(at: arrival, decided: decided, into: &output)
    }

    /// Ends the trip at the arrival at a stop that was told, else with the last fix.
    private mutating func endTripUnheard(decided: Timestamp, into output: inout Tracker.Output) {
        guard let rest, let last else { return }
        addPending()
        endTrip(at: stop == nil ? last : rest.arrival, decided: decided, into: &output)
    }

    /// The points of the trip that are not among its numbers yet are none but its own.
    private mutating func addPending() {
        guard !isAnchored, let rest else { return }
        add(rest.recent)
        add(rest.outside)
        numbers.fixes += rest.dropped
    }

    private mutating func add(_ fixes: some Sequence<Fix>) {
        for fix in fixes { numbers.add(fix, gap: fix.beginsSegment || numbers.fixes == 0) }
    }

    /// Leaves a rest, and begins a trip where none is open and the device was seen to move.
    private mutating func leave(
        _ fix: Fix, _ step: Step, hasMoved: Bool, policy: TrackingPolicy, into output: inout Tracker.Output
    ) {
        guard let rest else { return }
        guard isAnchored else {
            add(rest.recent)
            numbers.fixes += rest.dropped
            go(on: rest.outside, policy: policy)
            return
        }
        var departure = hasMoved ? rest.departure : rest.outside
        let gap = rest.outside.lastIndex(where: \.beginsSegment)
        endStop(rest, end: hasMoved ? departure.first : rest.last, told: step.fix, into: &output)
        if trip == nil {
            // Nobody knows when it left, where the way there was not seen; one fix alone is no way.
            if let gap { departure = Array(rest.outside[gap...]) }
            guard hasMoved, departure.count > 1, let first = departure.first, let start = first.time else {
                go(on: rest.outside, policy: policy)
                return
            }
            begin(at: first, time: start, decided: step.time, into: &output)
        }
        if !hasMoved || numbers.fixes == 0, !departure.isEmpty { departure[0].beginsSegment = true }
        for fix in departure { output.changes.append(.point(fix, gap: fix.beginsSegment)) }
        let kept = departure.suffix(rest.outside.count)
        add(departure.dropLast(kept.count))
        go(on: Array(kept), policy: policy)
    }

    /// The next rest begins with the fixes that have left the last one.
    private mutating func go(on fixes: [Fix], policy: TrackingPolicy) {
        guard let (rest, passed) = Rest.following(fixes, radius: policy.stopRadius) else { return }
        if !isAnchored { add(passed) }
        self.rest = rest
        rests += 1
    }

    private mutating func begin(
        at first: Fix, time start: Timestamp, decided: Timestamp, into output: inout Tracker.Output
    ) {
        let trip = TripSummary(device: device, start: start, timeline: restarts)
        self.trip = trip
        numbers = TripNumbers()
        output.changes.append(.tripBegan(trip))
        output.events.append(
            Event(
                kind: .tripStart(trip), time: start, decided: start == decided ? nil : decided, device: device,
                place: first.coordinate))
    }

    private mutating func endStop(_ rest: Rest, end: Fix?, told: Fix, into output: inout Tracker.Output) {
        guard var stop, let time = told.time else { return }
        stop.end = end?.time
        stop.place = Coordinate(rest.mean)
        if trip != nil {
            numbers.stop(from: stop.start, to: stop.end ?? stop.start)
        }
        self.stop = nil
        output.changes.append(.stopEnded(stop))
        output.events.append(Event(kind: .stopEnd(stop), time: time, device: device, place: told.coordinate))
    }

    private mutating func endTrip(at end: Fix?, decided: Timestamp, into output: inout Tracker.Output) {
        guard var trip, let end, let time = end.time else { return }
        trip.end = time
        trip.adopt(numbers)
        self.trip = nil
        travelled += numbers.distance
        output.changes.append(.tripEnded(trip))
        output.events.append(
            Event(
                kind: .tripEnd(trip), time: time, decided: decided == time ? nil : decided, device: device,
                place: end.coordinate))
    }

    /// Begins another timeline, in which the same times may come again; to be called after ``close(into:)``.
    mutating func restart() { restarts = (restarts ?? 0) + 1 }

    /// The open trip, with its numbers up to the last fix.
    var openTrip: TripSummary? {
        guard var trip else { return nil }
        var copy = self
        copy.addPending()
        trip.adopt(copy.numbers)
        return trip
    }

    /// Ends what is open, as at the end of a recording; what follows begins anew.
    mutating func close(into output: inout Tracker.Output) {
        if let last, let now = last.time {
            if trip != nil { endTripUnheard(decided: now, into: &output) }
            if let rest { endStop(rest, end: rest.last, told: last, into: &output) }
        }
        rest = nil
        rests += 1
        stop = nil
        last = nil
        numbers = TripNumbers()
    }
}
