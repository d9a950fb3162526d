import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

/// More fixes on the same path give the same events, only more precisely.
///
/// On each leg, a cross may become an enter and an exit, and times may move within the leg. Otherwise only a stay gets
/// longer, by the time inside before its first fix, so a dwell may come earlier or at all.
@Suite(.slow) struct InsertedFixesTests {
    /// What happened between a device and a geofence, and on which leg; dwells are left out.
    struct Happening: Equatable, CustomStringConvertible {
        var type: String
        var leg: Int
        var isInitial = false

        var description: String { "\(type)@\(leg)" }
    }

    /// A stay in a geofence, and the time of its dwell.
    private struct Stay {
        var enter: Timestamp
        var dwell: Timestamp?
        var exit: Timestamp?
    }

    /// Returns legs of a second to four minutes between fixes, on foot to by car, with the same accuracy throughout.
    private static func journey(_ random: inout SeededGenerator) -> [Fix] {
        var journey = Journey()
        for _ in 0..<60 {
            let every: Double = [1, 5, 20, 60, 240].randomElement(using: &random) ?? 1
            let fastest: Double = [1.5, 10, 35].randomElement(using: &random) ?? 1
            journey.move(
                east: .random(in: -fastest...fastest, using: &random),
                north: .random(in: -fastest...fastest, using: &random), for: every * 8, every: every)
        }
        let accuracy: Double? = [nil, 4, 45].randomElement(using: &random) ?? nil
        return journey.fixes.map { truth in
            var fix = truth
            fix.accuracy = accuracy.map { .meters($0) }
            fix.beginsSegment = Int.random(in: 0..<100, using: &random) == 0
            return fix
        }
    }

    static func geofences(along fixes: [Fix], _ random: inout SeededGenerator) -> [Geofence] {
        let journey = Journey()
        return (0..<100).map { number in
            let near = fixes.randomElement(using: &random)?.coordinate ?? journey.origin
            let radius = Double.random(in: 20...600, using: &random)
            let center = journey.place(
                east: .random(in: -1.5 * radius...1.5 * radius, using: &random),
                north: .random(in: -1.5 * radius...1.5 * radius, using: &random), of: near)
            return Geofence(
                identity: .init(kind: .sight, id: "s\(number)"), title: "Sight", center: center,
                radius: .meters(radius))
        }
    }

    private static func events(
        of fixes: [Fix], _ geofences: [Geofence], _ policy: TrackingPolicy
    ) -> [String: [Event]] {
        let index = GeofenceIndex(geofences.map { ($0, 1) })
        var engine = GeofenceEngine()
        var events: [String: [Event]] = [:]
        for fix in fixes {
            guard let time = fix.time else { continue }
            let step = GeofenceEngine.PlacedFix(
                time: time, place: fix.coordinate, accuracy: fix.accuracy, isApart: fix.beginsSegment)
            engine.advance(step, in: index, policy: policy) { kind, when, place in
                let event = Event(kind: kind, time: when, device: "van", place: place)
                if let id = id(of: kind) { events[id, default: []].append(event) }
            }
        }
        return events.mapValues { $0.sorted(by: Event.precedes) }
    }

    static func id(of kind: Event.Kind) -> String? {
        switch kind {
        case .enter(let sighting, _), .exit(let sighting, _, _), .dwell(let sighting, _), .cross(let sighting):
            sighting.geofence.identity.id
        default: nil
        }
    }

    /// Returns whether the recording's own fixes leave no doubt about a geofence.
    ///
    /// No fix may lie in the margin where a device inside stays inside and a device outside does not enter, and no leg
    /// may just touch the boundary.
    static func isClear(_ geofence: Geofence, _ fixes: [Fix], _ policy: TrackingPolicy) -> Bool {
        let (center, radius, rounding) = (UnitVector(geofence.center), geofence.radius.meters, 0.1)
        var before: Fix?
        for fix in fixes {
            defer { before = fix }
            let margin = policy.exitMargin?.meters ?? max(10, fix.accuracy?.meters ?? 0, 0.05 * radius)
            let here = UnitVector(fix.coordinate)
            let distance = center.distance(to: here).meters
            if distance > radius - rounding, distance <= radius + margin + rounding { return false }
            if let before, let arc = GreatCircleArc(from: UnitVector(before.coordinate), to: here),
                let closest = arc.closestInteriorPoint(to: center),
                abs(center.distance(to: closest.point).meters - radius) < rounding
            {
                return false
            }
        }
        return true
    }

