public import Geodesy
public import Positioning
public import Time

/// Turns the fixes of one device into events and trips.
///
/// The tracker is a value without a clock, files or tasks. The same fixes with the same geofences give the same events,
/// however they are divided into calls, and also if the tracker is saved and restored between any two of them.
public struct Tracker: Sendable {
    /// The name of the device.
    public let device: String
    /// The settings in effect.
    public private(set) var policy: TrackingPolicy
    /// The counts since this tracker was created.
    public private(set) var statistics = Statistics()

    private var gate: FixGate
    private var engine: GeofenceEngine
    private var approaches: ApproachEngine
    private var detector: TripDetector
    private var speeds = SpeedWatch()
    private var alarms = AlarmWatch()
    /// Where geofences hold an anchored device while its fixes may be noise.
    private var held: Hold?
    /// What the last fixes say about an alarm, while the device is inside a geofence whose exit is one.
    private var proof: AlarmProof?
    /// Whether the last fix ended its recording, so that no leg starts from it.
    private var isFinished = false
    /// Whether a rejected fix since the last accepted one has begun a segment.
    private var isBroken = false

    /// The time and place of the last accepted fix.
    public private(set) var position: (time: Timestamp, place: Coordinate)?

    /// The counts of a tracker.
    public struct Statistics: Hashable, Sendable {
        /// The number of fixes received.
        public var read = 0
        /// The number of fixes accepted.
        public var accepted = 0
        /// The number of fixes rejected, by reason.
        public var rejected = Tally()
        /// The number of legs that were too long, or took too long, to judge what the device passed.
        public var unjudgedLegs = 0
        /// The total length of all ended trips.
        public var distance = Distance.zero
        /// The time of the first accepted fix.
        public var first: Timestamp?
        /// The time of the last accepted fix.
        public var last: Timestamp?

        /// Creates statistics with all counts 0.
        public init() {}
    }

    /// The results of some fixes.
    public struct Output: Sendable {
        /// The events, in the order of the log.
        public var events: [Event] = []
        /// The changes of trips and stops to store, in order.
        public var changes: [TravelChange] = []
        /// Whether to emit positions too.
        public var wantsPositions: Bool

        /// Creates an empty output.
        public init(wantsPositions: Bool = false) { self.wantsPositions = wantsPositions }
    }

    /// Creates a tracker for a device about which nothing is known.
    public init(device: String, policy: TrackingPolicy = TrackingPolicy()) {
        self.device = device
        self.policy = policy
        gate = FixGate(policy: policy.gate)
        engine = GeofenceEngine(device: device)
        approaches = ApproachEngine(device: device)
        detector = TripDetector(device: device)
    }

    /// The outcome of a fix.
    public enum Outcome: Sendable {
        /// The fix was accepted.
        ///
        /// The value is the fix as geofences see it.
        case accepted(GeofenceEngine.PlacedFix)
        /// The fix was rejected, for the given reason.
        case rejected(String)
    }

