public import GRDB
public import Positioning
public import Time
public import Tracking

extension LateFixes {
    /// Late fixes between two trips of a device, and the trips to which they may belong.
    public struct Run: Sendable {
        /// The fixes, in order of time.
        public var fixes: [Fix]
        /// The trip that ended shortly before; `nil` if there is none.
        public var before: TripSummary?
        /// The trip that began shortly after, and may not have ended; `nil` if there is none.
        public var after: TripSummary?
    }

    /// Takes the first fixes from a list, up to the next trip of the device or the next long pause.
    ///
    /// - Parameters:
    ///   - fixes: Fixes during no trip, in order of time; those that are taken are removed.
    ///   - pause: The longest time, in seconds, between two fixes of a run, and between it and a trip.
    /// - Returns: The run; `nil` if there is no fix.
    /// - Complexity: O(*k* + log *n*) for *k* fixes and *n* trips of the device.
    public static func removeRun(
        from fixes: inout ArraySlice<Fix>, of device: String, within pause: Double, in db: Database
    ) throws -> Run? {
        while let fix = fixes.first, fix.time == nil { fixes.removeFirst() }
        guard let begin = fixes.first?.time else { return nil }
        let before = try neighbor(
            "start <= ? ORDER BY start DESC, \"end\" IS NULL DESC, \"end\" DESC, id DESC", of: device, begin, in: db)
        let after = try neighbor("start > ? ORDER BY start, id", of: device, begin, in: db)
        var run = Run(fixes: [])
        var last = begin
        while let fix = fixes.first {
            guard let time = fix.time else {
                fixes.removeFirst()
                continue
            }
            guard time.seconds(since: last) <= pause, after.map({ time < $0.start }) ?? true else { break }
            run.fixes.append(fix)
            last = time
            fixes.removeFirst()
        }
        if let end = before?.end, end <= begin, begin.seconds(since: end) <= pause { run.before = before }
        if let after, after.start.seconds(since: last) <= pause { run.after = after }
        return run
    }

