import Geodesy
import Positioning

/// Writes one device's trips and stops.
///
/// A trip begins when the device leaves a rest, back-dated to the first moving fix, and ends when a rest or a silence
/// has lasted long enough, back-dated to the arrival or the last fix. A stop is a rest that has lasted long enough; it
/// is told whether or not a trip is open. Time is that of the fixes.
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
    private var stop: StopSummary?
    private var trip: TripSummary?
    private var numbers = TripNumbers()
    private var last: Fix?
    /// How often the timeline has begun anew; nil for never.
    private var restarts: Int?
    /// What the trips that have ended add up to.
    var travelled = Distance.zero

    init(device: String) { self.device = device }

    /// What is due by a moment without a further fix, decided at its deadline.
    mutating func elapse(until now: Timestamp, policy: TrackingPolicy, into output: inout Tracker.Output) {
        guard trip != nil, let deadline = deadline(policy), now >= deadline else { return }
        endTrip(at: restingPlace, decided: deadline, into: &output)
        if stop == nil { rest?.settle() }
    }

    /// Where the open trip ends: at the arrival at a stop that was told, else with the last fix.
    private var restingPlace: Fix? { stop == nil ? last : rest?.arrival.fix }

    /// When the open trip ends unless something moves.
    private func deadline(_ policy: TrackingPolicy) -> Timestamp? {
        guard let last = last?.time else { return nil }
        let span = Int64((policy.tripEndAfter * 1000).rounded(.up))
        guard let rest, let arrival = rest.arrival.fix.time, rest.isTold, rest.outside.isEmpty else {
            return last.advanced(byMilliseconds: span)
        }
        return arrival.advanced(byMilliseconds: span)
    }

    /// Takes the next accepted fix.
    mutating func advance(_ step: Step, policy: TrackingPolicy, into output: inout Tracker.Output) {
        defer { last = step.fix }
        let isWritten = trip != nil && stop == nil
        if isWritten { write(step.fix, gap: step.gap, into: &output) }
        let entry = Rest.Entry(fix: step.fix, numbers: numbers)
        guard var current = rest else {
            rest = Rest(entry)
            return
        }
        rest = nil  // so that it is changed in place
        switch current.take(entry, at: step.here, accuracy: step.accuracy, radius: policy.stopRadius) {
        case .stays:
            if !current.isTold { tellIfDue(&current, step, policy: policy, into: &output) }
            rest = current
            endTripIfDue(step, policy: policy, into: &output)
        case .unsure:
            rest = current
        case .leaves:
            let outside = leave(current, step, isWritten: isWritten, into: &output)
            rest = Rest(outside)
        }
    }

    private mutating func tellIfDue(
        _ rest: inout Rest, _ step: Step, policy: TrackingPolicy, into output: inout Tracker.Output
    ) {
        guard rest.hasLasted(policy.stopAfter, at: step.time) else { return }
        rest.trim()
        guard rest.hasLasted(policy.stopAfter, at: step.time), let arrival = rest.arrival.fix.time else { return }
        if trip != nil {
            numbers = rest.arrival.numbers
            output.changes.append(.truncated(after: arrival))
        }
        let stop = StopSummary(
            device: device, start: arrival, place: Coordinate(rest.mean), timeline: restarts)
        self.stop = stop
        rest.tell()
        output.changes.append(.stopBegan(stop))
        output.events.append(
            Event(
                kind: .stopStart(stop), time: arrival, decided: step.time, device: device,
                place: rest.arrival.fix.coordinate))
    }

    /// Ends the trip where this fix shows that the rest has lasted long enough already.
    private mutating func endTripIfDue(_ step: Step, policy: TrackingPolicy, into output: inout Tracker.Output) {
        guard trip != nil, rest?.hasLasted(policy.tripEndAfter, at: step.time) == true else { return }
        rest?.trim()
        guard let rest, rest.hasLasted(policy.tripEndAfter, at: step.time), let arrival = rest.arrival.fix.time else {
            return
        }
        if !rest.isTold {
            numbers = rest.arrival.numbers
            output.changes.append(.truncated(after: arrival))
        }
        endTrip(at: rest.arrival.fix, decided: step.time, into: &output)
    }

    /// Leaves a rest, and begins a trip where none is open and the way is known.
    ///
    /// - Returns: the fixes outside, of which the next rest begins.
    private mutating func leave(
        _ rest: Rest, _ step: Step, isWritten: Bool, into output: inout Tracker.Output
    ) -> [Rest.Entry] {
        guard !isWritten else { return rest.outside }
        let departure = rest.departure
        endStop(rest, end: departure.first?.fix ?? rest.last, told: step.fix, into: &output)
        if trip == nil {
            let isUnseen = step.gap || rest.outside.contains { $0.fix.beginsSegment }
            guard !isUnseen, let first = departure.first?.fix, let start = first.time else {
                return rest.outside
            }
            let trip = TripSummary(device: device, start: start, timeline: restarts)
            self.trip = trip
            numbers = TripNumbers()
            output.changes.append(.tripBegan(trip))
            output.events.append(
                Event(
                    kind: .tripStart(trip), time: start, decided: start == step.time ? nil : step.time,
                    device: device, place: first.coordinate))
        }
        let written = departure.map { entry in
            let isLast = entry.fix.time == step.time
            write(entry.fix, gap: isLast ? step.gap : entry.fix.beginsSegment, into: &output)
            return Rest.Entry(fix: entry.fix, numbers: numbers)
        }
        return Array(written.suffix(rest.outside.count))
    }

    private mutating func write(_ fix: Fix, gap: Bool, into output: inout Tracker.Output) {
        let gap = gap || numbers.fixes == 0
        numbers.add(fix, gap: gap)
        output.changes.append(.point(fix, gap: gap))
    }

    private mutating func endStop(
        _ rest: Rest, end: Fix, told: Fix, into output: inout Tracker.Output
    ) {
        guard var stop, let time = told.time else { return }
        stop.end = end.time
        stop.place = Coordinate(rest.mean)
        if trip != nil {
            numbers.stops += 1
            numbers.stopped += stop.end?.seconds(since: stop.start) ?? 0
        }
        self.stop = nil
        output.changes.append(.stopEnded(stop))
        output.events.append(Event(kind: .stopEnd(stop), time: time, device: device, place: told.coordinate))
    }

    private mutating func endTrip(at end: Fix?, decided: Timestamp, into output: inout Tracker.Output) {
        guard var trip, let end, let time = end.time else { return }
        trip.end = time
        fill(&trip)
        self.trip = nil
        travelled += trip.distance
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
        trip.map { trip in
            var trip = trip
            fill(&trip)
            return trip
        }
    }

    private func fill(_ trip: inout TripSummary) {
        trip.distance = numbers.distance
        trip.stopped = numbers.stopped
        trip.maximumSpeed = numbers.maximumSpeed.map(Speed.metersPerSecond)
        trip.stops = numbers.stops
        trip.fixes = numbers.fixes
    }

    /// Ends what is open, as at the end of a recording; what follows begins anew.
    mutating func close(into output: inout Tracker.Output) {
        if let last, let now = last.time {
            if trip != nil { endTrip(at: restingPlace, decided: now, into: &output) }
            if let rest { endStop(rest, end: rest.last, told: last, into: &output) }
        }
        rest = nil
        stop = nil
        last = nil
        numbers = TripNumbers()
    }
}