    static func happenings(_ events: [Event], _ filler: LegFiller) -> [Happening] {
        var happenings: [Happening] = []
        for event in events {
            let leg = filler.leg(of: event.time)
            switch event.kind {
            case .dwell: continue
            case .exit where happenings.last == Happening(type: "geofence.enter", leg: leg):
                happenings[happenings.count - 1].type = "geofence.cross"
            case .enter(_, let initial): happenings.append(Happening(type: event.type, leg: leg, isInitial: initial))
            default: happenings.append(Happening(type: event.type, leg: leg))
            }
        }
        return happenings
    }

    private static func stays(_ events: [Event]) -> [Stay] {
        var stays: [Stay] = []
        for event in events {
            switch event.kind {
            case .enter: stays.append(Stay(enter: event.time))
            case .dwell: stays[stays.count - 1].dwell = event.time
            case .exit: stays[stays.count - 1].exit = event.time
            default: break
            }
        }
        return stays
    }

    @Test(arguments: UInt64(1)...10, [nil, 0.0])
    func onlyCrossesBecomeStaysAndOnlyOnTheirLegs(seed: UInt64, margin: Double?) throws {
        var random = SeededGenerator(seed: seed)
        var policy = TrackingPolicy()
        policy.exitMargin = margin.map { .meters($0) }
        let fixes = Self.journey(&random)
        let geofences = Self.geofences(along: fixes, &random)
        let filler = LegFiller(fixes, &random)
        let clear = geofences.filter { Self.isClear($0, fixes, policy) }
        let (sparse, dense) = (Self.events(of: fixes, clear, policy), Self.events(of: filler.dense, clear, policy))
        var (happened, became) = (0, 0)
        for geofence in clear {
            let id = geofence.identity.id
            let (before, after) = (sparse[id] ?? [], dense[id] ?? [])
            #expect(Self.happenings(after, filler) == Self.happenings(before, filler), "\(id)")
            happened += before.count
            became += before.count { $0.type == "geofence.cross" } - after.count { $0.type == "geofence.cross" }
            let stays = Self.stays(after)
            for stay in Self.stays(before) {
                let same = try #require(stays.last { $0.enter <= stay.enter })
                #expect(filler.leg(of: same.enter) == filler.leg(of: stay.enter))
                if let dwell = stay.dwell { #expect(try #require(same.dwell) <= dwell) }
                if let exit = stay.exit { #expect(try #require(same.exit) <= exit) }
            }
            for stay in stays {
                if let dwell = stay.dwell { #expect(dwell.seconds(since: stay.enter) >= policy.dwell) }
            }
        }
        #expect(happened > 30)
        #expect(became > 0)
    }

    /// If a leg ends within the exit margin, a device that was seen inside exits only when it leaves the margin.
    @Test func aDeviceSeenInsideExitsOnlyBeyondTheMargin() {
        let journey = Journey()
        let fix = { (seconds: Double, east: Double) in
            Fix(time: Journey.at(seconds), coordinate: journey.place(east: east, north: 0))
        }
        let geofence = Geofence(
            identity: .init(kind: .sight, id: "s"), title: "Sight", center: journey.origin, radius: .meters(50))
        let types = { (fixes: [Fix]) in
            Self.events(of: fixes, [geofence], TrackingPolicy())["s"]?.map(\.type)
        }
        #expect(types([fix(0, -200), fix(30, 55), fix(60, 300)]) == ["geofence.cross"])
        #expect(types([fix(0, -200), fix(24, 0), fix(30, 55)]) == ["geofence.enter"])
        #expect(types([fix(0, -200), fix(24, 0), fix(30, 55), fix(60, 300)]) == ["geofence.enter", "geofence.exit"])
    }
}
