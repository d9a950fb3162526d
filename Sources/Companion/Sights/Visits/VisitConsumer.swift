import GRDB
import RPC
import Service
import Store
import Tracking

/// A log consumer that turns the geofence events of sights into visits, from the first event of the log on.
struct VisitConsumer: LogConsumer {
    let name = "visits"
    let worksInCommits = true

    func concerns(_ event: EventRecord) -> Bool {
        (event.type == "geofence.enter" || event.type == "geofence.exit")
            && event.subject?.hasPrefix("\(SightSubject.kind)/") ?? false
    }

    func consume(_ event: EventRecord, in db: Database, _ consequences: inout Consequences) throws {
        guard let device = event.device, let sight = event.subject.flatMap(SubjectID.init)?.id else { return }
        if event.type == "geofence.exit" {
            // If the sight was removed, its visits were deleted with it. A later sight with the same id has its own
            // visits.
            return try Visits.exit(sight, device, at: event.time, in: db)
        }
        let isInitial = try? JSONValue(parsing: event.line.span)["initial"] == true
        try Visits.enter(sight, device, at: event.time, isInitial: isInitial ?? false, in: db)
    }
}
