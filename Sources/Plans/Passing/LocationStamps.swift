import Accounts
import GRDB
import Positioning
import Service
import Store

extension NotificationDraft.Kind {
    /// Someone asks them to join a plan, or a location of theirs was passed.
    static let plan = NotificationDraft.Kind(rawValue: "plan")
}

/// Stamps the locations of plans as devices pass them that carry a traveller, from a day before the plan's start to a day
/// after its end, and tells the travellers.
struct LocationStamps: LogConsumer {
    let name = "plans.locations"

    /// As long before and after a plan its locations are stamped.
    private static let margin = Timestamp.millisecondsPerDay

    func concerns(_ event: StoredEvent) -> Bool {
        ["geofence.enter", "geofence.cross", "geofence.exit"].contains(event.type) && event.device != nil
            && event.subject?.hasPrefix("\(Location.kind)/") ?? false
    }

    func take(_ event: StoredEvent, in db: Database, _ consequences: inout Consequences) throws {
        guard let device = event.device, let id = event.subject.flatMap(SubjectID.init)?.id,
            let row = try Row.fetchOne(
                db.cachedStatement(sql: "SELECT * FROM location WHERE id = ?"), arguments: [id])
        else { return }
        let location = try Location(row)
        let plan = try Plan.get(location.plan, in: db)
        guard let start = plan.fields.span.start?.instant, let end = plan.fields.span.end?.end,
            event.time >= start.advanced(byMilliseconds: -Self.margin),
            event.time <= end.advanced(byMilliseconds: Self.margin)
        else { return }
        let travellers = try PlanMember.list(of: plan.number, in: db).filter { $0.state == .member && $0.travels }
        let carried = try People.carried(by: device, in: db)
        guard travellers.contains(where: { traveller in traveller.id.map(carried.contains) ?? false }) else { return }
        guard event.type != "geofence.exit" else {
            return try Location.depart(location.number, at: event.time, by: device, in: db)
        }
        guard try Location.stamp(location.number, at: event.time, by: device, in: db) else { return }
        for traveller in travellers {
            guard let person = traveller.id,
                (try? PlanAccess.item(Location.kind, id, for: traveller.person, in: db)) != nil
            else { continue }
            consequences.notifications.append(
                NotificationDraft(
                    to: person, .plan, at: event.time, key: "stamp/\(id)/\(event.time)",
                    text: "\(bold: location.fields.name) of \(bold: plan.fields.title) was passed.",
                    destination: location.subject.destination))
        }
    }
}
