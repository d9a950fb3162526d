public import Geodesy
public import Positioning

/// Turns the fixes of one device into events and trips.
///
/// A value: no clock, no file, no task. The same fixes with the same geofences give the same events, however they are
/// cut into calls, and over saving and restoring between any two of them.
public struct Tracker: Sendable {
    /// Which device.
    public let device: String
    /// What it works by.
    public private(set) var policy: TrackingPolicy
    /// What it has seen since it was made.
    public private(set) var statistics = Statistics()

    private var gate: FixGate
    private var engine: GeofenceEngine
    private var approaches: ApproachEngine
    private var detector: TripDetector
    /// Where the geofences take an anchored device to be while its fixes may be noise, and in which of its rests.
    private var held: (rest: Int, place: Coordinate)?
    /// Whether the last fix ended its recording, so that no leg leads on from it.
    private var isFinished = false
    /// Whether a segment has begun since the last accepted fix, with fixes that were rejected.
    private var isBroken = false

    /// When and where the last accepted fix was.
    public private(set) var position: (time: Timestamp, place: Coordinate)?

    /// What a tracker has seen.
    public struct Statistics: Hashable, Sendable {
        /// Fixes that came in.
        public var read = 0
        /// Fixes that were let through.
        public var accepted = 0
        /// Fixes that were not, by reason.
        public var rejected = Tally()
        /// The length of all trips that ended.
        public var distance = Distance.zero
        /// The first fix let through.
        public var first: Timestamp?
        /// The last fix let through.
        public var last: Timestamp?

        /// Nothing seen yet.
        public init() {}
    }

    /// What came of some fixes.
    public struct Output: Sendable {
        /// What happened, in the order of the log.
        public var events: [Event] = []
        /// What is to be kept of trips and stops, in order.
        public var changes: [TravelChange] = []
        /// Whether positions are told too.
        public var wantsPositions: Bool

        /// Nothing yet.
        public init(wantsPositions: Bool = false) { self.wantsPositions = wantsPositions }
    }

    /// A tracker for a device of which nothing is known.
    public init(device: String, policy: TrackingPolicy = TrackingPolicy()) {
        self.device = device
        self.policy = policy
        gate = FixGate(policy: policy.gate)
        engine = GeofenceEngine(device: device)
        approaches = ApproachEngine(device: device)
        detector = TripDetector(device: device)
    }

    /// What became of a fix.
    public enum Outcome: Sendable {
        /// It was let through, and this is what geofences saw of it.
        case accepted(GeofenceEngine.PlacedFix)
        /// It was not, for a reason.
        case rejected(String)
    }

    /// Takes the device's next fix.
    ///
    /// - Complexity: O(1) for a fix that is far from any boundary, else that of a search in the index.
    @discardableResult
    public mutating func ingest(_ fix: Fix, in index: GeofenceIndex, into output: inout Output) -> Outcome {
        statistics.read += 1
        var fix = fix
        fix.beginsSegment = fix.beginsSegment || isBroken
        if let rejection = gate.judge(&fix) {
            // A recording that is read again begins with what is known already, which parts nothing.
            let isKnownAlready = rejection == .late && statistics.accepted == 0
            isBroken = isKnownAlready ? isBroken : fix.beginsSegment
            statistics.rejected.count(rejection.rawValue)
            return .rejected(rejection.rawValue)
        }
        isBroken = false
        guard let time = fix.time else { return .rejected(FixGate.Rejection.noTime.rawValue) }
        statistics.accepted += 1
        if statistics.first == nil { statistics.first = time }
        statistics.last = time
        detector.elapse(until: time, policy: policy, into: &output)
        let decidedBefore = output.events.count
        if output.wantsPositions {
            output.events.append(Event(kind: .position(fix), time: time, device: device, place: fix.coordinate))
        }
        let leg = Leg(to: fix, at: time, after: isFinished ? nil : position?.time)
        let isAway = held != nil && detector.isAway
        let accuracy = policy.accuracy(of: fix)
        let here = UnitVector(fix.coordinate)
        fix.beginsSegment = leg != .seen
        detector.advance(
            TripDetector.TimedFix(fix: fix, time: time, here: here, decided: time, policy: policy), into: &output)
        hold(fix.coordinate)
        let (device, effective) = (device, held?.place ?? fix.coordinate)
        let decidedByPlace = output.events.count
        let step = GeofenceEngine.PlacedFix(
            time: time, place: effective, accuracy: accuracy, isApart: leg == .apart || isAway)
        engine.advance(step, in: index, policy: policy) { kind, when, place in
            let place = place == effective ? fix.coordinate : place
            output.events.append(Event(kind: kind, time: when, device: device, place: place))
        }
        if policy.lookahead != nil {
            if output.events.count > decidedByPlace { approaches.reconsider() }
            lookAhead(
                ApproachEngine.MovingFix(
                    time: time, place: fix.coordinate, here: here, speed: fix.speed, track: fix.track,
                    isApart: leg != .seen),
                accuracy: accuracy, in: index, into: &output)
        }
        if output.events.count > decidedBefore + 1 {
            output.events[decidedBefore...].sort(by: Event.precedes)
        }
        position = (time, fix.coordinate)
        isFinished = false
        statistics.distance = detector.travelled
        return .accepted(step)
    }

