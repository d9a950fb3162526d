import GPX
import GRDB
import Positioning

/// A plan as files that other programs read, with what someone sees of it.
enum PlanExport {
    /// A calendar of the activities and of the visits that are planned; see ``CalendarWriter``.
    static func calendar(of access: PlanAccess, in db: Database) throws -> String {
        calendar(
            of: try Plan.get(access.plan, in: db), try Location.list(of: access, in: db),
            try Activity.list(of: access, in: db))
    }

    /// A calendar of what a link shows.
    static func calendar(of content: PlanLink.Content) -> String {
        calendar(of: content.plan, content.locations, content.activities)
    }

    private static func calendar(of plan: Plan, _ locations: [Location], _ activities: [Activity]) -> String {
        var events = [
            CalendarWriter.Event(
                uid: "plan-\(plan.id)@waymark", revision: plan.revision, title: plan.fields.title,
                description: plan.fields.description, location: plan.fields.destination, place: plan.fields.place,
                start: plan.fields.span.start.map { PlannedTime(WallClock(date: $0.clock.date), in: $0.zone) },
                end: plan.fields.span.end.map { PlannedTime(WallClock(date: $0.clock.date), in: $0.zone) })
        ]
        events += locations.map { location in
            CalendarWriter.Event(
                uid: "location-\(location.id)@waymark", revision: location.revision, title: location.fields.name,
                description: location.fields.description, location: location.fields.address,
                place: location.fields.place, start: location.start, end: location.end)
        }
        events += activities.map { activity in
            let fields = activity.fields
            let way = [fields.departure, fields.arrival].compactMap(\.self).joined(separator: " → ")
            let places = [fields.locationName, fields.address, way.isEmpty ? nil : way]
            return CalendarWriter.Event(
                uid: "activity-\(activity.id)@waymark", revision: activity.revision, title: fields.title,
                description: fields.description, location: places.compactMap(\.self).first, place: fields.place,
                url: fields.url, start: activity.start, end: activity.end)
        }
        return CalendarWriter.calendar(named: plan.fields.title, of: events, stamp: plan.changed)
    }

    /// The locations with a place as waypoints of GPX, in their order.
    static func gpx(of access: PlanAccess, in db: Database) throws -> [UInt8] {
        let plan = try Plan.get(access.plan, in: db)
        var writer = GPXWriter(name: plan.fields.title, time: plan.changed)
        for location in try Location.list(of: access, in: db) {
            guard let place = location.fields.place else { continue }
            var point = GPXPoint(place)
            point.name = location.fields.name
            point.comment = location.fields.address
            point.description = location.fields.description
            point.time = location.passed
            writer.waypoint(point)
        }
        writer.finish()
        return writer.bytes
    }
}
