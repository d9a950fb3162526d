import Foundation
import GRDB
import TestSupport

/// What is in the store of a daemon that is gone, seen in a copy, so that whoever opens the store next finds it as it
/// was left.
struct StoreCopy {
    /// The events in order, each as it is served.
    let events: [Event]
    /// Trips, rests and traces, the latest point last, each row as a text.
    let travels: [String]
    /// The time of each device's last fix, in milliseconds.
    let lastFixes: [String: Int64]
    /// What SQLite finds wrong: "ok" where nothing is.
    let integrity: String

    struct Event: Equatable {
        var seq: Int64
        var type: String
        var body: [UInt8]

    }

    /// The events as they are in any log that has them, whatever their numbers; those of receivers, which depend on
    /// when one looks, are left out.
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
    /// The store after a whole drive, by a daemon that nobody disturbed.
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
