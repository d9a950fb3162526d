import Foundation
import GRDB
import Geodesy
import Positioning
import Tracking

extension LocationDatabase {
    /// Writes everything pending in one transaction, on the disk when this returns.
    ///
    /// A failed commit leaves nothing changed and uses up no number; the same value may be tried again. Points of a
    /// trip that has been removed meanwhile are dropped with it. A trip that is in the store unfinished is begun
    /// anew; another that its device has left open is ended at its last point, its distance unknown.
    ///
    /// - Returns: the events with their numbers, as they are served.
    /// - Complexity: O(*n* log *m*) for *n* points among *m*.
    /// - Throws: ``StoreError``, with ``StoreError/tripExists(id:)`` where a trip begins that has ended already.
    public func commit(_ pending: PendingCommit) throws(StoreError) -> [StoredEvent] {
        do {
            let encoded = try EncodedCommit(pending)
            return try write { try encoded.write(to: $0) }
        } catch {
            throw StoreError(error, path: place)
        }
    }

    /// Writes everything pending in one transaction as the other form does, without blocking the thread meanwhile.
    public func commit(_ pending: PendingCommit) async throws(StoreError) -> [StoredEvent] {
        do {
            let encoded = try EncodedCommit(pending)
            return try await write { try encoded.write(to: $0) }
        } catch {
            throw StoreError(error, path: place)
        }
    }
}

/// What is pending, with its JSON made outside of the transaction.
private struct EncodedCommit: Sendable {
    let pending: PendingCommit
    let states: [String: String]
    let settings: String

    init(_ pending: PendingCommit) throws {
        self.pending = pending
        states = try pending.devices.mapValues { try StoredJSON.encode($0.saved) }
        settings = try StoredJSON.encode(pending.policy)
    }

    /// A timeline that has begun anew has no last fix yet; where the device was stays known.
    private static let stateUpdate = """
        UPDATE device SET
            last_time = coalesce(?, last_time), last_lat_e7 = coalesce(?, last_lat_e7),
            last_lon_e7 = coalesce(?, last_lon_e7), state = ?
        WHERE number = ?
        """

    func write(to db: Database) throws -> [StoredEvent] {
        let names = Set(states.keys).union(pending.changes.keys).sorted()
        var writer = try TravelWriter(db, settings: settings)
        for name in names {
            let device = try Devices.add(name, to: db)
            try writer.write(pending.changes[name] ?? [], ofDevice: device)
            guard let state = pending.devices[name] else { continue }
            try db.cachedStatement(sql: Self.stateUpdate).execute(
                arguments: [
                    state.time?.milliseconds, state.place?.latitudeE7, state.place?.longitudeE7, states[name], device,
                ])
        }
        return try EventLog.append(pending.events, to: db)
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
