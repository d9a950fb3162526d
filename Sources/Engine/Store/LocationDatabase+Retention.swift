import GRDB
public import Time

/// The numbers of events and points that were deleted.
public struct Pruned: Hashable, Sendable {
    /// The number of events, all from the beginning of the log.
    public var events: Int
    /// The number of points of traces.
    public var points: Int

    /// Creates the numbers; the default is nothing deleted.
    public init(events: Int = 0, points: Int = 0) {
        self.events = events
        self.points = points
    }
}

extension LocationDatabase {
    /// The number of rows to delete in one transaction.
    ///
    /// That is some megabytes of writing, so that a fix waits no longer than for a commit of its own.
    public static let pruningStep = 2_000

    /// Deletes old events and old traces in small transactions, so that others can write in between.
    ///
    /// Events are deleted from the beginning of the log, so that it has no holes. The first event that is not old keeps
    /// all events after it, even those with earlier dates. An event from the future is the exception: it is deleted if
    /// an old event follows it. Numbers are never assigned again. Traces are deleted of trips that have ended. The
    /// trips, their numbers and all stops stay. What is left of removed trips is always deleted. The file does not
    /// shrink, but its free pages are used again. Earlier transactions stay committed if a later one fails or the task
    /// is cancelled.
    ///
    /// - Parameters:
    ///   - events: Events before this time are old; `nil` keeps all.
    ///   - traces: The traces of trips that ended before this time are old, unless someone imported the trips later;
    ///     `nil` keeps all.
    ///   - now: Events later than this are from the future.
    ///   - seq: The last event that may be deleted; later ones still have to be processed.
    ///   - limit: The number of rows in one transaction, of events and of points.
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
                    let count = db.changesCount
                    try EventBlocks.forget(before: last + 1, in: db)
                    return count
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

    /// Returns the last event to delete among the first `limit`; `nil` if there is none.
    private static func lastOldEvent(
        _ time: Timestamp, now: Timestamp, upTo seq: Int64, limit: Int, in db: Database
    ) throws -> Int64? {
        var last: Int64?
        let rows = try StoredRow.fetchCursor(
            db, sql: "SELECT seq, time FROM event WHERE seq <= ? ORDER BY seq LIMIT ?", arguments: [seq, limit])
        while let row = try rows.next() {
            let date: Int64 = row[1]
            if date < time.milliseconds { last = row[0] } else if date <= now.milliseconds { break }
        }
        return last
    }

    /// An SQL condition on a row of `trip`: whether its trace is old.
    ///
    /// The trip, and each trip that shows its points, ended before `:time` and was not imported at or after it.
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

    /// Deletes at most `limit` points from the beginning of a trip's recording, if it is still old, and returns how
    /// many.
    private static func removeTrace(
        ofTrip trip: Int64, _ time: Timestamp, limit: Int, in db: Database
    ) throws -> Int {
        // Another trip may have received the number since, or may show these points now.
        let isOld = try Bool.fetchOne(
            db, sql: "SELECT \(isOld) FROM trip WHERE number = :trip",
            arguments: ["time": time.milliseconds, "trip": trip])
        return isOld == true ? try Travels.removePoints(ofTrip: trip, limit: limit, in: db) : 0
    }
}
