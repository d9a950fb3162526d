import Geodesy
import Positioning
import TestSupport
import Time
import Tracking

/// The protocol's section 1, implemented word for word and without an index.
struct GeofenceOracle {
    var policy: TrackingPolicy
    var since: [String: Timestamp] = [:]
    var dwelt: Set<String> = []
    var unknown: Set<String>?
    var last: Fix?

    /// Geofences that were removed while the device was inside.
    private var removed: [Geofence] = []

    init(policy: TrackingPolicy) { self.policy = policy }

    /// Handles a geofence that was added, moved or resized.
    mutating func change(_ geofence: Geofence) {
        let id = geofence.identity.id
        since[id] = nil
        dwelt.remove(id)
        unknown?.insert(id)
    }

    /// Handles a geofence that was removed.
    mutating func remove(_ geofence: Geofence) {
        if since[geofence.identity.id] != nil { removed.append(geofence) }
    }

    mutating func advance(_ fix: Fix, _ geofences: [Geofence]) -> [String] {
        let known = unknown
        var stillUnknown: Set<String> = []
        var events: [(Timestamp, Int, String, Event)] = []
        let here = UnitVector(fix.coordinate)
        guard let now = fix.time else { return [] }
        let accuracy = policy.gate.isOff ? nil : fix.accuracy?.meters
        func tell(_ kind: Event.Kind, _ rank: Int, _ id: String, at time: Timestamp, _ place: Coordinate) {
            events.append((time, rank, id, Event(kind: kind, time: time, device: "van", place: place)))
        }
        for geofence in removed {
            guard let start = since.removeValue(forKey: geofence.identity.id) else { continue }
            dwelt.remove(geofence.identity.id)
            let sighting = Event.GeofenceSighting(
                geofence: geofence, distance: UnitVector(geofence.center).distance(to: here))
            tell(
                .exit(sighting, inside: now.seconds(since: start), removed: true), 3, geofence.identity.id, at: now,
                fix.coordinate)
        }
        removed = []
        for geofence in geofences {
            let id = geofence.identity.id
            let center = UnitVector(geofence.center)
            let distance = center.distance(to: here)
            let sighting = Event.GeofenceSighting(geofence: geofence, distance: distance)
            let radius = geofence.radius.meters
            if let start = since[id] {
                let inside = now.seconds(since: start)
                let margin = policy.exitMargin?.meters ?? max(10, accuracy ?? 0, 0.05 * radius)
                if distance.meters > radius + margin {
                    since[id] = nil
                    dwelt.remove(id)
                    tell(.exit(sighting, inside: inside, removed: false), 3, id, at: now, fix.coordinate)
                } else if inside >= policy.dwell, dwelt.insert(id).inserted {
                    tell(.dwell(sighting, inside: inside), 6, id, at: now, fix.coordinate)
                }
                continue
            }
            let isUnknown = known?.contains(id) ?? true
            if distance.meters <= radius {
                if let accuracy, accuracy > max(radius, 50) {
                    if isUnknown { stillUnknown.insert(id) }
                    continue
                }
                since[id] = now
                tell(.enter(sighting, initial: isUnknown), 5, id, at: now, fix.coordinate)
            } else if !isUnknown, let cross = cross(fix, here, now, geofence, center) {
                tell(cross.kind, 4, id, at: cross.time, cross.place)
            }
        }
        unknown = stillUnknown
        last = fix
        return events.sorted { ($0.0, $0.1, $0.2) < ($1.0, $1.1, $1.2) }
            .map { String(decoding: $0.3.json(), as: UTF8.self) }
    }

    func cross(
        _ fix: Fix, _ here: UnitVector, _ now: Timestamp, _ geofence: Geofence, _ center: UnitVector
    ) -> (kind: Event.Kind, time: Timestamp, place: Coordinate)? {
        guard let last, let before = last.time, !fix.beginsSegment else { return nil }
        let start = UnitVector(last.coordinate)
        guard start.distance(to: here) <= .kilometers(5),
            policy.gate.isOff || now.seconds(since: before) <= 600,
            center.distance(to: start) > geofence.radius,
            let arc = GreatCircleArc(from: start, to: here),
            let (point, fraction) = arc.closestInteriorPoint(to: center)
        else { return nil }
        let distance = center.distance(to: point)
        guard distance <= geofence.radius else { return nil }
        let span = Double(now.milliseconds(since: before))
        return (
            .cross(.init(geofence: geofence, distance: distance)),
            before.advanced(byMilliseconds: Int64((span * fraction).rounded())), Coordinate(point)
        )
    }
}
