import Geodesy
import Positioning
import TextCoding
import Time

/// The wording of an explanation, derived from decisions already made.
struct ExplanationText {
    /// The geofence's radius, in metres; 0 for polygons, whose distances are those from the boundary.
    var radius: Double
    /// The distance from the centre beyond which this fix leaves the geofence, in metres.
    var exitLimit: Double
    /// The worst accuracy with which a fix enters the geofence, in metres.
    var worstAccuracy: Double
    /// The accuracy of this fix, in metres.
    var accuracy: Double?

    /// The path to a fix, as far as it is known.
    enum Way {
        /// The path is unknown, for the given reason.
        case none(String)
        /// The path is too long or took too long to be judged, as the given words say.
        case unjudged(String)
        /// The path is closest to the centre at one of its ends.
        case outside
        /// The path is closest to the centre between its ends, at the given distance in metres.
        case passing(Double)
    }

    static let notWatched = "not watched yet: the geofence was added, moved or resized after this fix"

    /// Returns why a geofence with a limited time and devices is not watched, or `nil` if it is.
    static func unwatched(_ watch: Geofence.Watch?, at time: Timestamp, of device: String) -> String? {
        guard let watch else { return nil }
        switch watch.state(at: time, of: device) {
        case .watched: return nil
        case .otherDevices: return "not watched for \(device), only for other devices"
        case .notYet: return "not watched yet: it is watched from \(watch.since) to \(watch.until)"
        case .closed: return "not watched at this hour"
        case .over: return "not watched any more: it was watched from \(watch.since) to \(watch.until)"
        }
    }

    /// Returns why an accepted fix caused its events, or none.
    func reason(for row: ExplainedFix, way: Way) -> String {
        var reason =
            row.events.isEmpty
            ? noEventReason(row, way) : row.events.map { eventReason($0, row) }.joined(separator: "; ")
        if row.isDoubted {
            reason += "; the fixes before do not bear this one out, so the alarm waits for a second one"
            if let held = row.held { reason += "; it counts as their average, \(Self.length(held.meters)) away" }
        } else if let held = row.held {
            reason += "; held: the device is at rest, anchored \(Self.length(held.meters)) away"
        }
        return reason
    }

    private func eventReason(_ event: Event, _ row: ExplainedFix) -> String {
        switch event.kind {
        case .enter(let sighting, let initial):
            "enters: \(Self.compared(distance(sighting), "<=", radius))"
                + (initial ? ", and nothing was known before" : "")
        case .exit(let sighting, _, _): "leaves: \(Self.compared(distance(sighting), ">", exitLimit))"
        case .dwell(_, let inside): "dwells: inside for \(Self.number(inside)) s"
        case .cross(let sighting): "crosses: the leg passed at \(Self.compared(distance(sighting), "<=", radius))"
        default: event.type
        }
    }

    /// Returns the distance that is compared with the radius; see ``ExplainedFix/distance``.
    private func distance(_ sighting: Event.GeofenceSighting) -> Double {
        sighting.edge.map { radius - $0.meters } ?? sighting.distance.meters
    }

    private func noEventReason(_ row: ExplainedFix, _ way: Way) -> String {
        let distance = row.distance.meters
        if row.after == .inside {
            return distance <= radius
                ? "already inside: \(Self.compared(distance, "<=", radius))"
                : "within the margin: \(Self.compared(distance, "<=", exitLimit)), no exit"
        }
        guard distance > radius else {
            return "too inaccurate: \(Self.compared(accuracy ?? 0, ">", worstAccuracy)), no enter"
        }
        let outside = "outside: \(Self.compared(distance, ">", radius))"
        guard row.before != .unknown else { return "\(outside), and nothing was known before" }
        switch way {
        case .none(let reason): return "\(outside); no leg: \(reason)"
        case .unjudged(let reason): return "\(outside); whether it passed by is not judged: \(reason)"
        case .outside: return outside
        case .passing(let closest): return "\(outside); the leg passed at \(Self.length(closest))"
        }
    }

    /// Returns why a fix was rejected.
    static func rejection(
        _ reason: String, of fix: Fix, after last: (time: Timestamp, place: Coordinate)?, _ gate: FixGate.Policy
    ) -> String {
        let why: String? =
            switch FixGate.Rejection(rawValue: reason) {
            case .noTime: "it has no time"
            case .late: last.map { "it is not later than the fix of \($0.time)" }
            case .nullIsland: "receivers without a fix report 0 N 0 E"
            case .accuracy:
                fix.accuracy.map { "its accuracy is \(compared($0.meters, ">", gate.worstAccuracy.meters))" }
            case .speed: last.flatMap { leap(from: $0, to: fix) }
            default: reason == FixHistory.future ? "its time is ahead of the clock" : nil
            }
        return "rejected as \(reason)" + (why.map { ": \($0)" } ?? "")
    }

    private static func leap(from last: (time: Timestamp, place: Coordinate), to fix: Fix) -> String? {
        guard let time = fix.time else { return nil }
        let way = UnitVector(last.place).distance(to: UnitVector(fix.coordinate))
        return "\(length(way.meters)) from the last fix, \(number(time.seconds(since: last.time))) s after it"
    }

    static func length(_ meters: Double) -> String { "\(number(meters)) m" }

    static func number(_ value: Double) -> String { DecimalText.string(value, decimals: 1) }

    /// Returns two lengths with a sign between them, with enough decimals to distinguish them.
    static func compared(_ left: Double, _ sign: String, _ right: Double) -> String {
        let isClose = abs(left - right) < 0.1
        func text(_ value: Double) -> String { DecimalText.string(value, decimals: isClose ? 4 : 1) }
        return "\(text(left)) m \(sign) \(text(right)) m"
    }
}
