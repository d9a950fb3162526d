import Foundation
import GRDB
import Geodesy
import Positioning
import Synchronization
import Tracking

extension LocationDatabase {
    /// Writes everything pending in one transaction, on the disk when this returns.
    ///
    /// A failed commit leaves nothing changed and uses up no number; the same value may be tried again. Points of a
    /// trip that has been removed meanwhile are dropped with it. A trip that is in the store unfinished is begun
    /// anew; one that has ended, imported or recorded before, gives up its id to the one that begins, whose events tell
    /// of it, and goes on as `ID+1` and so on. Another that its device has left open is ended at its last point, its
    /// distance unknown.
    ///
    /// A trip that goes on after a silence becomes one with the trip before it, and a `trip.revised` for each follows its
    /// `trip.end`.
    ///
    /// - Returns: the events with their numbers, as they are served, in the order of those pending.
    /// - Complexity: O(*n* log *m*) for *n* points among *m*.
    /// - Throws: ``StoreError``. After ``StoreError/moved(path:)`` it must not be tried again: it may have been written
    ///   where nobody looks.
    public func commit(_ pending: PendingCommit) throws(StoreError) -> [StoredEvent] {
        do {
            let encoded = try EncodedCommit(pending)
            let written = try writing { queue in
                try queue.writeWithoutTransaction { try write(encoded, to: $0, by: queue) }
            }
            return try acknowledge(written)
        } catch {
            throw StoreError(error, path: place)
        }
    }

    /// Writes everything pending in one transaction as the other form does, without blocking the thread meanwhile.
    public func commit(_ pending: PendingCommit) async throws(StoreError) -> [StoredEvent] {
        do {
            let encoded = try EncodedCommit(pending)
            let written = try await writing { queue in
                try await queue.writeWithoutTransaction { [self] in try write(encoded, to: $0, by: queue) }
            }
            return try acknowledge(written)
        } catch {
            throw StoreError(error, path: place)
        }
    }

    private func write(
        _ encoded: EncodedCommit, to db: Database, by queue: any DatabaseWriter
    ) throws -> Written<[StoredEvent]> {
        try connections.check(queue)
        // Taken out, so that nothing is known of what a failure undoes.
        let known = self.known.withLock { known in
            defer { known = KnownDevices() }
            return known
        }
        let follower = self.follower.withLock { $0 }
        let written = try db.inPreparedTransaction {
            let value = try encoded.write(to: db, knowing: known)
            if !value.stored.isEmpty { try follower?(value.stored, db) }
            return Written(value: value, reach: try reach(db))
        }
        self.known.withLock { $0 = written.value.known }
        return Written(value: written.value.stored, reach: written.reach)
    }
}

extension Database {
    /// Runs within a transaction, as `inTransaction(.immediate)` does, which prepares its two statements each time: a
    /// third of what a commit of one point costs besides the disk.
    fileprivate func inPreparedTransaction<Value>(_ body: () throws -> Value) throws -> Value {
        try cachedStatement(sql: "BEGIN IMMEDIATE").execute()
        do {
            let value = try body()
            try cachedStatement(sql: "COMMIT").execute()
            return value
        } catch {
            // Of use where SQLite has not done so by itself, as for a full disk; what was first wrong is told.
            try? rollback()
            throw error
        }
    }
}

/// What is pending, with its JSON made outside of the transaction.
struct EncodedCommit: Sendable {
    let pending: PendingCommit
    let states: [String: String]

    init(_ pending: PendingCommit) throws {
        self.pending = pending
        states = try pending.devices.mapValues { Self.padded(try StoredJSON.encode($0.saved)) }
    }

    /// A text with spaces behind it, so that most that follow each other are of one length: SQLite puts a row of the same
    /// length in the place of the one before, and frees and takes no pages for what of it has none on its own.
    ///
    /// What has no room in the row's own page takes whole pages in any case, so that longer texts grow by those.
    static func padded(_ text: String) -> String {
        let count = text.utf8.count
        let page = LocationDatabase.pageSize - 4
        let length =
            count <= shortState
            ? (count + 255) / 256 * 256
            : shortState + (count - shortState + page - 1) / page * page
        return text + String(repeating: " ", count: length - count)
    }

    /// A longer state has a part of its row on pages of its own, in bytes; a row of it has the device's name besides.
    private static let shortState = 768

    /// A timeline that has begun anew has no last fix yet; where the device was stays known.
    private static let stateUpdate = """
        UPDATE device SET
            last_time = coalesce(?, last_time), last_lat_e7 = coalesce(?, last_lat_e7),
            last_lon_e7 = coalesce(?, last_lon_e7), state = ?
        WHERE number = ?
        """

    func write(
        to db: Database, knowing known: consuming KnownDevices
    ) throws -> (stored: [StoredEvent], known: KnownDevices) {
        var writer = try TravelWriter(db, knowing: known, policy: pending.policy)
        let update = try DirectStatement(Self.stateUpdate, in: db)
        for name in Set(states.keys).union(pending.changes.keys).sorted() {
            let device = try writer.write(pending.changes[name] ?? [], ofDevice: name)
            guard let state = pending.devices[name] else { continue }
            try update.bind(state.time?.milliseconds, at: 1)
            try update.bind((state.place?.latitudeE7).map(Int64.init), at: 2)
            try update.bind((state.place?.longitudeE7).map(Int64.init), at: 3)
            try update.bind(states[name], at: 4)
            try update.bind(device, at: 5)
            try update.run()
        }
        var records = pending.events
        if !writer.revisions.isEmpty {
            records = records.flatMap { record in
                let isEnd = record.type == EventRecord.tripEnd
                return [record] + (isEnd ? record.subject.flatMap { writer.revisions[$0] } ?? [] : [])
            }
        }
        return (try EventLog.append(records, to: db), writer.known)
    }
}

/// JSON in the store: the same value has the same bytes.
enum StoredJSON {
    static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}
