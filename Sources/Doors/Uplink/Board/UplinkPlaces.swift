import Foundation
import GRDB
public import Store

/// How much of a board's log the centre has acknowledged.
public enum UplinkPlaces {
    /// The number of events between two marks.
    static let markDistance: Int64 = 1_024

    /// Returns what the centre has acknowledged of a log; the chain before the first event if it is nothing.
    static func acknowledged(of log: String, in db: Database) throws -> EventChain {
        let row = try StoredRow.fetchOne(
            db, sql: "SELECT uplink.seq, uplink.chain FROM uplink WHERE uplink.log = ?", arguments: [log])
        return row.map { EventChain(log: log, seq: $0[0], digest: Array($0[1] as Data)) } ?? EventChain(log: log)
    }

    /// Returns the last mark of a log up to a number; the chain before the first event if there is none.
    static func mark(upTo seq: Int64, of log: String, in db: Database) throws -> EventChain {
        let row = try StoredRow.fetchOne(
            db,
            sql: """
                SELECT uplink_mark.seq, uplink_mark.chain FROM uplink_mark
                WHERE uplink_mark.log = ? AND uplink_mark.seq <= ? ORDER BY uplink_mark.seq DESC LIMIT 1
                """,
            arguments: [log, seq])
        return row.map { EventChain(log: log, seq: $0[0], digest: Array($0[1] as Data)) } ?? EventChain(log: log)
    }

    /// Returns the first mark of a log from a number on; `nil` if there is none.
    static func mark(from seq: Int64, of log: String, in db: Database) throws -> EventChain? {
        try StoredRow.fetchOne(
            db,
            sql: """
                SELECT uplink_mark.seq, uplink_mark.chain FROM uplink_mark
                WHERE uplink_mark.log = ? AND uplink_mark.seq >= ? ORDER BY uplink_mark.seq LIMIT 1
                """,
            arguments: [log, seq]
        ).map { EventChain(log: log, seq: $0[0], digest: Array($0[1] as Data)) }
    }

    /// Stores what the centre has acknowledged, and marks on the way to it.
    static func set(_ chain: EventChain, marks: [EventChain], in db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO uplink (log, seq, chain) VALUES (?, ?, ?)
                ON CONFLICT (log) DO UPDATE SET seq = excluded.seq, chain = excluded.chain
                """
        ).execute(arguments: [chain.log, chain.seq, Data(chain.digest)])
        for mark in marks {
            try db.cachedStatement(sql: "INSERT OR REPLACE INTO uplink_mark VALUES (?, ?, ?)")
                .execute(arguments: [mark.log, mark.seq, Data(mark.digest)])
        }
    }

    /// Returns the last event up to which the centre has the traces of a log's trips; `nil` if it has taken none.
    static func traces(of log: String, in db: Database) throws -> Int64? {
        try StoredRow.fetchOne(db, sql: "SELECT uplink.traces FROM uplink WHERE uplink.log = ?", arguments: [log])
            .flatMap { $0[0] as Int64? }
    }

    /// Stores the last event up to which the centre has the traces of a log's trips.
    static func setTraces(_ seq: Int64, of log: String, in db: Database) throws {
        try db.cachedStatement(sql: "UPDATE uplink SET traces = ? WHERE uplink.log = ?").execute(arguments: [seq, log])
    }

    /// Returns the last event that the centre has acknowledged, and whose trip's trace it has; the log keeps later ones
    /// for it, within its bound.
    ///
    /// - Throws: `StoreError`.
    public static func reached(in store: LocationDatabase) async throws -> Int64 {
        try await store.read { db in
            let log = try EventLog.extent(in: db).name
            let seq = try acknowledged(of: log, in: db).seq
            return min(seq, try traces(of: log, in: db) ?? seq)
        }
    }
}
