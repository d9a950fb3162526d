import Geodesy
import RPC
import SocketServer
import Store
import Tracking

/// The event log of a store, as subscribers read it.
struct StoreJournal: EventJournal {
    let store: LocationDatabase

    func bounds() async throws -> JournalBounds {
        let extent = try store.logExtent()
        return JournalBounds(log: extent.name, first: extent.first ?? extent.last + 1, last: extent.last)
    }

    func read(after seq: Int64, limit: Int) async throws -> [JournalEntry] {
        try store.events(after: seq, limit: limit).map { JournalEntry($0) }
    }
}

extension JournalEntry {
    /// An event as the log gives it back; its place is read from its text.
    init(_ stored: StoredEvent) {
        let body = try? JSONValue(parsing: stored.line.span)
        self.init(
            seq: stored.seq, type: stored.type, device: stored.device, subject: stored.subject,
            latitude: body?["lat"]?.asDegrees, longitude: body?["lon"]?.asDegrees, line: stored.line)
    }

    /// An event that was just told.
    init(_ told: Pipeline.Told) {
        let event = told.event
        self.init(
            seq: told.stored?.seq, type: told.stored?.type ?? event?.type ?? "",
            device: told.stored?.device ?? event?.device, subject: told.stored?.subject ?? event?.subject,
            latitude: event?.place.latitude, longitude: event?.place.longitude, line: told.line)
    }
}

extension JSONValue {
    /// The number, whether it was written with decimals or without.
    fileprivate var asDegrees: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }
}
