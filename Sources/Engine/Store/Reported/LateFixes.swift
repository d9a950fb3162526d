public import GRDB
public import Positioning
public import Time
public import Tracking

/// Fixes that were reported after later ones of their device.
///
/// All functions run in the caller's transaction.
public enum LateFixes {
    /// The most fixes that one transaction merges.
    public static let largestMerge = 10_000

    /// Stores late fixes; those of a time that is stored already are ignored.
    static func write(_ fixes: [Fix], ofDevice device: Int64, in db: Database) throws {
        for fix in fixes {
            guard let time = fix.time, let point = TracePoint(fix, since: time, gap: false) else { continue }
            try db.cachedStatement(
                sql: """
                    INSERT OR IGNORE INTO late_fix
                        (device, time, lat_e7, lon_e7, alt_dm, speed_cmps, track_ddeg, accuracy_m)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """
            ).execute(arguments: [
                device, time.milliseconds, point.latitudeE7, point.longitudeE7, point.altitude, point.speed,
                point.track, point.accuracy,
            ])
        }
    }

    /// Returns the names of the devices that have late fixes.
    public static func devices(in db: Database) throws -> [String] {
        try String.fetchAll(
            db,
            sql: "SELECT name FROM device WHERE EXISTS (SELECT 1 FROM late_fix WHERE device = number) ORDER BY name")
    }

