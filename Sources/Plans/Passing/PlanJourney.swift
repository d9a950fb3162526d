import GRDB
import Geodesy
import Positioning
import Service
import Store
import Tracking

/// What was planned beside what was travelled, as someone sees it.
struct PlanJourney: Sendable {
    /// A day by the clocks of the plan.
    struct Day: Hashable, Sendable {
        /// The day; nil for what is planned for no day.
        var date: CalendarDate?
        /// Straight from one location to the next, as they are planned for it.
        var planned: Distance = .zero
        /// By the traces of the trips.
        var travelled: Distance = .zero
    }

    /// A stop of a trip that is at none of the plan's locations.
    struct Stop: Hashable, Sendable {
        var device: String
        var start: Timestamp
        /// When it went on; nil where it has not.
        var end: Timestamp?
        var place: Coordinate
    }

    /// What members alone see: where people have really been.
    struct Travelled: Sendable {
        var trips: [PlanTrip]
        /// By their beginnings, those of one moment by device.
        var stops: [Stop]
    }

    /// The locations that the caller sees, in their order.
    var locations: [Location]
    /// The days on which something is planned or was travelled, in order; what is planned for no day comes last.
    var days: [Day]
    /// Nil where the caller is no member.
    var travelled: Travelled?

    /// The planned distance of all days.
    var plannedDistance: Distance { .meters(days.reduce(0) { $0 + $1.planned.meters }) }

    /// That of a plan.
    init(of access: PlanAccess, in db: Database) throws {
        let plan = try Plan.get(access.plan, in: db)
        let zone = plan.fields.zone
        locations = try Location.list(of: access, in: db)
        var days: [CalendarDate: Day] = [:]
        var dayless = Day()
        for (date, distance) in Self.planned(locations, zone) {
            guard let date else {
                dayless.planned = dayless.planned + distance
                continue
            }
            days[date, default: Day(date: date)].planned = (days[date]?.planned ?? .zero) + distance
        }
        if access.seesPrivate {
            let trips = try PlanTrip.list(of: access.plan, in: db)
            for trip in trips {
                for (date, meters) in try Self.meters(of: trip, zone, in: db) {
                    let before = days[date]?.travelled.meters ?? 0
                    days[date, default: Day(date: date)].travelled = .meters(before + meters)
                }
            }
            travelled = Travelled(trips: trips, stops: try Self.stops(of: trips, beside: access.plan, in: db))
        }
        self.days = days.values.sorted { ($0.date?.daysSinceEpoch ?? 0) < ($1.date?.daysSinceEpoch ?? 0) }
        if dayless.planned > .zero { self.days.append(dayless) }
    }

    /// The way from each location to the next that has a place, with the day for which that is planned: its own, or that
    /// of the last one before it that has a day.
    private static func planned(_ locations: [Location], _ zone: Zone) -> [(CalendarDate?, Distance)] {
        var legs: [(CalendarDate?, Distance)] = []
        var (day, before): (CalendarDate?, Coordinate?) = (nil, nil)
        for location in locations {
            if let time = location.start ?? location.end { day = zone.wallClock(at: time.instant).date }
            guard let place = location.fields.place else { continue }
            legs.append((day, before.map { Ellipsoid.distance(from: $0, to: place) } ?? .zero))
            before = place
        }
        return legs
    }

    /// How far a trip went on each day, in metres, which add up to its distance.
    private static func meters(of trip: PlanTrip, _ zone: Zone, in db: Database) throws -> [CalendarDate: Double] {
        let (first, last) = (zone.wallClock(at: trip.start).date, zone.wallClock(at: trip.end).date)
        guard first != last else { return [first: trip.distance.meters] }
        var ways: [CalendarDate: Double] = [:]
        var before: Coordinate?
        try Travels.forEachPoint(ofTrip: trip.id, in: db) { fix in
            if let before, let time = fix.time, !fix.beginsSegment {
                ways[zone.wallClock(at: time).date, default: 0] +=
                    Ellipsoid.distance(from: before, to: fix.coordinate).meters
            }
            before = fix.coordinate
            return true
        }
        let sum = ways.values.reduce(0, +)
        guard sum > 0 else { return [first: trip.distance.meters] }
        return ways.mapValues { $0 / sum * trip.distance.meters }
    }

    /// The stops on trips, and at their ends, that are at no location of the plan, seen by the caller or not.
    private static func stops(of trips: [PlanTrip], beside plan: Int64, in db: Database) throws -> [Stop] {
        let locations = try NamedRow.list(
            db.cachedStatement(sql: "SELECT * FROM location WHERE plan = ? AND lat_e7 IS NOT NULL"), arguments: [plan]
        ) { try Location($0).fields }
        let circles = locations.compactMap { fields in
            fields.place.map { (center: $0, radius: fields.radius) }
        }
        var (stops, known): ([Stop], Set<String>) = ([], [])
        for trip in trips {
            let until = trip.end.advanced(byMilliseconds: 1)
            for stop in try Travels.stops(ofDevice: trip.device, since: trip.start, until: until, in: db)
            where known.insert(stop.id).inserted {
                let isPlanned = circles.contains { Sphere.distance(from: $0.center, to: stop.place) <= $0.radius }
                if !isPlanned {
                    stops.append(Stop(device: trip.device, start: stop.start, end: stop.end, place: stop.place))
                }
            }
        }
        return stops.sorted { ($0.start, $0.device) < ($1.start, $1.device) }
    }
}
