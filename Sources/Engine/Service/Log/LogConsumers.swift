import GRDB
import Store
import Tracking

/// Runs consumers over the event log as it grows.
///
/// An event that matters to no consumer costs one step of a read. An event that matters costs a transaction, which
/// delays the storing of a fix no longer than another commit does.
public actor LogConsumers {
    /// Reports an event that a consumer failed to process and has skipped.
    public typealias FaultReport = @Sendable (_ consumer: String, _ seq: Int64, _ error: any Error) -> Void

    private let store: LocationDatabase
    private let editor: Editor
    private let consumers: [any LogConsumer]
    private let report: FaultReport
    private var places: [String: Place] = [:]

    /// A consumer's position in the log.
    private struct Place {
        /// The number of the last event that the consumer has examined.
        var seen: Int64
        /// The last position that is stored.
        var stored: Int64
    }

    /// An event that a consumer failed to process.
    private struct Fault: Sendable {
        let seq: Int64
        let error: any Error
    }

    /// The maximum number of events examined in one read and processed in one transaction.
    ///
    /// It keeps the wait of other writers short.
    package static let batch = 256
    /// The maximum number of events without interest that are examined again after a restart.
    ///
    /// It saves storing the position for each such event.
    static let longestRepeat: Int64 = 4096

    /// Creates the runner of `consumers` over the log of the context's store.
    public init(
        _ context: ServiceContext, _ consumers: [any LogConsumer], report: @escaping FaultReport = { _, _, _ in }
    ) {
        store = context.store
        editor = context.editor
        self.consumers = consumers
        self.report = report
    }

    /// Processes every event in the log that has not been processed yet.
    ///
    /// - Throws: `StoreError`. Completed work is kept, and the next call continues from there.
    public func catchUp() async throws {
        for consumer in consumers {
            while try await step(consumer) {}
        }
    }

    /// Returns the number of the last event that all consumers have processed.
    ///
    /// Later events must be kept in the log.
    ///
    /// - Throws: `StoreError`.
    public func reached() async throws -> Int64 {
        var reached = Int64.max
        for consumer in consumers {
            let name = consumer.name
            let place =
                if let known = places[name]?.seen { known } else {
                    try await store.read { try LogProgress.position(of: name, in: $0) ?? LogProgress.end(in: $0) }
                }
            reached = min(reached, place)
        }
        return reached
    }

    /// Processes the next events of one consumer.
    ///
    /// Returns `false` if there are no more.
    private func step(_ consumer: any LogConsumer) async throws -> Bool {
        let (name, known) = (consumer.name, places[consumer.name])
        let (from, last, count, mattering) = try await store.read { db in
            var from = known
            if from == nil {
                let stored = try LogProgress.position(of: name, in: db) ?? LogProgress.end(in: db)
                from = Place(seen: stored, stored: stored)
            }
            var place = from ?? Place(seen: 0, stored: 0)
            if consumer.worksInCommits, let stored = try LogProgress.position(of: name, in: db) {
                place = Place(seen: max(place.seen, stored), stored: stored)
            }
            let events = try EventLog.events(after: place.seen, limit: Self.batch, in: db)
            let mattering = try Self.mattering(events, to: consumer, in: db)
            return (place, events.last?.seq ?? place.seen, events.count, mattering)
        }
        var place = Place(seen: last, stored: from.stored)
        if !mattering.isEmpty || last - from.stored > Self.longestRepeat {
            try await work(consumer, on: mattering, after: from.stored, upTo: last)
            place.stored = last
        }
        places[name] = place
        return count == Self.batch
    }

    /// Makes consumers without consequences work in the commits that append events, from now on.
    ///
    /// - Returns: Whether they do; `false` if one of them still has events to catch up with.
    /// - Throws: `StoreError`.
    public func joinCommits() async throws -> Bool {
        let (consumers, report, store) = (consumers.filter(\.worksInCommits), report, store)
        let seen = places.mapValues(\.seen)
        // Within this transaction, no commit can come between reading the log and joining the commits.
        return try await store.write { db in
            let end = try LogProgress.end(in: db)
            for consumer in consumers {
                guard let place = seen[consumer.name], end - place <= Self.batch else { return false }
                let left = try EventLog.events(after: place, limit: Self.batch, in: db)
                guard try Self.mattering(left, to: consumer, in: db).isEmpty else { return false }
            }
            store.observeCommits { events, db in
                for consumer in consumers {
                    let mattering = try Self.mattering(events, to: consumer, in: db)
                    guard let last = mattering.last?.seq else { continue }
                    var none = Consequences()
                    let faults = try Self.work(consumer, on: mattering, upTo: last, in: db, &none)
                    for fault in faults { report(consumer.name, fault.seq, fault.error) }
                }
            }
            return true
        }
    }

    private static func mattering(
        _ events: [EventRecord], to consumer: any LogConsumer, in db: Database
    ) throws -> [EventRecord] {
        try events.filter { try consumer.concerns($0) && consumer.matters($0, in: db) }
    }

    /// Processes events, and stores that everything up to `last` was examined.
    private func work(
        _ consumer: any LogConsumer, on events: [EventRecord], after place: Int64, upTo last: Int64
    ) async throws {
        let faults = try await editor.change { db, consequences in
            // Skip what another task has processed in the meantime.
            let stored = try LogProgress.position(of: consumer.name, in: db) ?? place
            guard last > stored else { return [Fault]() }
            return try Self.work(
                consumer, on: events.filter { $0.seq.map { $0 > stored } ?? false }, upTo: last, in: db, &consequences)
        }
        for fault in faults { report(consumer.name, fault.seq, fault.error) }
    }

    private static func work(
        _ consumer: any LogConsumer, on events: [EventRecord], upTo last: Int64, in db: Database,
        _ consequences: inout Consequences
    ) throws -> [Fault] {
        var faults: [Fault] = []
        for event in events {
            guard let seq = event.seq else { continue }
            let before = consequences
            do {
                try db.inSavepoint {
                    try consumer.consume(event, in: db, &consequences)
                    // A draft that is refused is a fault of this event alone. It must not fail the whole change.
                    for draft in consequences.notifications.dropFirst(before.notifications.count) { try draft.check() }
                    return .commit
                }
            } catch let error where isOfEvent(error) {
                // The event would fail each time, and hold up all later ones.
                consequences = before
                faults.append(Fault(seq: seq, error: error))
            }
        }
        try LogProgress.setPosition(of: consumer.name, to: last, in: db)
        return faults
    }

    /// Returns whether an error is caused by the event itself, and not by a store that cannot be written at the
    /// moment.
    private static func isOfEvent(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return true }
        return [.SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_TOOBIG, .SQLITE_RANGE, .SQLITE_ERROR]
            .contains(error.resultCode)
    }
}