    /// Returns the number of late fixes of each device that has some.
    public static func counts(in db: Database) throws -> [String: Int] {
        let rows = try StoredRow.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT device.name, count(*) FROM late_fix JOIN device ON device.number = late_fix.device
                    GROUP BY device.number
                    """))
        return Dictionary(rows.map { ($0[0] as String, $0[1] as Int) }) { first, _ in first }
    }

    /// The result of a merge.
    public struct Merge {
        /// The events to append to the log in the same transaction, a `trip.revised` for each trip that has more points.
        public var events: [EventRecord] = []
        /// The fixes that belong to no trip, in order of time.
        ///
        /// They are no longer stored.
        public var rest: [Fix] = []
    }

    /// Moves the late fixes of a device into the trips during which they were made.
    ///
    /// The numbers of such a trip are then computed again from its points. Fixes during a trip that has not ended stay
    /// until it has, and hold back no earlier ones.
    ///
    /// - Parameter now: The time of the merge.
    /// - Complexity: O(*k* log *n* + *m*) for *k* fixes among *n* points and trips of *m* points.
    public static func merge(of device: String, now: Timestamp, in db: Database) throws -> Merge {
        var merge = Merge()
        let late = try StoredRow.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT late_fix.device, time, lat_e7, lon_e7, alt_dm, speed_cmps, track_ddeg, accuracy_m
                    FROM late_fix JOIN device ON number = late_fix.device
                    WHERE name = ? AND time < coalesce(
                        (SELECT min(start) FROM trip
                        WHERE trip.device = late_fix.device AND "end" IS NULL AND hidden = 0), \(Int64.max))
                    ORDER BY time LIMIT \(largestMerge)
                    """), arguments: [device])
        guard let number: Int64 = late.first?[0] else { return merge }
        let writer = try TraceWriter(db)
        var revised: [String] = []
        for row in late {
            let time = Timestamp(milliseconds: row[1])
            let trip = try trip(ofDevice: number, at: time, in: db)
            if let trip, !trip.hasEnded { continue }
            let point = TracePoint(
                time: 0, latitudeE7: row[2], longitudeE7: row[3], altitude: row[4], speed: row[5], track: row[6],
                accuracy: row[7], gap: false)
            try db.cachedStatement(sql: "DELETE FROM late_fix WHERE device = ? AND time = ?")
                .execute(arguments: [number, time.milliseconds])
            guard let trip else {
                if let fix = point.fix(since: time) { merge.rest.append(fix) }
                continue
            }
            guard try insert(point, at: time, into: trip, by: writer, in: db) else { continue }
            try showBeyond(time, of: trip, in: db)
            if revised.last != trip.id { revised.append(trip.id) }
        }
        for id in revised { merge.events += try TripEditing.recount(id, now: now, in: db) }
        return merge
    }

    /// Adds a trip that late fixes tell, unless the device was on another trip at that time.
    ///
    /// - Returns: The events to append to the log.
    public static func add(
        _ trip: PastTrip, policy: TrackingPolicy, now: Timestamp, in db: Database
    ) throws -> [EventRecord] {
        guard try Travels.add(trip, policy: policy, now: now, to: db) == .added,
            let recorded = try Travels.trip(id: trip.summary.id, in: db)
        else { return [] }
        return [EventRecord(recorded, by: .late, at: now, into: nil)]
    }

    /// A trip around a late fix.
    struct Trip {
        var number: Int64
        var id: String
        var hasEnded: Bool
        /// The recording that has the points around the time: the number of its trip, and the time that they count from.
        var source: Int64
        var origin: Timestamp
    }

    /// Returns the trip of a device at a time, and the recording that it shows there; `nil` if there is none.
    private static func trip(ofDevice device: Int64, at time: Timestamp, in db: Database) throws -> Trip? {
        let selection = try db.cachedStatement(
            sql: """
                SELECT number, id, start, "end", coalesce(recorded, start) FROM trip
                WHERE device = ? AND hidden = 0 AND start <= ?
                ORDER BY start DESC, "end" IS NULL DESC, "end" DESC LIMIT 1
                """)
        guard let row = try StoredRow.fetchOne(selection, arguments: [device, time.milliseconds]) else { return nil }
        let end: Int64? = row[3]
        guard end.map({ $0 >= time.milliseconds }) ?? true else { return nil }
        let origin = Timestamp(milliseconds: row[4])
        let parts = try TripPart.all(ofTrip: row[0], origin: origin, in: db)
        // Of a trip that people have merged, the part before the time is continued.
        let part = parts.last { part in
            part.first == .min || part.origin.milliseconds + part.first <= time.milliseconds
        }
        guard let part else { return nil }
        return Trip(number: row[0], id: row[1], hasEnded: end != nil, source: part.source, origin: part.origin)
    }

    /// Writes a point among those of a recording.
    ///
    /// The way to it, and from it to the next, is known if it is short enough.
    ///
    /// - Returns: Whether there was no point of that time.
    static func insert(
        _ point: TracePoint, at time: Timestamp, into trip: Trip, by writer: borrowing TraceWriter, in db: Database
    ) throws -> Bool {
        let offset = time.milliseconds(since: trip.origin)
        guard TraceKeys.times.contains(offset) else { return false }
        let keys = TraceKeys(trip: trip.source)
        let around = try StoredRow.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT (SELECT time FROM trace WHERE key BETWEEN :first AND :here ORDER BY key DESC LIMIT 1),
                        (SELECT time FROM trace WHERE key BETWEEN :next AND :last ORDER BY key LIMIT 1)
                    """),
            arguments: [
                "first": keys.range().least, "here": keys.key(offset), "next": keys.range(from: offset + 1).least,
                "last": keys.range().greatest,
            ])
        let (before, next): (Int64?, Int64?) = (around?[0], around?[1])
        guard before != offset else { return false }
        var point = point
        point.time = offset
        point.gap = before.map { offset - $0 > longestLeg } ?? true
        try writer.write(point, ofTrip: trip.source)
        if let next, next - offset <= longestLeg {
            try db.cachedStatement(sql: "DELETE FROM trace_gap WHERE trip = ? AND time = ?")
                .execute(arguments: [trip.source, next])
        }
        return true
    }

    /// The longest time between two points, in milliseconds, across which the way is taken as known.
    private static let longestLeg = Int64(TrackingPolicy.longestLegTime * 1000)
}

extension TripEditing {
    /// Computes the numbers of a trip again because its recording has more points.
    ///
    /// This is no change that a person has made, so it cannot be undone.
    ///
    /// - Returns: The event to append to the log.
    static func recount(_ id: String, now: Timestamp, in db: Database) throws -> [EventRecord] {
        let trip = try EditedTrip(id: id, in: db)
        var recorded = trip.recorded
        try recorded.summary.count(trip.parts, in: db)
        recorded.algorithm = TrackingPolicy.algorithm
        recorded.revision += 1
        try recorded.update(trip.number, in: db)
        return [EventRecord(recorded, by: .late, at: now, into: nil)]
    }
}
