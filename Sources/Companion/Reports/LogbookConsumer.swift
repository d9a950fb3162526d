import GRDB
import Service
import Store
import Tracking

/// A log consumer that enters into the logbook what the rules say of a trip, when it ends or is changed.
struct LogbookConsumer: LogConsumer {
    let name = "logbook"
    let worksInCommits = true
    private static let prefix = "trip/"

    func concerns(_ event: EventRecord) -> Bool { event.type == "trip.end" || event.type == EventRecord.tripRevised }

    func matters(_ event: EventRecord, in db: Database) throws -> Bool {
        try Bool.fetchOne(db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM logbook_place)")) ?? false
    }

    func consume(_ event: EventRecord, in db: Database, _ consequences: inout Consequences) throws {
        guard let subject = event.subject, subject.hasPrefix(Self.prefix) else { return }
        let trip = String(subject.dropFirst(Self.prefix.count))
        _ = try LogbookRules.apply(toTrip: trip, by: LogbookRules.places(in: db), at: event.time, in: db)
    }
}
