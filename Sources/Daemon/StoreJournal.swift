import EventStream
import Geodesy
import Store
import Tracking

/// The event log of a store, as subscribers read it.
struct StoreJournal: EventJournal {
    let store: LocationDatabase

    func bounds() async throws -> JournalBounds {
        let extent = try await store.read { try EventLog.extent(in: $0) }
        return JournalBounds(log: extent.name, first: extent.first ?? extent.last + 1, last: extent.last)
    }

    func read(after seq: Int64, limit: Int, for principal: Principal) async throws -> [JournalEntry] {
        try await StoreReader.$current.withValue(StoreReader(principal)) {
            try await store.read { try EventLog.events(after: seq, limit: limit, in: $0) }.map { JournalEntry($0) }
        }
    }
}

extension StoreReader {
    /// Creates the reader on behalf of a caller.
    init(_ principal: Principal) { self.init(origin: principal.origin.key, connection: principal.number) }
}

extension JournalEntry {
    /// Creates an entry from a stored event, whose place is in its text.
    init(_ stored: StoredEvent) {
        self.init(
            seq: stored.seq, type: stored.type, device: stored.device, subject: stored.subject, place: .inLine,
            recipient: stored.recipient, line: stored.line)
    }

    /// Creates an entry from an event that was just published.
    init(_ told: Pipeline.Told) {
        let event = told.event
        self.init(
            seq: told.stored?.seq, type: told.stored?.type ?? event?.type ?? "",
            device: told.stored?.device ?? event?.device, subject: told.stored?.subject ?? event?.subject,
            place: event.map { .at(latitude: $0.place.latitude, longitude: $0.place.longitude) } ?? .nowhere,
            recipient: told.stored?.recipient, line: told.line)
    }
}
