import Geodesy
import Glibc
import Positioning
import Tracking

/// A reference for approaches that looks at every geofence at every fix, with textbook formulas.
///
/// It needs fixes with speed and course. The caller passes the geofences that the device is inside of.
struct ApproachOracle {
    private struct Told {
        var tier: Int
        var gap: Double
    }

    private var told: [String: Told] = [:]
    private var last: (place: UnitVector, course: Double)?

    mutating func advance(_ fix: Fix, _ geofences: [Geofence], inside: Set<String>) -> [String] {
        guard let speed = fix.speed?.metersPerSecond, let course = fix.track?.degrees, let time = fix.time else {
            return []
        }
        for id in inside { told[id] = nil }
        if fix.beginsSegment { last = nil }
        guard speed >= 1 else {
            last = nil
            return []
        }
        let here = UnitVector(fix.coordinate)
        defer { last = (here, course) }
        guard let last else { return [] }
        let reaches = [min(5000, max(150, 60 * speed)), min(5000, max(40, 15 * speed))]
        var events: [Event] = []
        for geofence in geofences {
            let (id, center) = (geofence.identity.id, UnitVector(geofence.center))
            let gap = here.distance(to: center).meters - geofence.radius.meters
            if let known = told[id], gap > 1.25 * max(reaches[0], known.gap) { told[id] = nil }
            guard !inside.contains(id), gap > 0, let way = Self.way(here, course, center, geofence.radius.meters),
                Self.isMet(last.place, last.course, center, geofence.radius.meters), way <= reaches[0]
            else { continue }
            let tier = way <= reaches[1] * (told[id] == nil ? 2 : 1) ? 2 : 1
            guard told[id].map({ $0.tier < tier }) ?? true else { continue }
            told[id] = Told(tier: tier, gap: told[id]?.gap ?? gap)
            let bearing = here.bearing(to: center)
            let turn = atan2(
                sin((bearing.degrees - course) * .pi / 180), cos((bearing.degrees - course) * .pi / 180))
            let side: Event.Side = abs(turn) <= 20 * .pi / 180 ? .ahead : turn < 0 ? .left : .right
            events.append(
                Event(
                    kind: .approach(
                        .init(geofence: geofence, distance: here.distance(to: center)),
                        .init(tier: tier, eta: way / speed, bearing: bearing, side: side)),
                    time: time, device: "van", place: fix.coordinate))
        }
        return events.sorted(by: Event.precedes).map { String(decoding: $0.json(), as: UTF8.self) }
    }

    private static func triangle(
        _ here: UnitVector, _ course: Double, _ center: UnitVector
    ) -> (aside: Double, ahead: Double) {
        let distance = here.distance(to: center).meters / Sphere.radius.meters
        let turn = (here.bearing(to: center).degrees - course) * .pi / 180
        return (asin(sin(distance) * sin(turn)), atan2(sin(distance) * cos(turn), cos(distance)))
    }

    private static func isMet(_ here: UnitVector, _ course: Double, _ center: UnitVector, _ radius: Double) -> Bool {
        let (aside, ahead) = triangle(here, course, center)
        return ahead > 0 && abs(aside) <= radius / Sphere.radius.meters
    }

    private static func way(_ here: UnitVector, _ course: Double, _ center: UnitVector, _ radius: Double) -> Double? {
        guard isMet(here, course, center, radius) else { return nil }
        let (aside, ahead) = triangle(here, course, center)
        let half = acos(min(1, cos(radius / Sphere.radius.meters) / cos(aside)))
        return (ahead - half) * Sphere.radius.meters
    }
}
