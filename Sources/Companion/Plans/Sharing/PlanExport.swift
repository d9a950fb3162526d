import GPX
import GRDB
import Positioning
import Time

/// Exports a plan to files of other programs, with what the caller sees of it.
enum PlanExport {
    /// Returns a calendar of the plan, its planned visits, its activities, and the entries of its lists that have a day.
    ///
    /// See ``CalendarWriter``.
    static func calendar(of access: PlanAccess, in db: Database) throws -> String {
        calendar(
            of: try Plan.get(access.plan, in: db), try Location.list(of: access, in: db),
            try Activity.list(of: access, in: db), try ChecklistTask.list(of: access, in: db))
    }

    /// Returns a calendar of what a link shows.
    static func calendar(of content: PlanLink.Content) -> String {
        calendar(of: content.plan, content.locations, content.activities, [])
    }

    private static func calendar(
        of plan: Plan, _ locations: [Location], _ activities: [Activity], _ tasks: [ChecklistTask]
    ) -> String {
        var events = [
            CalendarWriter.Event(
                uid: "plan-\(plan.id)@waymark", revision: plan.revision, title: plan.fields.title,
                description: plan.fields[.description], location: plan.fields[.destination], place: plan.fields.place,
                start: plan.fields.span.start.map { PlannedTime(WallClock(date: $0.clock.date), in: $0.zone) },
                end: plan.fields.span.end.map { PlannedTime(WallClock(date: $0.clock.date), in: $0.zone) })
        ]
        events += locations.map { location in
            CalendarWriter.Event(
                uid: "location-\(location.id)@waymark", revision: location.revision, title: location.fields.name,
                description: location.fields[.description], location: location.fields[.address],
                place: location.fields.place, start: location.start, end: location.end)
        }
        events += activities.map { activity in
            let fields = activity.fields
            let way = [fields[.departure], fields[.arrival]].compactMap(\.self).joined(separator: " → ")
            let places = [fields[.location], fields[.address], way.isEmpty ? nil : way]
            return CalendarWriter.Event(
                uid: "activity-\(activity.id)@waymark", revision: activity.revision, title: fields.title,
                description: fields[.description], location: places.compactMap(\.self).first, place: fields.place,
                url: fields[.url], start: activity.start, end: activity.end)
        }
        let toDos = tasks.compactMap { task in
            task.fields.day.flatMap { CalendarDate(text: $0) }.map { day in
                CalendarWriter.ToDo(
                    uid: "task-\(task.id)@waymark", revision: task.revision, title: task.fields.title, day: day,
                    isDone: task.fields.isDone)
            }
        }
        return CalendarWriter.calendar(named: plan.fields.title, of: events, toDos: toDos, stamp: plan.changed)
    }

    /// Returns a GPX document with the locations that have a place, as waypoints in the order of the plan.
    static func gpx(of access: PlanAccess, in db: Database) throws -> [UInt8] {
        let plan = try Plan.get(access.plan, in: db)
        var writer = GPXWriter(name: plan.fields.title, time: plan.changed)
        for location in try Location.list(of: access, in: db) {
            guard let place = location.fields.place else { continue }
            var point = GPXPoint(place)
            point.name = location.fields.name
            point.comment = location.fields[.address]
            point.description = location.fields[.description]
            point.time = location.passed
            writer.waypoint(point)
        }
        writer.finish()
        return writer.bytes
    }
}
