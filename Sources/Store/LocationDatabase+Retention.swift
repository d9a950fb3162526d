import GRDB
public import Positioning

/// What was forgotten.
public struct Pruned: Hashable, Sendable {
    /// How many events, all of them from the beginning of the log.
    public var events: Int
    /// How many points of traces.
    public var points: Int

    /// So much was; nothing unless said.
    public init(events: Int = 0, points: Int = 0) {
        self.events = events
        self.points = points
    }
}

extension LocationDatabase {
    /// Rows removed in one transaction: some megabytes of writing, so that a fix waits for it no longer than for a
    /// commit of its own.
    public static let pruningStep = 2_000

    /// Forgets old events and old traces, step by step, so that others write in between.
    ///
    /// Events go from the beginning of the log, so that it has no holes: the first that is not old keeps all after
    /// it, even where those are dated earlier, but for one from the future, which an old one after it takes along. Their
    /// numbers are never given again. Traces go of trips that have ended; the trips with their numbers, and all stops,
    /// stay. What is left of trips that were removed goes in any case. The file does not shrink, but what is free is
    /// used again. What was done stays where a later step fails or the task is cancelled.
    ///
    /// - Parameters:
    ///   - events: events before this are old; nil keeps all.
    ///   - traces: trips that ended before this have old traces, unless someone imported them since; nil keeps all.
    ///   - now: what is later than this is from the future.
    ///   - seq: the last event that may go, as someone has yet to work on those after it.
    ///   - limit: rows in one transaction, of events and of points.
    /// - Throws: ``StoreError``, and `CancellationError`.
    public func prune(
        eventsBefore events: Timestamp?, tracesBefore traces: Timestamp?,
        now: Timestamp = Timestamp(milliseconds: .max), upTo seq: Int64 = .max,
        limit: Int = LocationDatabase.pruningStep
    ) async throws -> Pruned {
        var pruned = Pruned()
        if let events {
            while let last = try await read({ db in
                try Self.lastOldEvent(events, now: now, upTo: seq, limit: limit, in: db)
            }) {
                pruned.events += try await write { db in
                    try db.execute(sql: "DELETE FROM event WHERE seq <= ?", arguments: [last])
                    return db.changesCount
                }
            }
        }
        if let traces {
            for trip in try await read({ try Self.tripsWithOldTraces(traces, in: $0) }) {
                var removed = limit
                while removed == limit {
                    removed = try await write { try Self.removeTrace(ofTrip: trip, traces, limit: limit, in: $0) }
                    pruned.points += removed
                }
            }
        }
        while try await read(Travels.hasLeftovers) { _ = try await write { try Travels.sweep(limit: limit, in: $0) } }
        return pruned
    }

    /// The last of the old events among the first `limit`, with only old ones before it.
    private static func lastOldEvent(
        _ time: Timestamp, now: Timestamp, upTo seq: Int64, limit: Int, in db: Database
    ) throws -> Int64? {
        var last: Int64?
        let rows = try Row.fetchCursor(
            db, sql: "SELECT seq, time FROM event WHERE seq <= ? ORDER BY seq LIMIT ?", arguments: [seq, limit])
        while let row = try rows.next() {
            let date: Int64 = row[1]
            if date < time.milliseconds { last = row[0] } else if date <= now.milliseconds { break }
        }
        return last
    }

    /// Of a trip: whether it has ended, and was imported if it was, before a time, and each that shows points of it.
    private static let isOld = """
        "end" < :time AND coalesce(imported < :time, 1) AND NOT EXISTS (
            SELECT 1 FROM trip_part JOIN trip AS shown ON shown.number = trip_part.trip
            WHERE edit = 0 AND source = trip.number
                AND (shown."end" >= :time OR coalesce(shown.imported >= :time, 0)))
        """

    private static func tripsWithOldTraces(_ time: Timestamp, in db: Database) throws -> [Int64] {
        try Int64.fetchAll(
            db,
            sql: """
                SELECT number FROM trip
                WHERE \(isOld) AND EXISTS (SELECT 1 FROM trace WHERE \(TraceKeys.isOfTrip))
                ORDER BY start
                """,
            arguments: ["time": time.milliseconds])
    }

    /// Removes at most `limit` points from the beginning of a trip, and says how many.
    private static func removeTrace(
        ofTrip trip: Int64, _ time: Timestamp, limit: Int, in db: Database
    ) throws -> Int {
        // Another trip may have come by the number since, or show its points.
        let isOld = try Bool.fetchOne(
            db, sql: "SELECT \(isOld) FROM trip WHERE number = :trip",
            arguments: ["time": time.milliseconds, "trip": trip])
        return isOld == true ? try Travels.removePoints(ofTrip: trip, limit: limit, in: db) : 0
    }
}
