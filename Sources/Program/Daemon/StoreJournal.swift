import Callers
import EventStream
import Store
import Tracking

/// The event log of a store, as subscribers read it.
struct StoreJournal: EventJournal {
    let store: LocationDatabase

    func bounds() async throws -> JournalBounds {
        let extent = try await store.read { try EventLog.extent(in: $0) }
        return JournalBounds(log: extent.name, first: extent.first ?? extent.last + 1, last: extent.last)
    }

    func read(after seq: Int64, limit: Int, for principal: Principal) async throws -> [EventRecord] {
        try await StoreReader.$current.withValue(StoreReader(principal)) {
            try await store.read { try EventLog.events(after: seq, limit: limit, in: $0) }
        }
    }
}

extension StoreReader {
    /// Creates the reader on behalf of a caller.
    init(_ principal: Principal) { self.init(origin: principal.origin.key, connection: principal.number) }
}
