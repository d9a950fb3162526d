import GRDB
import RPC
import Time

/// Uses a plan as a template for a new one, with the same structure, texts and days.
enum Template {
    /// Copies what the caller sees of a plan to a new plan of their own.
    ///
    /// People, money, bookings, contacts, stamps and photos are not copied. The copy is not published, and no more
    /// people see it than the original: the copy of another person's plan that is not published is for its owner alone.
    /// Locations, activities and lists keep their levels; no entry of a list is done.
    ///
    /// - Parameters:
    ///   - title: the title of the new plan; `nil` for the same title.
    ///   - start: the first day of the new plan; `nil` for the same day.
    /// - Returns: the number of the new plan.
    static func copy(
        _ access: PlanAccess, title: String?, start: CalendarDate?, by person: Int64, at now: Timestamp, in db: Database
    ) throws -> Int64 {
        var fields = try Plan.get(access.plan, in: db).fields
        fields.title = title ?? fields.title
        fields.values = fields.values.copied
        fields.level =
            access.isOwner || fields.level == .everyone ? min(fields.level, .friends) : .me
        let days = fields.span.start.flatMap { old in
            start.map { $0.daysSinceEpoch - old.clock.date.daysSinceEpoch }
        }
        if start != nil, days == nil {
            throw Refusal.invalid("start", "must be omitted; the plan \(access.id) has no days")
        }
        fields.span = fields.span.moved(byDays: days ?? 0)
        let number = try Plan.create(fields, by: person, at: now, in: db)
        let copy = try PlanAccess.plan(Plan.get(number, in: db).id, for: person, in: db)
        for location in try Location.list(of: access, in: db) {
            var fields = location.fields
            fields.values = fields.values.copied
            fields.span = fields.span.moved(byDays: days ?? 0)
            _ = try Location.create(fields, in: copy, at: now, in: db)
        }
        let activities = try Activity.list(of: access, in: db)
        var copies: [String: (number: Int64, id: String)] = [:]
        for activity in activities {
            var fields = activity.fields
            fields.values = fields.values.copied
            fields.span = fields.span.moved(byDays: days ?? 0)
            let number = try Activity.create(fields, tab: activity.tab, in: copy, at: now, in: db)
            copies[activity.id] = (number, try Activity.get(number, in: copy, in: db).id)
        }
        for activity in activities where !activity.links.isEmpty {
            guard let item = copies[activity.id] else { continue }
            try Activity.link(
                item.number, to: activity.links.compactMap { copies[$0]?.id }, in: copy, in: db)
        }
        try copyChecklists(of: access, to: copy, byDays: days ?? 0, at: now, in: db)
        return number
    }

    /// Copies the lists with their entries, none of which is done or anybody's.
    private static func copyChecklists(
        of access: PlanAccess, to copy: PlanAccess, byDays days: Int64, at now: Timestamp, in db: Database
    ) throws {
        for list in try Checklist.list(of: access, in: db) {
            let number = try Checklist.create(list.fields, in: copy, at: now, in: db)
            for task in try ChecklistTask.list(ofList: list.number, in: db) {
                let day = task.fields.day.flatMap { CalendarDate(text: $0)?.advanced(byDays: days).text }
                _ = try ChecklistTask.create(
                    .init(title: task.fields.title, day: day), in: number, of: copy, at: now, in: db)
            }
        }
    }
}
