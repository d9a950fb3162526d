public import GRDB
public import Positioning
import Tracking

/// What people make of recorded trips, within a transaction of its caller.
///
/// A change touches no point of any trace: it says which parts of the recordings a trip shows from now on. The numbers
/// of the trip are found anew from those, by the present algorithm; so are its start and end. Each change counts the
/// trip's revision up, is to be told by a `trip.revised` for each trip that it changes, and can be undone, the latest
/// first. The caller appends these events to the log in the same transaction. A trip that goes on cannot be changed.
public enum TripEditing {
    /// The most changes that can be undone of a trip: more than anyone remembers.
    public static let mostUndone = 100
    /// The most parts of a trip: it is read part by part, and nobody picks so many points by hand.
    public static let mostParts = 1000

    /// Makes one trip of two of a device, between which there is no other.
    ///
    /// The one that came first keeps its id and shows the points of both; the other is no longer there. The way
    /// between them is not known, unless they were one recording, cut between two points.
    ///
    /// - Parameter now: when someone does this.
    /// - Throws: ``TripEditError``.
    public static func merge(
        _ id: String, with other: String, now: Timestamp, in db: Database
    ) throws -> TripRevision {
        try edit(merging: id, with: other, now: now, in: db).finish()
    }

    /// Makes one trip of two that a device made of one journey, as they are by now.
    ///
    /// - Returns: what the log is to tell of it; nothing where someone has changed or removed them meanwhile so that
    ///   they cannot be one.
    static func join(_ id: String, with other: String, now: Timestamp, in db: Database) throws -> [EventRecord] {
        var records: [EventRecord] = []
        do {
            try db.inSavepoint {
                records = try edit(merging: id, with: other, now: now, in: db).finish().events
                return .commit
            }
        } catch is TripEditError {
            return []
        }
        return records
    }

    private static func edit(
        merging id: String, with other: String, now: Timestamp, in db: Database
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
        try edit.show(first.parts.joined(with: second.parts, in: db), as: first)
        try edit.hide(second, behind: first)
        return edit
    }

    /// Makes two trips of one: it keeps the points up to a time, and a new one begins with the next.
    ///
    /// The new trip's id is `DEVICE@START`, with `+1` and so on where that is another's.
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

    /// Removes a wild point from what a trip shows; the points beside it become neighbours.
    ///
    /// - Throws: ``TripEditError``.
    public static func removePoint(
        at time: Timestamp, ofTrip id: String, now: Timestamp, in db: Database
    ) throws -> TripRevision {
        try remove(time.milliseconds, time.milliseconds, isSpan: false, ofTrip: id, now: now, in: db)
    }

    /// Removes the points of a time, its first and last moment included, from what a trip shows; the way across it is
    /// not known.
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
        // What was not known of the way to the point is not known of the way past it.
        if !after.isEmpty, try isSpan || hole.beginsWithGap(in: db) { after[0].gap = true }
        var edit = try TripEdit(.edit, now: now, in: db)
        try edit.show(before + after, as: trip)
        return edit.finish()
    }

    /// Undoes the latest change of a trip, in all trips that it changed: each is as it was, its revision too.
    ///
    /// - Throws: ``TripEditError``.
    public static func undo(_ id: String, now: Timestamp, in db: Database) throws -> TripRevision {
        guard
            let row = try Row.fetchOne(
                db, sql: #"SELECT number FROM trip WHERE id = ? AND hidden = 0"#, arguments: [id])
        else { throw TripEditError.unknown(id: id) }
        guard let edit = try lastEdit(ofTrip: row[0], in: db) else { throw TripEditError.nothingToUndo(id: id) }
        return try TripUndo(edit: edit, in: db).run(now: now)
    }
}