    /// Tells what lies ahead of a device that does not stand; an inaccurate fix says nothing of it.
    private mutating func lookAhead(
        _ step: ApproachEngine.MovingFix, accuracy: Distance?, in index: GeofenceIndex, into output: inout Output
    ) {
        guard held == nil else { return approaches.rest() }
        guard let lookahead = policy.lookahead, accuracy.map({ $0 <= Self.worstForCourse }) ?? true else { return }
        let (engine, device) = (engine, device)
        approaches.advance(
            step, in: index, lookahead: lookahead, isInside: { !engine.stay(in: $0).isAbsent }
        ) { sighting, approach in
            output.events.append(
                Event(kind: .approach(sighting, approach), time: step.time, device: device, place: step.place))
        }
    }

    /// Beyond it, fixes do not let a device enter a small geofence either (*Interfaces*).
    private static let worstForCourse = Distance.meters(50)

    /// What the geofences know, for ``FixHistory`` to begin with.
    var geofenceMemory: GeofenceEngine.Memory { engine.memory }

    /// Keeps a device that stands where its geofences have seen it first, so that noise tells nothing.
    private mutating func hold(_ place: Coordinate) {
        guard !policy.gate.isOff, let rest = detector.heldInRest else {
            held = nil
            return
        }
        if held?.rest != rest { held = (rest, place) }
    }

    /// The recording ends here: closes the open stop and the open trip.
    ///
    /// Geofences stay as they are.
    public mutating func finish(into output: inout Output) {
        let decidedBefore = output.events.count
        detector.close(into: &output)
        output.events[decidedBefore...].sort(by: Event.precedes)
        statistics.distance = detector.travelled
        isFinished = true
    }

    /// Counts a fix that was rejected before it came here, for a reason of its own.
    public mutating func reject(reason: String) {
        statistics.read += 1
        statistics.rejected.count(reason)
    }

    /// Tells what is due by a moment without a further fix: a trip's end after long silence.
    ///
    /// A fix that comes later tells the same before all else, so that it does not matter when, or whether, this is
    /// called.
    public mutating func elapse(until now: Timestamp, into output: inout Output) {
        detector.elapse(until: now, policy: policy, into: &output)
        statistics.distance = detector.travelled
    }

    /// Begins the device's timeline anew, as its receiver has done: what is open ends with the last fix, and all
    /// geofences are unknown.
    ///
    /// Trips and stops from now on carry the number of the timeline in their ids, since the times may come again.
    public mutating func restart(into output: inout Output) {
        finish(into: &output)
        detector.restart()
        engine.reset()
        approaches = ApproachEngine(device: device)
        gate = FixGate(policy: policy.gate)
        position = nil
        held = nil
        isFinished = false
        isBroken = false
    }

