import Foundation
import GRDB
import TestSupport

/// The contents of a stopped daemon's store, read from a copy so that the store itself stays unchanged.
struct StoreCopy {
    /// The events in order, each as subscribers receive it.
    let events: [Event]
    /// Trips, stops and trace points as texts, one per row, with the latest point last.
    let travels: [String]
    /// The time of each device's last fix, in milliseconds.
    let lastFixes: [String: Int64]
    /// The result of SQLite's integrity check: "ok" if it finds no fault.
    let integrity: String

    struct Event: Equatable {
        var seq: Int64
        var type: String
        var body: [UInt8]

    }

    /// The events without their numbers, and without those of sources, which depend on when one looks.
    var journeys: [String] {
        events.filter { !$0.type.hasPrefix("source.") }.map { event in
            String(decoding: event.body.drop { $0 != UInt8(ascii: ",") }, as: UTF8.self)
        }
    }

    init(of store: String) throws {
        let copy = try TemporaryFolder()
        for ending in ["", "-wal"] where FileManager.default.fileExists(atPath: store + ending) {
            try FileManager.default.copyItem(atPath: store + ending, toPath: copy.file("store" + ending))
        }
        let queue = try DatabaseQueue(path: copy.file("store"))
        defer { try? queue.close() }
        (events, travels, lastFixes, integrity) = try queue.read { db in
            let events = try Row.fetchAll(db, sql: "SELECT seq, type, body FROM event ORDER BY seq").map {
                Event(seq: $0[0], type: $0[1], body: Array(($0[2] as String).utf8))
            }
            let travels = try ["trip", "stop", "trace_degrees"].flatMap { table in
                try Row.fetchAll(db, sql: "SELECT * FROM \(table) ORDER BY 1, 2").map { "\($0)" }
            }
            let devices = try Row.fetchAll(db, sql: "SELECT name, last_time FROM device WHERE last_time IS NOT NULL")
            let lastFixes = Dictionary(devices.map { ($0[0] as String, $0[1] as Int64) }) { $1 }
            return (
                events, travels, lastFixes,
                try String.fetchAll(db, sql: "PRAGMA integrity_check").joined(separator: "; ")
            )
        }
    }
}

extension StoreCopy {
    /// Returns the store of a daemon that has run a whole drive undisturbed.
    static func ofUndisturbed(_ drive: Drive) async throws -> StoreCopy {
        let folder = try TemporaryFolder()
        let file = try await drive.prepare(in: folder)
        let daemon = try await RunningDaemon(in: folder, sources: ["car=\(file)?speed=max"])
        let path = daemon.socket
        _ = try await offThePool { try LineSocket(to: path).allEvents(until: "source.offline") }
        guard try await daemon.stop() == .exit(0) else { throw RunningDaemon.Failure(description: daemon.log) }
        return try StoreCopy(of: daemon.store)
    }
}
