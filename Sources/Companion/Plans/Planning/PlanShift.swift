import GRDB
import RPC
import Service
import Time

/// Moves a whole plan by days.
enum PlanShift {
    /// The most days by which one call moves a plan.
    static let maximumDays: Int64 = 36_600

    /// Moves the days of a plan and of the entries of its lists, and the planned times of its locations and activities, by
    /// a number of calendar days.
    ///
    /// Items that only another member sees move along. Money, stamps and trips keep their days, because they happened.
    /// A time keeps its clock time and its zone.
    ///
    /// - Complexity: O(*n*) for *n* locations and activities.
    /// - Throws: ``Refusal`` if the caller may not change the plan, or if a day would leave the calendar.
    static func move(_ access: PlanAccess, byDays days: Int64, at now: Timestamp, in db: Database) throws {
        try access.checkEdits()
        var columns = try shifted(Plan.get(access.plan, in: db).fields.span, by: days)
        columns["changed"] = now.milliseconds
        try columns.update("plan", access.plan, in: db)
        for table in [Location.kind, Activity.kind] {
            let items = try NamedRow.list(
                db.cachedStatement(sql: "SELECT \(table).* FROM \(table) WHERE \(table).plan = ?"),
                arguments: [access.plan]
            ) { row in
                (
                    number: row["number"] as Int64,
                    span: PlannedSpan(start: row.plannedTime("start"), end: row.plannedTime("end"))
                )
            }
            for item in items where item.span.start != nil || item.span.end != nil {
                try shifted(item.span, by: days).update(table, item.number, in: db)
            }
        }
        try moveTasks(of: access.plan, byDays: days, in: db)
    }

    private static func moveTasks(of plan: Int64, byDays days: Int64, in db: Database) throws {
        let tasks = try NamedRow.list(
            db.cachedStatement(
                sql: "SELECT task.number, task.day FROM task WHERE task.plan = ? AND task.day IS NOT NULL"),
            arguments: [plan]
        ) { row in (number: row["number"] as Int64, day: row["day"] as String) }
        for task in tasks {
            guard let day = CalendarDate(text: task.day)?.advanced(byDays: days) else { continue }
            guard CalendarDate(text: day.text) != nil else {
                throw Refusal.invalid("days", "must keep the plan in the years 1 to 9999")
            }
            var columns = ColumnValues()
            columns["day"] = day.text
            try columns.update("task", task.number, in: db)
        }
    }

    /// Returns the columns of a span that is moved by a number of days.
    private static func shifted(_ span: PlannedSpan, by days: Int64) throws(Refusal) -> ColumnValues {
        let moved = span.moved(byDays: days)
        for time in [moved.start, moved.end].compactMap(\.self) where WallClock(time.clock.description) == nil {
            throw .invalid("days", "must keep the plan in the years 1 to 9999")
        }
        try moved.check(startField: "days", endField: "days")
        var columns = ColumnValues()
        columns.set("start", moved.start)
        columns.set("end", moved.end, isEnd: true)
        return columns
    }
}
