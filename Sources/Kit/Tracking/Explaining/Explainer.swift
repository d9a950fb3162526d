import Geodesy
public import Positioning
import Shapes
import Time

/// Explains for each fix why it did, or did not, cause an event of one geofence.
///
/// The explainer does not judge the fixes. It is given the tracker's outcome for each of them, and derives the events
/// with an engine of its own that watches only this geofence. The events of one geofence do not depend on others.
public struct Explainer: Sendable {
    /// The geofence to explain.
    public let geofence: Geofence
    private let device: String
    private let policy: TrackingPolicy
    private let index: GeofenceIndex
    private var engine: GeofenceEngine
    /// The last accepted fix.
    private var last: (time: Timestamp, place: Coordinate)?

    /// Creates an explainer of a geofence whose state is unknown.
    public init(_ geofence: Geofence, device: String, policy: TrackingPolicy) {
        self.geofence = geofence
        self.device = device
        self.policy = policy
        index = GeofenceIndex([(geofence, 1)])
        engine = GeofenceEngine(device: device)
    }

    /// Continues from the state of another engine, in which the geofence has the given number.
    mutating func recall(_ memory: GeofenceEngine.Memory, number: Int32) {
        engine = GeofenceEngine(memory, device: device, keeping: number, revision: 1)
        last = memory.last
    }

    /// Explains the next fix.
    ///
    /// - Parameter isWatched: whether the geofence existed in its present form when the fix came.
    public mutating func explain(_ fix: Fix, _ outcome: Tracker.Outcome, isWatched: Bool = true) -> ExplainedFix {
        switch outcome {
        case .rejected(let reason): reject(fix, reason)
        case .accepted(let step): accept(fix, step, isWatched: isWatched)
        }
    }

    /// The state of the device in relation to the geofence.
    private var state: ExplainedFix.State {
        if !engine.stays.isEmpty { return .inside }
        return engine.seenRevision < index.revision || !engine.undecided.isEmpty ? .unknown : .outside
    }

    /// Returns the distance from a place to the centre of a circle or to the line of a corridor; to polygons, how far
    /// outside of their boundary it is, which is negative inside.
    private func distance(to place: Coordinate) -> Distance {
        let here = UnitVector(place)
        guard let shape = geofence.shape else { return index.fences[0].center.distance(to: here) }
        return shape.radius - .meters(shape.standing(place, at: here).edge)
    }

    private func reject(_ fix: Fix, _ reason: String) -> ExplainedFix {
        var row = ExplainedFix(
            time: fix.time, place: fix.coordinate, accuracy: fix.accuracy, rejection: reason,
            distance: distance(to: fix.coordinate), before: state, after: state)
        row.reason = ExplanationText.rejection(reason, of: fix, after: last, policy.gate)
        return row
    }

    private mutating func accept(_ fix: Fix, _ step: GeofenceEngine.PlacedFix, isWatched: Bool) -> ExplainedFix {
        defer { last = (step.time, fix.coordinate) }
        var row = ExplainedFix(
            time: fix.time, place: fix.coordinate, accuracy: fix.accuracy, distance: distance(to: step.place),
            before: state, after: state)
        if step.place != fix.coordinate {
            row.held = UnitVector(step.place).distance(to: UnitVector(fix.coordinate))
        }
        row.isDoubted = step.isDoubted
        let way = way(to: step)
        if isWatched {
            engine.advance(step, in: index, policy: policy) { kind, when, place in
                let place = place == step.place ? fix.coordinate : place
                row.events.append(Event(kind: kind, time: when, device: device, place: place))
            }
            row.events.sort(by: Event.precedes)
        } else {
            engine.last = (step.time, step.place)
        }
        row.after = state
        let words = ExplanationText(
            radius: geofence.radius.meters,
            exitLimit: GeofenceEngine.exitLimit(index.fences[0], accuracy: step.accuracy, policy),
            worstAccuracy: index.outline(0).map(GeofenceEngine.worstAccuracy)
                ?? GeofenceEngine.worstAccuracy(toEnter: index.fences[0]), accuracy: step.accuracy?.meters)
        let unwatched =
            isWatched
            ? ExplanationText.unwatched(geofence.watch, at: step.time, of: device) : ExplanationText.notWatched
        row.reason = unwatched ?? words.reason(for: row, way: way)
        return row
    }

    /// Returns what the engine knows of the path to a fix.
    private func way(to step: GeofenceEngine.PlacedFix) -> ExplanationText.Way {
        guard let before = engine.last else { return .none("it is the first fix") }
        let scene = engine.scene(step, policy: policy)
        guard let leg = scene.leg else {
            if step.isApart { return .none("a segment begins here") }
            guard engine.isApart(step, policy: policy) else {
                let length = UnitVector(before.place).distance(to: scene.here)
                return .unjudged("\(ExplanationText.length(length.meters)) without a fix")
            }
            return .unjudged("\(ExplanationText.number(step.time.seconds(since: before.time))) s without a fix")
        }
        if let shape = geofence.shape {
            guard let meeting = shape.meeting(from: leg.startPlace, leg.start, to: scene.place, scene.here) else {
                return .outside
            }
            return .passing(meeting.distance.meters)
        }
        let center = index.fences[0].center
        guard let arc = GreatCircleArc(from: leg.start, to: scene.here),
            let closest = arc.closestInteriorPoint(to: center)
        else { return .outside }
        return .passing(center.distance(to: closest.point).meters)
    }
}

extension GeofenceEngine {
    /// The state of an engine without its caches.
    struct Memory: Sendable {
        var last: (time: Timestamp, place: Coordinate)?
        var stays: [Stay]
        var undecided: [Int32]
        var seenRevision: Int64
    }

    var memory: Memory { Memory(last: last, stays: stays, undecided: undecided, seenRevision: seenRevision) }

    /// Creates an engine that takes over another engine's state of a single geofence, which gets the number 0.
    ///
    /// - Parameters:
    ///   - number: the number of the geofence in the other engine's index.
    ///   - revision: the last revision of the index of this engine.
    fileprivate init(_ memory: Memory, device: String, keeping number: Int32, revision: Int64) {
        self.init(device: device)
        last = memory.last
        seenRevision = revision
        if let stay = memory.stays.first(where: { $0.number == number }) {
            stays = [Stay(number: 0, since: stay.since, hasDwelt: stay.hasDwelt)]
        }
        if memory.undecided.contains(number) { undecided = [0] }
    }
}
