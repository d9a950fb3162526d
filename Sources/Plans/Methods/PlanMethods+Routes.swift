import GRDB
import RPC
import Service

extension PlanMethods {
    /// Plans as files, for callers who may see the plan, and calendars for those who have a link to it.
    var routes: [FileRoute] {
        var calendars = FileRoute("calendar")
        calendars.find = { request in
            let token = try Self.stem(request, ".ics")
            let now = context.now()
            let text = try await context.editor.change { db, _ in
                do {
                    return PlanExport.calendar(of: try PlanLink.open(token, at: now, in: db))
                } catch let error as PlanError {
                    throw error.answer
                }
            }
            return Download(type: Self.calendarType, text: text, name: "plan.ics")
        }
        var plans = FileRoute("export", "plans")
        plans.find = { request in
            if let id = try? Self.stem(request, ".gpx") {
                let text = try await read(request.call) { db, person in
                    String(
                        decoding: try PlanExport.gpx(of: PlanAccess.plan(id, for: person, in: db), in: db),
                        as: UTF8.self)
                }
                return Download(type: "application/gpx+xml", text: text, name: "plan-\(id).gpx")
            }
            let id = try Self.stem(request, ".ics")
            let text = try await read(request.call) { db, person in
                try PlanExport.calendar(of: PlanAccess.plan(id, for: person, in: db), in: db)
            }
            return Download(type: Self.calendarType, text: text, name: "plan-\(id).ics")
        }
        return [calendars, plans]
    }

    private static let calendarType = "text/calendar; charset=utf-8"

    /// The name of the file that is asked for, without its ending.
    private static func stem(_ request: FileRoute.Request, _ ending: String) throws(RPCError) -> String {
        guard request.rest.count == 1, let file = request.rest.first, file.hasSuffix(ending) else {
            throw RPCError.notFound("There is no such file.")
        }
        return String(file.dropLast(ending.count))
    }
}
