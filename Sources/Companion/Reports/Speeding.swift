import GRDB
import RPC
import Service
import Store
import Time
import Tracking

/// The times at which devices were faster than a limit, from the events `geofence.speed`.
///
/// Such an event comes when the speed has been over the limit for some seconds, and once more at the end, then with the
/// seconds over it. Only the latter is kept.
enum Speeding {
    /// The longest time over a limit that an event may tell, in seconds: a day.
    private static let longest = 86_400.0

    /// Records that a device was over a limit for some seconds until a moment; the same once more changes nothing.
    static func record(_ device: String, until end: Timestamp, seconds: Double, in db: Database) throws {
        guard seconds >= 0, seconds <= longest, let length = Int64(exactly: (seconds * 1000).rounded()) else { return }
        try db.cachedStatement(
            sql: """
                INSERT INTO speeding (began, device, ms) SELECT ?, number, ? FROM device WHERE name = ?
                ON CONFLICT DO NOTHING
                """
        ).execute(arguments: [end.advanced(byMilliseconds: -length).milliseconds, length, device])
    }

    /// Calls `body` with the number of the device, the beginning and the milliseconds of each time over a limit that
    /// began in a period, latest first.
    static func forEach(
        from begin: Timestamp, until end: Timestamp, in db: Database,
        _ body: (_ device: Int64, _ began: Timestamp, _ length: Int64) throws -> Void
    ) throws {
        let times = try DirectStatement(
            "SELECT began, device, ms FROM speeding WHERE began >= ? AND began < ? ORDER BY began DESC",
            isList: true, in: db)
        try times.bind(begin.milliseconds, at: 1)
        try times.bind(end.milliseconds, at: 2)
        while try times.step() {
            guard let began = times.integer(0), let device = times.integer(1), let length = times.integer(2) else {
                continue
            }
            try body(device, Timestamp(milliseconds: began), length)
        }
    }
}

/// A log consumer that keeps the times over a limit of speed, from the first event of the log on.
struct SpeedingConsumer: LogConsumer {
    let name = "speeding"
    let worksInCommits = true

    func concerns(_ event: EventRecord) -> Bool { event.type == "geofence.speed" }

    func consume(_ event: EventRecord, in db: Database, _ consequences: inout Consequences) throws {
        let body = try? JSONValue(parsing: event.line.span)
        guard let device = event.device, let seconds = body?["seconds"].flatMap({ Double(json: $0) }) else { return }
        try Speeding.record(device, until: event.time, seconds: seconds, in: db)
    }
}