    /// Works by other settings from the next fix on.
    public mutating func adopt(_ policy: TrackingPolicy) {
        if policy.lookahead != self.policy.lookahead { approaches = ApproachEngine(device: device) }
        self.policy = policy
        gate.policy = policy.gate
        engine.reconsider()
    }

    /// The open trip, with its numbers up to the last fix; nil where none is open.
    public var openTrip: TripSummary? { detector.openTrip }
}

extension Tracker {
    /// What must be kept of a device for it to go on after a restart as if there had been none.
    public struct Saved: Sendable, Codable {
        /// By which rules the detector works; those of others begin anew.
        var algorithm = TrackingPolicy.algorithm
        var gate: FixGate
        var engine: GeofenceEngine.Saved
        var approaches: ApproachEngine.Saved?
        var detector: TripDetector?
        var lastTime: Timestamp?
        var lastPlace: Coordinate?
        var heldInRest: Int?
        var heldPlace: Coordinate?
        var isFinished: Bool
        var isBroken: Bool
    }

    /// The state after the last fix.
    public func saved(in index: GeofenceIndex) -> Saved {
        Saved(
            gate: gate, engine: engine.saved(in: index), approaches: approaches.saved(in: index), detector: detector,
            lastTime: position?.time, lastPlace: position?.place, heldInRest: held?.rest, heldPlace: held?.place,
            isFinished: isFinished,
            isBroken: isBroken)
    }

    /// A tracker that goes on from a saved state.
    ///
    /// Geofences that have come or changed since are unknown; those that have gone are left at the next fix, for
    /// which the index keeps them as removed.
    public init(
        device: String, policy: TrackingPolicy = TrackingPolicy(), saved: Saved,
        in index: inout GeofenceIndex
    ) {
        self.init(device: device, policy: policy)
        gate = saved.gate
        gate.policy = policy.gate
        if let time = saved.lastTime, let place = saved.lastPlace { position = (time, place) }
        if let rest = saved.heldInRest, let place = saved.heldPlace { held = (rest, place) }
        engine = GeofenceEngine(
            saved.engine, device: device, last: position.map { ($0.time, held?.place ?? $0.place) }, in: &index)
        if policy.lookahead != nil, let saved = saved.approaches {
            approaches = ApproachEngine(saved, device: device, in: index)
        }
        if let detector = saved.detector { self.detector = detector }
        detector.travelled = .zero
        isBroken = saved.isBroken
        isFinished = position != nil && saved.isFinished
    }
}

extension Tracker.Saved {
    /// The state as it was saved, by this version or an earlier one.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let saved = try values.decodeIfPresent(Int.self, forKey: .algorithm)
        gate = try values.decode(FixGate.self, forKey: .gate)
        engine = try values.decode(GeofenceEngine.Saved.self, forKey: .engine)
        approaches = try values.decodeIfPresent(ApproachEngine.Saved.self, forKey: .approaches)
        detector = (2...algorithm).contains(saved ?? 0) ? try values.decode(TripDetector.self, forKey: .detector) : nil
        lastTime = try values.decodeIfPresent(Timestamp.self, forKey: .lastTime)
        lastPlace = try values.decodeIfPresent(Coordinate.self, forKey: .lastPlace)
        heldInRest = try values.decodeIfPresent(Int.self, forKey: .heldInRest)
        heldPlace = try values.decodeIfPresent(Coordinate.self, forKey: .heldPlace)
        isFinished = try values.decode(Bool.self, forKey: .isFinished)
        isBroken = try values.decode(Bool.self, forKey: .isBroken)
        guard detector?.isInOrder ?? true else {
            throw DecodingError.dataCorruptedError(
                forKey: .detector, in: values, debugDescription: "its fixes are not in the order of their times")
        }
        if let known = detector?.lastTime, gate.lastTime.map({ known > $0 }) ?? true {
            throw DecodingError.dataCorruptedError(
                forKey: .gate, in: values, debugDescription: "its last fix is older than those of the trip")
        }
        guard gate.isBounded, detector?.isBounded ?? true else {
            throw DecodingError.dataCorruptedError(
                forKey: .detector, in: values, debugDescription: "it counts beyond belief")
        }
    }
}
