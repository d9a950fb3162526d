import GRDB
import RPC
import Service
import Time

/// Moves a whole plan by days, and exchanges two of its days.
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
        var columns = try shifted(Plan.get(access.plan, in: db).fields.span, by: days, field: "days")
        columns["changed"] = now.milliseconds
        try columns.update("plan", access.plan, in: db)
        try moveContents(of: access.plan, in: db, field: "days") { _ in days }
    }

    /// Exchanges two days of a plan: what begins on either day, and what is to be done on it, moves to the other.
    ///
    /// What lasts beyond its first day moves whole. The plan keeps its days, and everything else stays as ``move(_:byDays:at:in:)``
    /// describes. The same call once more restores the plan.
    ///
    /// - Complexity: O(*n*) for *n* locations and activities.
    /// - Throws: ``Refusal`` if the caller may not change the plan, or if the two days are one.
    static func swap(
        _ day: CalendarDate, _ other: CalendarDate, in access: PlanAccess, at now: Timestamp, in db: Database
    ) throws {
        try access.checkEdits()
        guard day != other else { throw Refusal.invalid("other", "must be another day than day") }
        let distance = other.daysSinceEpoch - day.daysSinceEpoch
        var columns = ColumnValues()
        columns["changed"] = now.milliseconds
        try columns.update("plan", access.plan, in: db)
        try moveContents(of: access.plan, in: db, field: "other") { $0 == day ? distance : $0 == other ? -distance : 0 }
    }

    /// Moves the locations, the activities and the entries of lists by the number of days that `days` returns for the
    /// day on which each begins.
    ///
    /// - Parameter field: The parameter to blame for a day outside the calendar.
    private static func moveContents(
        of plan: Int64, in db: Database, field: String, byDays days: (CalendarDate) -> Int64
    ) throws {
        for table in [Location.kind, Activity.kind] {
            let items = try NamedRow.list(
                db.cachedStatement(sql: "SELECT \(table).* FROM \(table) WHERE \(table).plan = ?"), arguments: [plan]
            ) { row in
                (
                    number: row["number"] as Int64,
                    span: PlannedSpan(start: row.plannedTime("start"), end: row.plannedTime("end"))
                )
            }
            for item in items {
                guard let first = item.span.start ?? item.span.end else { continue }
                let distance = days(first.clock.date)
                guard distance != 0 else { continue }
                try shifted(item.span, by: distance, field: field).update(table, item.number, in: db)
            }
        }
        let tasks = try NamedRow.list(
            db.cachedStatement(
                sql: "SELECT task.number, task.day FROM task WHERE task.plan = ? AND task.day IS NOT NULL"),
            arguments: [plan]
        ) { row in (number: row["number"] as Int64, day: row["day"] as String) }
        for task in tasks {
            guard let day = CalendarDate(text: task.day) else { continue }
            let moved = day.advanced(byDays: days(day))
            guard moved != day else { continue }
            guard CalendarDate(text: moved.text) != nil else {
                throw Refusal.invalid(field, "must keep the plan in the years 1 to 9999")
            }
            var columns = ColumnValues()
            columns["day"] = moved.text
            try columns.update("task", task.number, in: db)
        }
    }

    /// Returns the columns of a span that is moved by a number of days.
    private static func shifted(_ span: PlannedSpan, by days: Int64, field: String) throws(Refusal) -> ColumnValues {
        let moved = span.moved(byDays: days)
        for time in [moved.start, moved.end].compactMap(\.self) where WallClock(time.clock.description) == nil {
            throw .invalid(field, "must keep the plan in the years 1 to 9999")
        }
        try moved.check(startField: field, endField: field)
        var columns = ColumnValues()
        columns.set("start", moved.start)
        columns.set("end", moved.end, isEnd: true)
        return columns
    }
}
