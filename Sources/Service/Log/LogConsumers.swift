import GRDB
import Store

/// Has consumers work through the event log, as it grows.
///
/// An event that matters to nobody costs a step in a read of the store; one that does, a transaction, which a fix may
/// have to wait for no longer than for a commit of its own.
public actor LogConsumers {
    /// What is told of an event that a consumer could not work on, and has passed over.
    public typealias FaultReport = @Sendable (_ consumer: String, _ seq: Int64, _ error: any Error) -> Void

    private let store: LocationDatabase
    private let editor: Editor
    private let consumers: [any LogConsumer]
    private let report: FaultReport
    private var places: [String: Place] = [:]

    /// How far a consumer has come.
    private struct Place {
        /// Up to where it has looked.
        var seen: Int64
        /// Up to where that is stored.
        var stored: Int64
    }

    /// An event that a consumer could not work on.
    private struct Fault: Sendable {
        let seq: Int64
        let error: any Error
    }

    /// How many events are looked at in one read, and worked on in one transaction at most: a short wait for whoever
    /// else writes.
    package static let batch = 256
    /// How many events that matter to nobody may be looked at again after a restart, rather than that a place is stored
    /// for each.
    static let longestRepeat: Int64 = 4096

    /// Those who work through the log of a store.
    public init(
        _ context: ServiceContext, _ consumers: [any LogConsumer], report: @escaping FaultReport = { _, _, _ in }
    ) {
        store = context.store
        editor = context.editor
        self.consumers = consumers
        self.report = report
    }

    /// Works on every event that is in the log and has not been worked on.
    ///
    /// - Throws: `StoreError`; what was done before stays done, and the next call goes on from there.
    public func catchUp() async throws {
        for consumer in consumers {
            while try await step(consumer) {}
        }
    }

    /// The number of the last event that all of them have worked on: those after it must be kept.
    ///
    /// - Throws: `StoreError`.
    public func reached() async throws -> Int64 {
        var reached = Int64.max
        for consumer in consumers {
            let name = consumer.name
            let place =
                if let known = places[name]?.seen { known } else {
                    try await store.read { try LogProgress.place(of: name, in: $0) ?? LogProgress.end(in: $0) }
                }
            reached = min(reached, place)
        }
        return reached
    }

    /// Works on the next events of one consumer; false where there are no more.
    private func step(_ consumer: any LogConsumer) async throws -> Bool {
        let (name, known) = (consumer.name, places[consumer.name])
        let (from, last, count, mattering) = try await store.read { db in
            var from = known
            if from == nil {
                let stored = try LogProgress.place(of: name, in: db) ?? LogProgress.end(in: db)
                from = Place(seen: stored, stored: stored)
            }
            var place = from ?? Place(seen: 0, stored: 0)
            if consumer.worksInCommits, let stored = try LogProgress.place(of: name, in: db) {
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

    /// Has consumers without consequences work in the commits that append events, from now on.
    ///
    /// - Returns: whether they do; false where one has something left to catch up with.
    /// - Throws: `StoreError`.
    public func joinCommits() async throws -> Bool {
        let (consumers, report, store) = (consumers.filter(\.worksInCommits), report, store)
        let seen = places.mapValues(\.seen)
        // No commit comes between the look at the log and the joining.
        return try await store.write { db in
            let end = try LogProgress.end(in: db)
            for consumer in consumers {
                guard let place = seen[consumer.name], end - place <= Self.batch else { return false }
                let left = try EventLog.events(after: place, limit: Self.batch, in: db)
                guard try Self.mattering(left, to: consumer, in: db).isEmpty else { return false }
            }
            store.followCommits { events, db in
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
        _ events: [StoredEvent], to consumer: any LogConsumer, in db: Database
    ) throws -> [StoredEvent] {
        try events.filter { try consumer.concerns($0) && consumer.matters($0, in: db) }
    }

    /// Works on events, and keeps that everything up to `last` was seen.
    private func work(
        _ consumer: any LogConsumer, on events: [StoredEvent], after place: Int64, upTo last: Int64
    ) async throws {
        let faults = try await editor.change { db, consequences in
            // Whatever another has worked on meanwhile is done.
            let stored = try LogProgress.place(of: consumer.name, in: db) ?? place
            guard last > stored else { return [Fault]() }
            return try Self.work(consumer, on: events.filter { $0.seq > stored }, upTo: last, in: db, &consequences)
        }
        for fault in faults { report(consumer.name, fault.seq, fault.error) }
    }

    private static func work(
        _ consumer: any LogConsumer, on events: [StoredEvent], upTo last: Int64, in db: Database,
        _ consequences: inout Consequences
    ) throws -> [Fault] {
        var faults: [Fault] = []
        for event in events {
            let before = consequences
            do {
                try db.inSavepoint {
                    try consumer.take(event, in: db, &consequences)
                    // One that is refused is a fault of this event, and not of the whole change.
                    for draft in consequences.notifications.dropFirst(before.notifications.count) { try draft.check() }
                    return .commit
                }
            } catch let error where isOfEvent(error) {
                // It would fail each time, and hold up all that follow.
                consequences = before
                faults.append(Fault(seq: event.seq, error: error))
            }
        }
        try LogProgress.setPlace(of: consumer.name, to: last, in: db)
        return faults
    }

    /// Whether an error comes of an event itself, rather than of a store that cannot be written now.
    private static func isOfEvent(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return true }
        return [.SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_TOOBIG, .SQLITE_RANGE, .SQLITE_ERROR]
            .contains(error.resultCode)
    }
}
