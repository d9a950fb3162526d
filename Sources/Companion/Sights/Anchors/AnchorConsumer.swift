import GRDB
import RPC
import Service
import Store
import Tracking

/// A log consumer that drops the anchor of a device which stops, if its anchor drops by itself.
struct AnchorConsumer: LogConsumer {
    let name = "anchors"

    func concerns(_ event: EventRecord) -> Bool {
        guard event.device != nil else { return false }
        return event.type == "stop.start"
            || (event.type == "geofence.enter" || event.type == "geofence.exit")
                && event.subject?.hasPrefix("\(SightSubject.kind)/") ?? false
    }

    func matters(_ event: EventRecord, in db: Database) throws -> Bool {
        guard let device = event.device, let rule = try Anchors.rule(of: device, in: db) else { return false }
        guard event.type != "stop.start" else { return true }
        return rule.sight != nil && event.subject.flatMap(SubjectID.init)?.id == rule.sight
    }

    func consume(_ event: EventRecord, in db: Database, _ consequences: inout Consequences) throws {
        guard let device = event.device else { return }
        guard event.type != "stop.start" else { return try Anchors.drop(device, in: db, &consequences) }
        guard let sight = event.subject.flatMap(SubjectID.init)?.id else { return }
        if event.type == "geofence.enter" { return try Anchors.note(.met, of: sight, device: device, in: db) }
        let body = try? JSONValue(parsing: event.line.span)
        // An exit with a reason is none of the device's doing.
        guard body?["reason"] == nil else { return }
        try Anchors.note(.left, of: sight, device: device, in: db)
    }
}
