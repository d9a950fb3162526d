public import GRDB
public import Positioning
public import Time
public import Tracking

/// A finished trip to import, with its whole trace.
public struct PastTrip: Hashable, Sendable {
    /// The trip's numbers; they include an end.
    public var summary: TripSummary
    /// The trip's points in order of time; `beginsSegment` marks a gap before a point.
    public var points: [Fix]

    /// Creates a trip with its points.
    public init(_ summary: TripSummary, points: [Fix] = []) {
        self.summary = summary
        self.points = points
    }

    /// The result of importing a trip.
    public enum Outcome: Hashable, Sendable {
        /// The trip was added.
        case added
        /// The trip was already in the store.
        case known
        /// The device was on another trip at that time, which has this id; nothing was changed.
        case overlapping(id: String)
    }
}

extension Travels {
    /// Imports a finished trip, unless it is already in the store or its device was on another trip at that time.
    ///
    /// Two trips are the same if their ids, ends, numbers of points and distances are equal. The device's state, its
    /// open trip and the event log do not change. A device that is not in the store yet is added.
    ///
    /// - Parameters:
    ///   - policy: The settings that the trip was computed with.
    ///   - now: The time of the import. The trace is kept as long as if it had been recorded then.
    public static func add(
        _ trip: PastTrip, policy: TrackingPolicy, now: Timestamp, to db: Database
    ) throws -> PastTrip.Outcome {
        let summary = trip.summary
        guard let end = summary.end else { return .overlapping(id: summary.id) }
        if let stored = try self.trip(id: summary.id, in: db)?.summary {
            let isSame = stored.end == end && stored.fixes == summary.fixes && stored.distance == summary.distance
            return isSame ? .known : .overlapping(id: stored.id)
        }
        if let id = try overlap("trip", summary.device, summary.start, end, in: db) { return .overlapping(id: id) }
        try vacate(summary.id, in: db)
        let device = try Devices.add(summary.device, to: db)
        let writer = try TravelWriter(db, knowing: KnownDevices(), policy: policy)
        try db.execute(
            sql: """
                INSERT INTO trip (id, device, start, "end", algorithm, settings, imported, kind)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                summary.id, device, summary.start.milliseconds, end.milliseconds, TrackingPolicy.algorithm,
                try StoredJSON.encode(policy), now.milliseconds, summary.kind?.rawValue,
            ])
        let number = db.lastInsertedRowID
        try writer.end(summary)
        for fix in trip.points {
            guard let point = TracePoint(fix, since: summary.start, gap: fix.beginsSegment) else { continue }
            try writer.points.write(point, ofTrip: number)
        }
        return .added
    }

    /// Imports a finished stop, unless it is already in the store or its device made another stop at that time.
    ///
    /// - Parameter isOfTrip: Whether the stop belongs to a trip that was imported. Any other stop is also refused if
    ///   its device was on a trip at that time.
    /// - Returns: Whether the stop was added.
    public static func add(_ stop: StopSummary, ofTrip isOfTrip: Bool, to db: Database) throws -> Bool {
        guard let end = stop.end, try !isKnown(stop, in: db),
            try overlap("stop", stop.device, stop.start, end, in: db) == nil,
            try isOfTrip || overlap("trip", stop.device, stop.start, end, in: db) == nil
        else { return false }
        let writer = try TravelWriter(db, knowing: KnownDevices(), policy: TrackingPolicy())
        try writer.write(stop, ofDevice: try Devices.add(stop.device, to: db))
        return true
    }

    private static func isKnown(_ stop: StopSummary, in db: Database) throws -> Bool {
        try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM stop WHERE id = ?)", arguments: [stop.id]) ?? false
    }

    /// Returns the id of the first trip or stop of a device that overlaps a period by more than an instant.
    ///
    /// An open trip or stop lasts for ever.
    ///
    /// - Complexity: O(log *n*) for *n* trips of the device that do not overlap each other. Those of similar length are
    ///   searched together, so that one that overlaps begins at most sixteen times the shortest of them earlier.
    private static func overlap(
        _ table: String, _ device: String, _ start: Timestamp, _ end: Timestamp, in db: Database
    ) throws -> String? {
        let number = try StoredRow.integer(
            db.cachedStatement(sql: "SELECT device.number FROM device WHERE device.name = ?"), arguments: [device])
        guard let number else { return nil }
        // Few are open: with a plain `start`, SQLite would go through all earlier ones of the device.
        let isShown = table == "trip" ? "trip.hidden = 0 AND" : ""
        let open = try StoredRow.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT \(table).id, \(table).start FROM \(table)
                    WHERE \(isShown) \(table).device = ? AND \(table)."end" IS NULL AND +\(table).start < ?
                    ORDER BY +\(table).start LIMIT 1
                    """), arguments: [number, end.milliseconds])
        var first = open.map { (id: $0[0] as String, start: $0[1] as Int64) }
        // The conditions equal those of the indexes, word for word.
        let ended = try db.cachedStatement(
            sql: """
                SELECT id, start FROM \(table)
                WHERE \(table == "trip" ? "hidden = 0 AND " : "")"end" IS NOT NULL
                    AND device = ? AND length(printf('%x', "end" - start)) = ? AND start > ? AND start < ? AND "end" > ?
                ORDER BY start LIMIT 1
                """)
        for digits in 1...longestLength {
            // Sixteen digits are those of every length that 64 bits hold.
            let length: Int64 = digits < longestLength ? 1 << (4 * Int64(digits)) : .max
            let earliest = start.milliseconds.subtractingReportingOverflow(length)
            let row = try StoredRow.fetchOne(
                ended,
                arguments: [
                    number, digits, earliest.overflow ? .min : earliest.partialValue, end.milliseconds,
                    start.milliseconds,
                ])
            if let row, first.map({ row[1] < $0.start }) ?? true { first = (row[0], row[1]) }
        }
        return first?.id
    }

    /// The hexadecimal digits of the longest time that a trip can take.
    private static let longestLength = 16
}

extension StoreMigration {
    static let lengths = """
        -- Trips and stops that have ended, by the number of hexadecimal digits of their milliseconds: those of similar
        -- length that go on at a time are next to each other.
        CREATE INDEX trip_by_length ON trip (device, length(printf('%x', "end" - start)), start)
            WHERE hidden = 0 AND "end" IS NOT NULL;
        CREATE INDEX stop_by_length ON stop (device, length(printf('%x', "end" - start)), start)
            WHERE "end" IS NOT NULL;
        CREATE INDEX stop_open ON stop (device) WHERE "end" IS NULL;
        """
}
