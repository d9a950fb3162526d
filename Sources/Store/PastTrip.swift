public import GRDB
public import Positioning
public import Tracking

/// A trip of the past as it is to be kept, with its whole trace.
public struct PastTrip: Hashable, Sendable {
    /// What it adds up to; it has an end.
    public var summary: TripSummary
    /// Its points in order of time; one with `beginsSegment` set has a gap before it.
    public var points: [Fix]

    /// A trip with its points.
    public init(_ summary: TripSummary, points: [Fix] = []) {
        self.summary = summary
        self.points = points
    }

    /// What became of a trip that was to be added.
    public enum Outcome: Hashable, Sendable {
        /// It is in the store now.
        case added
        /// It was in the store already.
        case known
        /// The device was on another trip in that time, whose id this is; nothing was changed.
        case overlapping(id: String)
    }
}

extension Travels {
    /// Adds a trip of the past, unless it is there or its device was on another one in that time.
    ///
    /// It is the same trip where id, end, points and length are the same. The device's state, its open trip and the
    /// event log stay as they are; a device of which nothing is known yet is added.
    ///
    /// - Parameters:
    ///   - policy: What the trip was computed with.
    ///   - now: When it is imported, from which its trace is kept for as long as one that was recorded then.
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
                INSERT INTO trip (id, device, start, "end", algorithm, settings, imported) VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                summary.id, device, summary.start.milliseconds, end.milliseconds, TrackingPolicy.algorithm,
                try StoredJSON.encode(policy), now.milliseconds,
            ])
        let number = db.lastInsertedRowID
        try writer.end(summary)
        for fix in trip.points {
            guard let point = TracePoint(fix, since: summary.start, gap: fix.beginsSegment) else { continue }
            try writer.points.write(point, ofTrip: number)
        }
        return .added
    }

    /// Adds a stop of the past, unless it is there or its device made another one in that time.
    ///
    /// - Parameter isOfTrip: whether it belongs to a trip that was added; one that does not is left out too where
    ///   its device was on a trip in that time.
    /// - Returns: whether it was added.
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

    /// The first trip or stop of a device with which a time has more than a moment in common; what goes on has all
    /// that comes.
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
