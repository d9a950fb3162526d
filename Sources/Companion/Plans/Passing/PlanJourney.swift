import GRDB
import Geodesy
import People
import Positioning
import Service
import Store
import Time
import Tracking

/// A plan compared with what was travelled, as the caller sees it.
struct PlanJourney: Sendable {
    /// A day in the plan's time zone.
    struct Day: Hashable, Sendable {
        /// The date; `nil` for what is planned without a day.
        var date: CalendarDate?
        /// The distance in straight lines between the locations planned for the day.
        var planned: Distance = .zero
        /// The distance by the traces of the trips.
        var travelled: Distance = .zero
    }

    /// A stop of a trip that is at none of the plan's locations.
    struct Stop: Hashable, Sendable {
        var device: String
        var start: Timestamp
        /// The end of the stop; `nil` if it has not ended.
        var end: Timestamp?
        var place: Coordinate
    }

    /// The recorded journey, which only members see.
    struct Travelled: Sendable {
        var trips: [PlanTrip]
        /// The unplanned stops, ordered by start and then by device.
        var stops: [Stop]
    }

    /// The locations that the caller sees, in the order of the plan.
    var locations: [Location]
    /// The days on which something is planned or was travelled, in order; the entry without a date comes last.
    var days: [Day]
    /// The recorded journey; `nil` if the caller is not a member.
    var travelled: Travelled?

    /// The planned distance of all days.
    var plannedDistance: Distance { .meters(days.reduce(0) { $0 + $1.planned.meters }) }

    /// Reads the journey of a plan, with the trips that the viewer may see.
    ///
    /// - Parameter open: the trips that go on now, by device.
    init(of access: PlanAccess, open: [String: TripSummary] = [:], for viewer: Viewer, in db: Database) throws {
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
            let seen = try DeviceAccess(for: viewer, in: db)
            let all =
                try PlanTrip.list(of: access.plan, in: db)
                + PlanTrip.list(of: access.plan, among: open, in: db)
            let trips = all.filter { seen.sees(trip: $0.id, of: $0.device) }
                .sorted { ($0.start, $0.id) < ($1.start, $1.id) }
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

    /// Returns the legs between consecutive locations that have a place, each with the day for which it is planned.
    ///
    /// The day is that of the leg's last location, `nil` if that has none. The first location has a leg of length zero,
    /// so that its day appears too.
    private static func planned(_ locations: [Location], _ zone: Zone) -> [(CalendarDate?, Distance)] {
        var legs: [(CalendarDate?, Distance)] = []
        var before: Coordinate?
        for location in locations {
            guard let place = location.fields.place else { continue }
            let day = (location.start ?? location.end).map { zone.wallClock(at: $0.instant).date }
            legs.append((day, before.map { Ellipsoid.distance(from: $0, to: place) } ?? .zero))
            before = place
        }
        return legs
    }

    /// Returns how far a trip went on each day, in metres; the values add up to the distance of the trip.
    private static func meters(of trip: PlanTrip, _ zone: Zone, in db: Database) throws -> [CalendarDate: Double] {
        let first = zone.wallClock(at: trip.start).date
        if let end = trip.end, zone.wallClock(at: end).date == first { return [first: trip.distance.meters] }
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

    /// Returns the stops during the trips and at their ends that are at none of the plan's locations.
    ///
    /// Locations that the caller does not see count too.
    private static func stops(of trips: [PlanTrip], beside plan: Int64, in db: Database) throws -> [Stop] {
        let locations = try NamedRow.list(
            db.cachedStatement(sql: "SELECT * FROM location WHERE plan = ? AND lat_e7 IS NOT NULL"), arguments: [plan]
        ) { try Location($0).fields }
        let circles = locations.compactMap { fields in
            fields.place.map { (center: $0, radius: fields.radius) }
        }
        var (stops, known): ([Stop], Set<String>) = ([], [])
        for trip in trips {
            let until = trip.end?.advanced(byMilliseconds: 1)
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