    /// Processes the device's next fix.
    ///
    /// - Complexity: O(1) for a fix that is far from any boundary, otherwise that of a search in the index.
    @discardableResult
    public mutating func ingest(_ fix: Fix, in index: GeofenceIndex, into output: inout Output) -> Outcome {
        statistics.read += 1
        var fix = fix
        fix.beginsSegment = fix.beginsSegment || isBroken
        if let rejection = gate.judge(&fix) {
            // A recording that is read again begins with fixes that are known already. They do not separate anything.
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
        if let last = position?.time, time.seconds(since: last) > Self.longestSilence { detector.close(into: &output) }
        let decidedBefore = output.events.count
        if output.wantsPositions {
            output.events.append(Event(kind: .position(fix), time: time, device: device, place: fix.coordinate))
        }
        let leg = Leg(to: fix, at: time, after: isFinished ? nil : position?.time)
        if isUnjudged(leg, to: fix.coordinate) { statistics.unjudgedLegs += 1 }
        let isAway = held != nil && detector.isAway
        let accuracy = policy.accuracy(of: fix)
        let here = UnitVector(fix.coordinate)
        fix.beginsSegment = leg != .seen
        detector.advance(
            TripDetector.TimedFix(fix: fix, time: time, here: here, decided: time, policy: policy), into: &output)
        hold(fix, at: time, here, accuracy: accuracy, in: index)
        var doubted: Coordinate?
        if engine.staysInAlarm(in: index), !policy.gate.isOff {
            let (engine, policy) = (engine, policy)
            doubted = AlarmProof.doubt(at: time, here, isSeen: leg == .seen, after: &proof) {
                engine.isDoubtfulAlarm(
                    fix.coordinate, here, accuracy: accuracy, average: $0, in: index, policy: policy)
            }
        } else {
            proof = nil
        }
        let (device, effective) = (device, held?.place ?? doubted ?? fix.coordinate)
        let decidedByPlace = output.events.count
        var step = GeofenceEngine.PlacedFix(
            time: time, place: effective, accuracy: accuracy, isApart: leg == .apart || isAway)
        step.isDoubted = held == nil && doubted != nil
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
        if index.hasAlarms || !alarms.isEmpty {
            let events = output.events[decidedByPlace...]
            for (number, inside, again) in alarms.advance(events, at: time, in: index) {
                var sighting = index.sighting(number, at: fix.coordinate, here)
                sighting.again = again
                output.events.append(
                    Event(
                        kind: .exit(sighting, inside: inside, removed: false), time: time, device: device,
                        place: fix.coordinate))
            }
        }
        if index.hasSpeedLimits || policy.speedLimit != nil || !speeds.isEmpty {
            watchSpeed(fix, at: time, leg, in: index, into: &output)
        }
        if output.events.count > decidedBefore + 1 {
            output.events[decidedBefore...].sort(by: Event.precedes)
        }
        position = (time, fix.coordinate)
        isFinished = false
        statistics.distance = detector.travelled
        return .accepted(step)
    }

    /// The silence in seconds that ends a stop: 400 days.
    ///
    /// Nobody knows whether the device stood there, and usually one of the dates is wrong.
    private static let longestSilence = 400 * 86_400.0

    /// Whether the device has gone too far since the last fix for a cross to be judged.
    private func isUnjudged(_ leg: Leg, to place: Coordinate) -> Bool {
        // Without the gate, a leg may take as long as it likes.
        let isSilence = leg == .silence && !policy.gate.isOff
        guard let last = position?.place, leg != .apart else { return false }
        // Most legs are so short that this comparison suffices.
        let north = abs(Int64(place.latitudeE7) - Int64(last.latitudeE7))
        let east = abs(Int64(place.longitudeE7) - Int64(last.longitudeE7))
        let isNear = north + east < Self.surelyShort
        guard !isNear || isSilence else { return false }
        let way = Sphere.distance(from: last, to: place)
        return way > TrackingPolicy.longestLeg || isSilence && way > Self.standingInSilence
    }

    /// A sum of differences in 1e-7 degrees, surely shorter than the longest leg: 3 km.
    private static let surelyShort: Int64 = 270_000
    /// A distance that a device which stands may seem to have gone in a silence.
    private static let standingInSilence = Distance.meters(100)

    /// Emits the approaches of a device that is not standing.
    ///
    /// Inaccurate fixes are skipped.
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

    /// Emits the events of limits of speed.
    ///
    /// A device that stands has no speed, whatever its fixes report. If a fix reports none, the leg to it shows one.
    private mutating func watchSpeed(
        _ fix: Fix, at time: Timestamp, _ leg: Leg, in index: GeofenceIndex, into output: inout Output
    ) {
        let here = UnitVector(fix.coordinate)
        var step = SpeedWatch.Step(time: time, speed: fix.speed, way: .zero, isApart: leg != .seen)
        if leg == .seen, let position {
            step.way = UnitVector(position.place).distance(to: here)
            let seconds = time.seconds(since: position.time)
            if step.speed == nil, seconds > 0, seconds <= Self.longestSpeedTime {
                step.speed = .metersPerSecond(step.way.meters / seconds)
            }
        }
        if held != nil { step.speed = .metersPerSecond(0) }
        var limits = engine.speedLimits(in: index)
        if let own = policy.speedLimit { limits.append(SpeedWatch.Limit(geofence: nil, speed: own)) }
        for report in speeds.advance(step, limits: limits) {
            var sighting: Event.GeofenceSighting?
            if let identity = report.geofence {
                // A geofence that is gone has no limit to report.
                guard let number = index.number(of: identity) else { continue }
                sighting = index.sighting(number, at: fix.coordinate, here)
            }
            output.events.append(
                Event(kind: .speed(sighting, report.speeding), time: time, device: device, place: fix.coordinate))
        }
    }

    /// The longest leg, in seconds, that shows the speed of a device which reports none.
    private static let longestSpeedTime = 60.0

    /// The worst accuracy at which a fix shows a course.
    ///
    /// Worse fixes do not enter a small geofence either (*Interfaces*).
    private static let worstForCourse = Distance.meters(50)

    /// The state of the geofence engine, for the checkpoints of ``FixHistory``.
    var geofenceMemory: GeofenceEngine.Memory { engine.memory }

    /// Holds a standing device where geofences saw it first, so that noise causes no events.
    ///
    /// The hold gives way once three fixes in a row lie outside of a geofence that the device is inside, and noise cannot
    /// have brought them there. From then on it follows the device until that stands for ten minutes. Inside a geofence
    /// whose exit is an alarm, and after such an exit, there is no hold.
    private mutating func hold(
        _ fix: Fix, at time: Timestamp, _ here: UnitVector, accuracy: Distance?, in index: GeofenceIndex
    ) {
        guard !policy.gate.isOff, let rest = detector.heldInRest, alarms.isEmpty,
            !engine.isInsideAlarm(fix.coordinate, here, at: time, in: index)
        else {
            held = nil
            return
        }
        guard var hold = held, hold.rest == rest else {
            held = Hold(rest: rest, place: fix.coordinate, followsSince: held == nil ? nil : time)
            return
        }
        let follows = hold.follows(at: time)
        let remoteness = engine.remoteness(of: fix.coordinate, here, accuracy: accuracy, in: index, policy: policy)
        let isElsewhere = remoteness > .near || follows && hold.isFar(here, accuracy: accuracy)
        hold.outside = isElsewhere ? min(hold.outside + 1, Hold.inARow) : 0
        if hold.outside == Hold.inARow,
            follows || detector.certaintyOfLeaving(fix, at: here, accuracy: accuracy) >= Hold.certainty(remoteness)
        {
            hold = Hold(rest: rest, place: fix.coordinate, followsSince: time)
        }
        held = hold
    }

    /// Ends the recording: closes the open stop and the open trip.
    ///
    /// The state of the geofences does not change.
    public mutating func finish(into output: inout Output) {
        let decidedBefore = output.events.count
        detector.close(into: &output)
        output.events[decidedBefore...].sort(by: Event.precedes)
        statistics.distance = detector.travelled
        isFinished = true
    }

    /// Counts a fix that was rejected before it reached the tracker.
    public mutating func reject(reason: String) {
        statistics.read += 1
        statistics.rejected.count(reason)
    }

    /// Takes back the count of a rejected fix that turned out to be good, so that it can be processed.
    public mutating func retractRejection(reason: String) {
        guard statistics.rejected[reason] > 0 else { return }
        statistics.read -= 1
        statistics.rejected.subtract(reason)
    }

    /// Emits what is due at `now` without a further fix: the end of a trip after a long silence.
    ///
    /// A later fix would emit the same before anything else. So it does not matter when this is called, or whether it
    /// is.
    public mutating func elapse(until now: Timestamp, into output: inout Output) {
        detector.elapse(until: now, policy: policy, into: &output)
        statistics.distance = detector.travelled
    }

    /// Restarts the device's timeline after its receiver has done so.
    ///
    /// An open stop or trip ends with the last fix, and all geofences are unknown.
    ///
    /// From now on the ids of trips and stops contain the number of the timeline, because times may repeat.
    public mutating func restart(into output: inout Output) {
        finish(into: &output)
        detector.restart()
        engine.reset()
        approaches = ApproachEngine(device: device)
        speeds = SpeedWatch()
        alarms = AlarmWatch()
        gate = FixGate(policy: policy.gate)
        position = nil
        held = nil
        proof = nil
        isFinished = false
        isBroken = false
    }

    /// Applies other settings from the next fix on.
    public mutating func adopt(_ policy: TrackingPolicy) {
        if policy.lookahead != self.policy.lookahead { approaches = ApproachEngine(device: device) }
        self.policy = policy
        gate.policy = policy.gate
        engine.reconsider()
    }

    /// Applies another limit of speed of the device from the next fix on; `nil` for none.
    public mutating func limitSpeed(to limit: Speed?) { policy.speedLimit = limit }

    /// The open trip, with its numbers up to the last fix; `nil` if none is open.
    public var openTrip: TripSummary? { detector.openTrip }
}

extension Tracker {
    /// The state that a device needs to go on after a restart as if there had been none.
    public struct Saved: Sendable, Codable {
        /// The version of the detector's rules.
        ///
        /// The state of a detector with unknown rules is dropped.
        var algorithm = TrackingPolicy.algorithm
        var gate: FixGate
        var engine: GeofenceEngine.Saved
        var approaches: ApproachEngine.Saved?
        var detector: TripDetector?
        var speeds: SpeedWatch?
        var alarms: AlarmWatch?
        var lastTime: Timestamp?
        var lastPlace: Coordinate?
        var heldInRest: Int?
        var heldPlace: Coordinate?
        var heldOutside: Int?
        var heldFollowsSince: Timestamp?
        var proof: AlarmProof?
        var isFinished: Bool
        var isBroken: Bool
    }

