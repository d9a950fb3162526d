import GRDB
import RPC
import Service
import Store

/// Makes visits of the geofence events of sights, from the beginning of the log on.
struct VisitConsumer: LogConsumer {
    let name = "visits"
    let worksInCommits = true

    func concerns(_ event: StoredEvent) -> Bool {
        (event.type == "geofence.enter" || event.type == "geofence.exit")
            && event.subject?.hasPrefix("\(SightSubject.kind)/") ?? false
    }

    func take(_ event: StoredEvent, in db: Database, _ consequences: inout Consequences) throws {
        guard let device = event.device, let sight = event.subject.flatMap(SubjectID.init)?.id else { return }
        if event.type == "geofence.exit" {
            // A sight that was removed has taken its visits along; one that has its id since is another.
            return try Visits.exit(sight, device, at: event.time, in: db)
        }
        let isInitial = try? JSONValue(parsing: event.line.span)["initial"] == true
        try Visits.enter(sight, device, at: event.time, isInitial: isInitial ?? false, in: db)
    }
}
