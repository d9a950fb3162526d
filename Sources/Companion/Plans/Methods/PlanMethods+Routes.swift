import GRDB
import Photos
import RPC
import Service

extension PlanMethods {
    /// How long a browser may show a photo of a link from its cache.
    ///
    /// After a link is revoked, its photos disappear within this time.
    private static let linkFreshness = Duration.seconds(60)

    /// Returns the file routes of plans.
    ///
    /// Callers who may see a plan get its calendar and its GPX file. Callers who have a link to a plan get its calendar
    /// and its photos.
    func routes(_ photos: PhotoMethods) -> [FileRoute] {
        var calendars = FileRoute("calendar")
        calendars.find = { request in
            let text = try await open(Self.stem(request, ".ics")) { content, _ in PlanExport.calendar(of: content) }
            return Download(type: Self.calendarType, text: text, name: "plan.ics")
        }
        var shown = FileRoute("s", "*", "photos")
        shown.find = { request in
            guard let secret = request.rest.first else { throw Refusal.notFound("There is no such photo.") }
            // A link shows the same to everybody, signed in or not.
            var file = try await photos.download(Array(request.rest.dropFirst()), for: Viewer(person: nil)) { id, db in
                guard let photo = try Photo.find(id, in: db),
                    try PlanLink.shows(photo.subject, by: secret, at: context.now(), in: db)
                else { throw Refusal.notFound("There is no such photo.") }
                return photo
            }
            file.freshness = Self.linkFreshness
            return file
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
        return [calendars, shown, plans]
    }

    private static let calendarType = "text/calendar; charset=utf-8"

    /// Returns the name of the requested file without its extension.
    private static func stem(_ request: FileRoute.Request, _ ending: String) throws(Refusal) -> String {
        guard request.rest.count == 1, let file = request.rest.first, file.hasSuffix(ending) else {
            throw Refusal.notFound("There is no such file.")
        }
        return String(file.dropLast(ending.count))
    }
}