    /// Returns the state after the last fix.
    public func saved(in index: GeofenceIndex) -> Saved {
        Saved(
            gate: gate, engine: engine.saved(in: index), approaches: approaches.saved(in: index), detector: detector,
            speeds: speeds.isEmpty ? nil : speeds, alarms: alarms.isEmpty ? nil : alarms, lastTime: position?.time,
            lastPlace: position?.place,
            heldInRest: held?.rest, heldPlace: held?.place,
            heldOutside: held?.outside, heldFollowsSince: held?.followsSince, proof: proof, isFinished: isFinished,
            isBroken: isBroken)
    }

    /// Restores a tracker from a saved state.
    ///
    /// Geofences that were added or changed since then are unknown. The device leaves those that were removed at the
    /// next fix; the index gets tombstones for them.
    public init(
        device: String, policy: TrackingPolicy = TrackingPolicy(), saved: Saved,
        in index: inout GeofenceIndex
    ) {
        self.init(device: device, policy: policy)
        gate = saved.gate
        gate.policy = policy.gate
        if let time = saved.lastTime, let place = saved.lastPlace { position = (time, place) }
        if let rest = saved.heldInRest, let place = saved.heldPlace {
            held = Hold(
                rest: rest, place: place, outside: saved.heldOutside ?? 0, followsSince: saved.heldFollowsSince)
        }
        engine = GeofenceEngine(
            saved.engine, device: device,
            last: position.map { ($0.time, held?.place ?? saved.proof?.doubted ?? $0.place) }, in: &index)
        if policy.lookahead != nil, let saved = saved.approaches {
            approaches = ApproachEngine(saved, device: device, in: index)
        }
        if let detector = saved.detector { self.detector = detector }
        if let speeds = saved.speeds { self.speeds = speeds }
        if let alarms = saved.alarms { self.alarms = alarms }
        proof = saved.proof
        detector.travelled = .zero
        isBroken = saved.isBroken
        isFinished = position != nil && saved.isFinished
    }
}

extension Tracker.Saved {
    /// Decodes a state that this version or an earlier one saved.
    ///
    /// - Throws: `DecodingError` if the state is damaged: times out of order, an open trip or stop without its fixes,
    ///   or counts beyond their bounds.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let saved = try values.decodeIfPresent(Int.self, forKey: .algorithm)
        gate = try values.decode(FixGate.self, forKey: .gate)
        engine = try values.decode(GeofenceEngine.Saved.self, forKey: .engine)
        approaches = try values.decodeIfPresent(ApproachEngine.Saved.self, forKey: .approaches)
        detector = (2...algorithm).contains(saved ?? 0) ? try values.decode(TripDetector.self, forKey: .detector) : nil
        speeds = try values.decodeIfPresent(SpeedWatch.self, forKey: .speeds)
        alarms = try values.decodeIfPresent(AlarmWatch.self, forKey: .alarms)
        lastTime = try values.decodeIfPresent(Timestamp.self, forKey: .lastTime)
        lastPlace = try values.decodeIfPresent(Coordinate.self, forKey: .lastPlace)
        heldInRest = try values.decodeIfPresent(Int.self, forKey: .heldInRest)
        heldPlace = try values.decodeIfPresent(Coordinate.self, forKey: .heldPlace)
        heldOutside = try values.decodeIfPresent(Int.self, forKey: .heldOutside)
        heldFollowsSince = try values.decodeIfPresent(Timestamp.self, forKey: .heldFollowsSince)
        proof = try values.decodeIfPresent(AlarmProof.self, forKey: .proof)
        isFinished = try values.decode(Bool.self, forKey: .isFinished)
        isBroken = try values.decode(Bool.self, forKey: .isBroken)
        guard detector?.isInOrder ?? true else {
            throw DecodingError.dataCorruptedError(
                forKey: .detector, in: values, debugDescription: "its fixes are not in order of time")
        }
        if let known = detector?.lastTime, gate.lastTime.map({ known > $0 }) ?? true {
            throw DecodingError.dataCorruptedError(
                forKey: .gate, in: values, debugDescription: "its last fix is older than the last fix of the trip")
        }
        guard detector?.isComplete ?? true else {
            throw DecodingError.dataCorruptedError(
                forKey: .detector, in: values, debugDescription: "a trip or stop is open, but its fixes are missing")
        }
        guard gate.isBounded, detector?.isBounded ?? true, (0...Hold.inARow).contains(heldOutside ?? 0) else {
            throw DecodingError.dataCorruptedError(
                forKey: .detector, in: values, debugDescription: "its counts are negative or impossibly large")
        }
    }
}
