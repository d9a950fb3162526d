public import GRDB
public import Time
import Tracking

extension TripEditing {
    /// Removes a stop that never was, such as one between a wrong date and the right one.
    ///
    /// The trips that count the stop are counted again without it. Undoing that change of one of them brings the stop
    /// back; a stop that no trip counts is gone for good.
    ///
    /// - Throws: ``TripEditError``.
    public static func removeStop(_ id: String, now: Timestamp, in db: Database) throws -> TripRevision {
        guard let stop = try Travels.stop(id: id, in: db) else { throw TripEditError.unknownStop(id: id) }
        guard let end = stop.end else { throw TripEditError.stopNotEnded(id: id) }
        try db.execute(sql: "DELETE FROM stop WHERE id = ?", arguments: [id])
        var edit: TripEdit?
        for trip in try trips(ofDevice: stop.device, from: stop.start, until: end, in: db) {
            guard let summary = try Travels.trip(id: trip, in: db)?.summary else { continue }
            // The tracker still has the numbers of an open trip, and would store them with the stop.
            guard summary.end != nil else { throw TripEditError.notEnded(id: trip) }
            guard try counts(summary, moreThanIn: db), let edited = try? EditedTrip(id: trip, in: db) else { continue }
            var changed = edited.recorded.summary
            try changed.count(edited.parts, in: db)
            if edit == nil { edit = try TripEdit(.edit, now: now, removing: stop, in: db) }
            try edit?.revise(edited, keepingPartsTo: changed)
        }
        return edit?.finish() ?? TripRevision(.edit, trips: [], gone: [], now: now)
    }

    /// Whether a trip counts other stops than the store has.
    ///
    /// A stop that was found to begin before a trip only after the trip had ended is not in the trip's numbers.
    private static func counts(_ trip: TripSummary, moreThanIn db: Database) throws -> Bool {
        let stops = try Travels.stops(on: trip, in: db)
        let stopped = stops.reduce(0.0) { sum, stop in sum + (stop.end.map { $0.seconds(since: stop.start) } ?? 0) }
        return stops.count != trip.stops || abs(stopped - trip.stopped) > 0.0005
    }

    /// Returns the ids of the trips of a device that share more than a moment with a period, by start.
    private static func trips(
        ofDevice device: String, from start: Timestamp, until end: Timestamp, in db: Database
    ) throws -> [String] {
        try String.fetchAll(
            db,
            sql: """
                SELECT id FROM trip
                WHERE hidden = 0 AND device = (SELECT number FROM device WHERE name = ?) AND start < ?
                    AND coalesce("end" > ?, 1)
                ORDER BY start, number
                """,
            arguments: [device, end.milliseconds, start.milliseconds])
    }
}
