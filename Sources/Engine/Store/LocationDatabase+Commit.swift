import Foundation
import GRDB
import Geodesy
import Synchronization
import TextCoding
import Time
public import Tracking

extension LocationDatabase {
    /// Writes everything pending in one transaction, which is on the disk when this returns.
    ///
    /// A failed commit changes nothing and uses up no event number; the same value can be committed again. Points of a
    /// trip that has been removed meanwhile are dropped. If a trip that begins is in the store unfinished, it starts
    /// over. If its id belongs to a finished trip, imported or recorded earlier, that trip is renamed to `ID+1` and so
    /// on, because events refer to the new trip by the id. Another trip that the device left open is ended at its last
    /// point, with its distance unknown.
    ///
    /// A trip that continues the one before it after a silence is merged with it. The `trip.revised` events of both
    /// follow the `trip.end` of the later one.
    ///
    /// - Returns: The events with their numbers, as they are sent to clients, in the order of those pending.
    /// - Complexity: O(*n* log *m*) for *n* points among *m*.
    /// - Throws: ``StoreError``. After ``StoreError/moved(path:)`` do not try again: the commit may have gone to a file
    ///   that nobody will look at.
    public func commit(_ pending: PendingCommit) throws(StoreError) -> [EventRecord] {
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

    /// Writes everything pending in one transaction, without blocking the thread; see the synchronous form.
    public func commit(_ pending: PendingCommit) async throws(StoreError) -> [EventRecord] {
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
    ) throws -> Written<[EventRecord]> {
        try connections.check(queue)
        // Removed until the commit succeeds, because a failed commit would make these devices stale.
        let known = self.known.withLock { known in
            defer { known = KnownDevices() }
            return known
        }
        let commitObserver = self.commitObserver.withLock { $0 }
        let written = try db.inPreparedTransaction {
            try StoreDamage.checking(at: place, damage) {
                let value = try encoded.write(to: db, knowing: known)
                try TripSums.settle(in: db)
                if !value.stored.isEmpty { try commitObserver?(value.stored, db) }
                return Written(value: value, logEnd: try logEnd(db))
            }
        }
        self.known.withLock { $0 = written.value.known }
        return Written(value: written.value.stored, logEnd: written.logEnd)
    }
}

extension Database {
    /// Runs `body` in a transaction, as `inTransaction(.immediate)` does.
    ///
    /// That one prepares its two statements each time, which is a third of the cost of committing one point, besides
    /// the disk.
    fileprivate func inPreparedTransaction<Value>(_ body: () throws -> Value) throws -> Value {
        try cachedStatement(sql: "BEGIN IMMEDIATE").execute()
        do {
            let value = try body()
            try cachedStatement(sql: "COMMIT").execute()
            return value
        } catch {
            // SQLite has already rolled back after some errors, such as a full disk. The first error is the one to
            // report.
            try? rollback()
            throw error
        }
    }
}

/// A pending commit, with its JSON encoded outside the transaction.
struct EncodedCommit: Sendable {
    let pending: PendingCommit
    let states: [String: String]

    init(_ pending: PendingCommit) throws {
        self.pending = pending
        states = try pending.devices.mapValues { Self.padded(try StoredJSON.encode($0.saved)) }
    }

    /// Pads a text with spaces, so that successive states of a device mostly have the same length.
    ///
    /// SQLite writes a row of the same length in place of the old one, and neither frees nor allocates overflow pages.
    /// A short state is padded to a multiple of 256 bytes. A longer one grows by whole overflow pages, which it
    /// occupies in any case.
    static func padded(_ text: String) -> String {
        let count = text.utf8.count
        let page = LocationDatabase.pageSize - 4
        let length =
            count <= shortState
            ? (count + 255) / 256 * 256
            : shortState + (count - shortState + page - 1) / page * page
        return text + String(repeating: " ", count: length - count)
    }

    /// The longest state, in bytes, that fits beside the device's name in the row's own page, without overflow pages.
    private static let shortState = 768

    /// A timeline that has started over has no last fix yet.
    ///
    /// The last known time and place of the device stay.
    private static let stateUpdate = """
        UPDATE device SET
            last_time = coalesce(?, last_time), last_lat_e7 = coalesce(?, last_lat_e7),
            last_lon_e7 = coalesce(?, last_lon_e7), state = ?
        WHERE number = ?
        """

    func write(
        to db: Database, knowing known: consuming KnownDevices
    ) throws -> (stored: [EventRecord], known: KnownDevices) {
        var writer = try TravelWriter(db, knowing: known, policy: pending.policy)
        let update = try DirectStatement(Self.stateUpdate, in: db)
        for name in Set(states.keys).union(pending.changes.keys).union(pending.lateFixes.keys).sorted() {
            let device = try writer.write(pending.changes[name] ?? [], ofDevice: name)
            if let late = pending.lateFixes[name] { try LateFixes.write(late, ofDevice: device, in: db) }
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

/// JSON as it is stored: equal values have equal bytes.
enum StoredJSON {
    static func encode(_ value: some Encodable) throws -> String {
        try SortedJSON.text(of: value)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}
