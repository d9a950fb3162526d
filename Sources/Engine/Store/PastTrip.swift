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
    private static func overlap(
        _ table: String, _ device: String, _ start: Timestamp, _ end: Timestamp, in db: Database
    ) throws -> String? {
        try String.fetchOne(
            db,
            sql: """
                SELECT id FROM \(table) WHERE \(table == "trip" ? "hidden = 0 AND " : "")device = (SELECT number FROM device WHERE name = ?)
                    AND start < ? AND coalesce("end" > ?, 1) ORDER BY start LIMIT 1
                """,
            arguments: [device, end.milliseconds, start.milliseconds])
    }
}