    private static func neighbor(
        _ condition: String, of device: String, _ time: Timestamp, in db: Database
    ) throws -> TripSummary? {
        let id = try String.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT id FROM trip
                    WHERE device = (SELECT number FROM device WHERE name = ?) AND hidden = 0 AND \(condition) LIMIT 1
                    """), arguments: [device, time.milliseconds])
        return try id.flatMap { try Travels.trip(id: $0, in: db)?.summary }
    }

    /// Stores fixes again that cannot be merged yet, because the trip to which they may belong has not ended.
    public static func postpone(_ run: Run, of device: String, in db: Database) throws {
        try write(run.fixes, ofDevice: Devices.add(device, to: db), in: db)
    }

    /// Adds points to a trip that has ended, all of them after its last point or all of them before its first.
    ///
    /// The trip keeps its id.
    ///
    /// - Returns: The events to append to the log; none if the trip's points are not kept any more.
    /// - Complexity: O(*m*) for *m* points of the trip.
    public static func extend(
        _ id: String, by fixes: [Fix], now: Timestamp, in db: Database
    ) throws -> [EventRecord] {
        let trip: EditedTrip
        do {
            trip = try EditedTrip(id: id, in: db)
        } catch is TripEditError {
            return []
        }
        guard let first = fixes.first?.time, let last = fixes.last?.time else { return [] }
        let isBefore = last < trip.start
        guard isBefore || first > trip.end, var edge = isBefore ? trip.parts.first : trip.parts.last else { return [] }
        if isBefore, first < edge.origin {
            guard try makeRoom(before: edge, since: first, in: db) else { return [] }
            edge.origin = first
        }
        let writer = try TraceWriter(db)
        let target = Trip(number: trip.number, id: id, hasEnded: true, source: edge.source, origin: edge.origin)
        for fix in fixes {
            guard let time = fix.time, let point = TracePoint(fix, since: time, gap: false) else { continue }
            _ = try insert(point, at: time, into: target, by: writer, in: db)
        }
        var kept = try TripPart.kept(ofTrip: trip.number, in: db)
        if !kept.isEmpty {
            let index = isBefore ? 0 : kept.count - 1
            if isBefore {
                kept[index].first = first.milliseconds(since: kept[index].origin)
            } else {
                kept[index].last = last.milliseconds(since: kept[index].origin)
            }
            try TripPart.keep(kept, ofTrip: trip.number, in: db)
        }
        let grown = try EditedTrip(id: id, in: db)
        var recorded = grown.recorded
        try recorded.summary.show(grown.parts, in: db)
        recorded.algorithm = TrackingPolicy.algorithm
        recorded.revision += 1
        try recorded.update(grown.number, in: db)
        return [EventRecord(recorded, by: .late, at: now, into: nil)]
    }

    /// Shows a point that is between two recordings of which a trip shows the one after the other.
    ///
    /// It is not shown if a person has cut the first recording there.
    static func showBeyond(_ time: Timestamp, of trip: Trip, in db: Database) throws {
        var parts = try TripPart.kept(ofTrip: trip.number, in: db)
        let offset = time.milliseconds(since: trip.origin)
        let index = parts.lastIndex { $0.source == trip.source && $0.first <= offset }
        guard let index, parts[index].last < offset else { return }
        let next = parts.dropFirst(index + 1).first
        let keys = TraceKeys(trip: trip.source).range(from: parts[index].last + 1)
        let following = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT time FROM trace WHERE key BETWEEN ? AND ? ORDER BY key LIMIT 1"),
            arguments: [keys.least, keys.greatest])
        guard following == offset, next?.source != trip.source else { return }
        parts[index].last = offset
        if let next,
            next.origin.advanced(byMilliseconds: next.first).seconds(since: time)
                <= TrackingPolicy.longestLegTime
        {
            parts[index + 1].gap = false
            try db.execute(
                sql: "DELETE FROM trace_gap WHERE trip = ? AND time = ?", arguments: [next.source, next.first])
        }
        try TripPart.keep(parts, ofTrip: trip.number, in: db)
    }

    /// Joins two trips between which late fixes have shown the way.
    ///
    /// - Returns: The events to append to the log.
    public static func join(
        _ id: String, with other: TripSummary, now: Timestamp, in db: Database
    ) throws -> [EventRecord] {
        guard let end = try Travels.trip(id: id, in: db)?.summary.end else { return [] }
        let isKnown = other.start.seconds(since: end) <= TrackingPolicy.longestLegTime
        return try TripEditing.join(id, with: other.id, isKnown: isKnown, now: now, in: db)
    }

    /// Moves the origin of a recording to an earlier time, so that points before its first one have a key.
    ///
    /// - Returns: Whether all times of the recording can be counted from then.
    private static func makeRoom(before part: TripPart, since time: Timestamp, in db: Database) throws -> Bool {
        let all = TraceKeys(trip: part.source).range()
        let latest = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT max(key) FROM trace WHERE key BETWEEN ? AND ?"),
            arguments: [all.least, all.greatest])
        let more = part.origin.milliseconds(since: time)
        guard let latest, TraceKeys.times.contains(more), all.greatest - latest >= more else { return false }
        // By way of numbers that no other point has, because each row is moved on its own.
        try db.execute(
            sql: "UPDATE trace SET key = -(key + ?) WHERE key BETWEEN ? AND ?",
            arguments: [more, all.least, all.greatest])
        try db.execute(sql: "UPDATE trace SET key = -key WHERE key < 0")
        try db.execute(
            sql: "UPDATE trace_gap SET time = -(time + ?) WHERE trip = ?", arguments: [more, part.source])
        try db.execute(sql: "UPDATE trace_gap SET time = -time WHERE trip = ? AND time < 0", arguments: [part.source])
        try db.execute(
            sql: "UPDATE trip SET recorded = ? WHERE number = ?", arguments: [time.milliseconds, part.source])
        return true
    }
}
