import Callers
import EventStream
import Store
import Tracking

/// The event log of a store, as subscribers read it.
struct StoreJournal: EventJournal {
    let store: LocationDatabase

    func bounds() async throws -> JournalBounds {
        try await store.read { try EventLog.extent(in: $0).bounds }
    }

    func read(after seq: Int64, limit: Int, for principal: Principal) async throws -> [EventRecord] {
        try await StoreReader.$current.withValue(StoreReader(principal)) {
            try await store.read { try EventLog.events(after: seq, limit: limit, in: $0) }
        }
    }

    func search(
        _ query: EventQuery, from seq: Int64, _ direction: EventDirection, limit: Int, for principal: Principal
    ) async throws -> EventSearch {
        try await StoreReader.$current.withValue(StoreReader(principal)) {
            try await store.read { db in
                var step =
                    switch direction {
                    case .forward: try EventLog.search(query, after: seq, limit: limit, in: db)
                    case .backward: try EventLog.search(query, before: seq, limit: limit, in: db)
                    }
                step.mayHaveNames = try EventNames.mayExist(for: step.events, in: db)
                return step
            }
        }
    }

    func names(of events: [EventRecord], for principal: Principal) async throws -> [Int64: String] {
        do {
            return try await StoreReader.$current.withValue(StoreReader(principal)) {
                try await store.read { try EventNames.names(of: events, in: $0) }
            }
        } catch StoreError.damaged {
            // An event without a name is still an event.
            return [:]
        }
    }
}

extension StoreReader {
    /// Creates the reader on behalf of a caller.
    init(_ principal: Principal) { self.init(origin: principal.origin.key, connection: principal.number) }
}
