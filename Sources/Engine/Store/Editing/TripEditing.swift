public import GRDB
public import Time
import Tracking

/// Changes that people make to recorded trips, within the caller's transaction.
///
/// A change alters no point of any trace: it sets which parts of the recordings a trip shows. The present algorithm
/// then recomputes the trip's numbers, start and end from these parts. Each change increments the trip's revision, and
/// emits a `trip.revised` for each trip that it changes. The caller appends these events to the log in the same
/// transaction. Changes can be undone, the latest first. A trip that has not ended cannot be changed.
public enum TripEditing {
    /// The most changes of a trip that can be undone: more than anyone remembers.
    public static let maximumUndone = 100
    /// The most parts of a trip.
    ///
    /// A trip is read part by part, and nobody selects so many points by hand.
    public static let maximumParts = 1000

    /// Merges two consecutive trips of a device into one.
    ///
    /// The earlier trip keeps its id and shows the points of both. The later one is hidden. The path between them is
    /// unknown, unless they are two halves of one recording that was cut between two neighbouring points.
    ///
    /// - Parameter now: The time of the change.
    /// - Throws: ``TripEditError``.
    public static func merge(
        _ id: String, with other: String, now: Timestamp, in db: Database
    ) throws -> TripRevision {
        try edit(merging: id, with: other, now: now, in: db).finish()
    }

    /// Merges two trips that the tracker recognises as one journey, as they are stored now.
    ///
    /// - Parameter isKnown: Whether the path from the one to the other is known.
    /// - Returns: The events to append to the log. The result is empty if the trips were changed or removed meanwhile
    ///   and cannot be merged.
    static func join(
        _ id: String, with other: String, isKnown: Bool = false, now: Timestamp, in db: Database
    ) throws -> [EventRecord] {
        var records: [EventRecord] = []
        do {
            try db.inSavepoint {
                records = try edit(merging: id, with: other, isKnown: isKnown, now: now, in: db).finish().events
                return .commit
            }
        } catch is TripEditError {
            return []
        }
        return records
    }

    private static func edit(
        merging id: String, with other: String, isKnown: Bool = false, now: Timestamp, in db: Database
    ) throws -> TripEdit {
        guard id != other else { throw TripEditError.same(id: id) }
        let trips = [try EditedTrip(id: id, in: db), try EditedTrip(id: other, in: db)].sorted { $0.start < $1.start }
        let (first, second) = (trips[0], trips[1])
        guard first.device == second.device else {
            throw TripEditError.differentDevices(first.device, second.device)
        }
        guard first.end < second.start else { throw TripEditError.overlapping(first.id, second.id) }
        let between = try Travels.trips(
            TripQuery(
                device: first.device, since: first.start.advanced(byMilliseconds: 1), until: second.start, limit: 2),
            in: db
        ).first { $0.summary.id != first.id }
        if let between { throw TripEditError.between(id: between.summary.id) }
        var edit = try TripEdit(.merge, now: now, in: db)
        var parts = try first.parts.joined(with: second.parts, in: db)
        if isKnown, let seam = second.parts.first {
            try db.execute(
                sql: "DELETE FROM trace_gap WHERE trip = ? AND time = ?", arguments: [seam.source, seam.first])
            for index in parts.indices where parts[index].source == seam.source && parts[index].first == seam.first {
                parts[index].gap = false
            }
        }
        try edit.show(parts, as: first)
        try edit.hide(second, behind: first)
        return edit
    }

    /// Splits a trip in two: it keeps the points up to and including a time, and a new trip shows the rest.
    ///
    /// The new trip's id is `DEVICE@START`, with `+1` and so on appended if that is taken.
    ///
    /// - Throws: ``TripEditError``.
    public static func split(_ id: String, at time: Timestamp, now: Timestamp, in db: Database) throws -> TripRevision {
        let trip = try EditedTrip(id: id, in: db)
        let kept = try trip.parts.within(.min, time.milliseconds, in: db)
        var rest = try trip.parts.within(time.milliseconds + 1, .max, in: db)
        guard !kept.isEmpty, !rest.isEmpty else { throw TripEditError.notWithin(time, id: id) }
        rest[0].gap = true
        var edit = try TripEdit(.split, now: now, in: db)
        try edit.show(kept, as: trip)
        try edit.add(rest, like: trip)
        return edit.finish()
    }

    /// Removes an outlier from the points that a trip shows.
    ///
    /// The points beside it become neighbours.
    ///
    /// - Throws: ``TripEditError``.
    public static func removePoint(
        at time: Timestamp, ofTrip id: String, now: Timestamp, in db: Database
    ) throws -> TripRevision {
        try remove(time.milliseconds, time.milliseconds, isSpan: false, ofTrip: id, now: now, in: db)
    }

    /// Removes the points of a period, both ends included, from those that a trip shows.
    ///
    /// The path across the period is unknown.
    ///
    /// - Throws: ``TripEditError``.
    public static func removeSpan(
        from start: Timestamp, until end: Timestamp, ofTrip id: String, now: Timestamp, in db: Database
    ) throws -> TripRevision {
        try remove(start.milliseconds, end.milliseconds, isSpan: true, ofTrip: id, now: now, in: db)
    }

    private static func remove(
        _ first: Int64, _ last: Int64, isSpan: Bool, ofTrip id: String, now: Timestamp, in db: Database
    ) throws -> TripRevision {
        let trip = try EditedTrip(id: id, in: db)
        let removed = try trip.parts.within(first, last, in: db)
        guard let hole = removed.first else { throw TripEditError.nothingThere(id: id) }
        let before = first == .min ? [] : try trip.parts.within(.min, first - 1, in: db)
        var after = last == .max ? [] : try trip.parts.within(last + 1, .max, in: db)
        guard !before.isEmpty || !after.isEmpty else { throw TripEditError.nothingLeft(id: id) }
        // If the path to the removed point was unknown, so is the path to the next.
        if !after.isEmpty, try isSpan || hole.beginsWithGap(in: db) { after[0].gap = true }
        var edit = try TripEdit(.edit, now: now, in: db)
        try edit.show(before + after, as: trip)
        return edit.finish()
    }

    /// Undoes the latest change of a trip, and restores all trips that it changed, with their revisions.
    ///
    /// - Throws: ``TripEditError``.
    public static func undo(_ id: String, now: Timestamp, in db: Database) throws -> TripRevision {
        guard
            let row = try StoredRow.fetchOne(
                db, sql: #"SELECT number FROM trip WHERE id = ? AND hidden = 0"#, arguments: [id])
        else { throw TripEditError.unknown(id: id) }
        guard let edit = try lastEdit(ofTrip: row[0], in: db) else { throw TripEditError.nothingToUndo(id: id) }
        return try TripUndo(edit: edit, in: db).run(now: now)
    }
}
