import GRDB
import People
import Service
import Store
import Time
import Tracking

extension NotificationDraft.Kind {
    /// A request to join a plan, or a notice that a device passed a location of the person's plan.
    static let plan = NotificationDraft.Kind(rawValue: "plan")
}

/// Stamps the locations of plans when a device that carries a traveller passes them, and notifies the travellers.
///
/// A pass counts from one day before the plan's start to one day after its end, or at any time if the plan has no days.
struct LocationStampConsumer: LogConsumer {
    let name = "plans.locations"

    func concerns(_ event: EventRecord) -> Bool {
        ["geofence.enter", "geofence.cross", "geofence.exit"].contains(event.type) && event.device != nil
            && event.subject?.hasPrefix("\(Location.kind)/") ?? false
    }

    func consume(_ event: EventRecord, in db: Database, _ consequences: inout Consequences) throws {
        guard let device = event.device, let id = event.subject.flatMap(SubjectID.init)?.id else { return }
        guard event.type != "geofence.exit" else { return try Location.depart(id, at: event.time, by: device, in: db) }
        let row = try NamedRow.fetchOne(
            db.cachedStatement(sql: Self.stampable),
            arguments: [
                "id": id, "time": event.time.milliseconds, "margin": LocationGeofences.margin, "device": device,
            ])
        guard let row else { return }
        let location = try Location(row)
        try Location.stamp(
            location.number, at: event.time, by: device, isCrossed: event.type == "geofence.cross", in: db)
        for traveller in try PlanMember.list(of: location.plan, in: db) {
            guard traveller.state == .member, traveller.travels, let person = traveller.id,
                (try? PlanAccess.item(Location.kind, id, for: traveller.person, in: db)) != nil
            else { continue }
            consequences.notifications.append(
                NotificationDraft(
                    to: person, .plan, at: event.time, key: "stamp/\(id)/\(event.time)",
                    text: "A traveller passed \(bold: location.fields.name) of the plan \(bold: row["title"]).",
                    destination: location.subject.destination))
        }
    }

    /// Selects the location `:id` and its plan's title, if the device `:device` may stamp it at `:time`.
    private static let stampable = """
        SELECT location.*, plan.title FROM location JOIN plan ON plan.number = location.plan
        WHERE location.id = :id AND location.passed IS NULL
            AND (plan.start_time IS NULL OR :time BETWEEN plan.start_time - :margin AND plan.end_time + :margin)
            AND EXISTS (SELECT 1 FROM plan_device WHERE plan_device.plan = plan.number AND plan_device.device = :device)
        """
}
