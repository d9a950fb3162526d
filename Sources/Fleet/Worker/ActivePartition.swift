#if Fleet
import Broker
import FleetStore
import Tracking

/// A partition while a worker has it: its trackers in memory, and its connection to the database.
///
/// One thread uses it. After an error it is discarded, and the partition is taken anew.
final class ActivePartition {
    private let address: String
    private let settings: FleetSettings
    private var database: FleetDatabase
    private var taken: TakenPartition
    private var trackers: PartitionTracker
    /// Whether the last commit said that the geofences have changed.
    private var isOutdated = false

    /// Takes a partition: first the epoch, which refuses the worker that had it, and then the geofences.
    ///
    /// The states of devices are read when they are needed, under the new epoch.
    init(_ id: Int, as worker: String, of settings: FleetSettings, in address: String) throws(FleetStoreError) {
        self.address = address
        self.settings = settings
        let database = try FleetDatabase(at: address)
        self.database = database
        taken = try database.claim(id, as: worker)
        trackers = PartitionTracker(index: try database.geofences(), policy: settings.policy)
    }

    /// Applies some messages in one transaction, which is on the disk when this returns.
    ///
    /// A message that cannot be read, or whose values the database does not take, goes to the table of refused
    /// ones. So does one that has failed six times, the last times alone, and right after the database has shown that it can
    /// write.
    ///
    /// - Returns: The number of fixes and of events.
    /// - Throws: ``FleetStoreError``; `fenced` if another worker has the partition.
    func apply(_ messages: [Delivery]) throws(FleetStoreError) -> (fixes: Int, events: Int) {
        guard !messages.contains(where: \.isSuspect) else {
            return try one(by: messages) { message throws(FleetStoreError) in
                try message.isSuspect ? applySuspect(message) : apply([message])
            }
        }
        do throws(FleetStoreError) {
            return try commit(messages)
        } catch  where error.kind == .unusableValue {
            // Nothing was written. One of the messages is why, and the others must not wait for it.
            database = try FleetDatabase(at: address)
            guard messages.count == 1 else {
                return try one(by: messages) { message throws(FleetStoreError) in try apply([message]) }
            }
            try refuse(messages[0], because: error.description)
            return (0, 0)
        }
    }

    private func one(
        by messages: [Delivery], _ apply: (Delivery) throws(FleetStoreError) -> (fixes: Int, events: Int)
    ) throws(FleetStoreError) -> (fixes: Int, events: Int) {
        var (fixes, events) = (0, 0)
        for message in messages {
            let counts = try apply(message)
            fixes += counts.fixes
            events += counts.events
        }
        return (fixes, events)
    }

    /// The failures of a message with others, after which it is tried alone, and those alone, after which it is
    /// refused.
    static let (failuresTogether, failuresAlone) = (2, 4)

    /// Applies a message that has failed with others, or refuses it.
    private func applySuspect(_ message: Delivery) throws(FleetStoreError) -> (fixes: Int, events: Int) {
        guard let batch = try? FixBatch(reading: message.body) else { return try apply([message.trusted]) }
        // The broker also counts the messages that came with one that failed, so its count alone refuses none.
        let attempt = (publisher: batch.publisher, number: batch.number)
        let failures = try database.attempts(at: attempt.number, of: attempt.publisher, in: taken)
        guard failures < Self.failuresAlone else {
            try refuse(message, because: "it has failed \(message.earlierDeliveries) times")
            return (0, 0)
        }
        // A full disk, or a server that hangs, fails every message. So only the first of these tries counts without a
        // proof that the database can write, and the proof is no part of what counts: nobody knows what became of a
        // call that has timed out.
        if failures > 0 { try database.proveRoom(in: taken) }
        try database.beginAttempt(at: attempt.number, of: attempt.publisher, in: taken)
        return try commit([message], attempt)
    }

    private func commit(
        _ messages: [Delivery], _ attempt: (publisher: String, number: UInt64)? = nil
    ) throws(FleetStoreError) -> (fixes: Int, events: Int) {
        if isOutdated {
            // Trackers are restored with the new geofences; the states in the database are those in memory.
            trackers = PartitionTracker(index: try database.geofences(), policy: settings.policy)
            isOutdated = false
        }
        var batches: [(batch: FixBatch, body: [UInt8])] = []
        var refusals: [PartitionCommit.Refusal] = []
        for message in messages {
            do throws(FixBatch.Damage) {
                batches.append((try FixBatch(reading: message.body), message.body))
            } catch {
                refusals.append(PartitionCommit.Refusal(body: message.body, reason: error.description))
            }
        }
        let unknown = trackers.unknownDevices(in: batches.map(\.batch))
        let saved = unknown.isEmpty ? [:] : try database.states(of: unknown)
        var change = trackers.change(by: batches, from: saved, publishers: taken.publishers)
        change.commit.refusals += refusals
        change.commit.attempt = attempt
        guard !change.commit.isEmpty else { return (0, 0) }
        let version = try database.commit(change.commit, to: &taken)
        isOutdated = version != trackers.geofences
        for trip in trackers.adopt(change) { try database.packPoints(of: trip, in: taken) }
        return (
            batches.reduce(0) { $0 + $1.batch.parts.reduce(0) { $0 + $1.fixes.count } }, change.commit.events.count
        )
    }

    private func refuse(_ message: Delivery, because reason: String) throws(FleetStoreError) {
        var commit = PartitionCommit(geofences: trackers.geofences)
        commit.refusals = [PartitionCommit.Refusal(body: message.body, reason: reason)]
        if let batch = try? FixBatch(reading: message.body) {
            // It counts as applied, so that it is refused once.
            var applied = taken.publishers[batch.publisher] ?? AppliedMessages()
            guard applied.apply(batch.number) == .new else { return }
            commit.publishers[batch.publisher] = applied
            commit.attempt = (batch.publisher, batch.number)
        }
        _ = try database.commit(commit, to: &taken)
    }

    /// Does what can wait, when the queue is empty.
    func tidy() throws(FleetStoreError) { try database.forgetPublishers(of: taken.id) }
}

extension Delivery {
    /// Whether it may be the reason why its consumers have ended.
    fileprivate var isSuspect: Bool { earlierDeliveries >= UInt64(ActivePartition.failuresTogether) }

    /// The message as if it came for the first time.
    fileprivate var trusted: Delivery { Delivery(number: number, earlierDeliveries: 0, body: body) }
}
#endif
