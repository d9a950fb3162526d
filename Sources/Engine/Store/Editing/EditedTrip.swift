import GRDB
import Geodesy
import Positioning
import Time
import Tracking

/// A trip that is about to be changed.
///
/// It has ended, and its points are kept.
struct EditedTrip {
    let number: Int64
    let recorded: RecordedTrip
    /// The parts of recordings that the trip shows, in order of time.
    let parts: [TripPart]
    /// The times of the first and the last point.
    let start: Timestamp
    let end: Timestamp

    var id: String { recorded.summary.id }
    var device: String { recorded.summary.device }

    /// - Throws: ``TripEditError`` if there is no such trip, if it has not ended, or if it has no points.
    init(id: String, in db: Database) throws {
        let selection = try db.cachedStatement(
            sql: "SELECT number, coalesce(recorded, start) FROM trip WHERE id = ? AND hidden = 0")
        guard let row = try StoredRow.fetchOne(selection, arguments: [id]),
            let recorded = try Travels.trip(id: id, in: db)
        else { throw TripEditError.unknown(id: id) }
        guard recorded.summary.end != nil else { throw TripEditError.notEnded(id: id) }
        let number: Int64 = row[0]
        let parts = try TripPart.all(ofTrip: number, origin: Timestamp(milliseconds: row[1]), in: db)
            .within(.min, .max, in: db)
        guard let first = parts.first, let last = parts.last else { throw TripEditError.noPoints(id: id) }
        self.number = number
        self.recorded = recorded
        self.parts = parts
        start = first.origin.advanced(byMilliseconds: first.first)
        end = last.origin.advanced(byMilliseconds: last.last)
    }
}

extension TripSummary {
    /// Recomputes the numbers from the points of some parts and from the device's stops during the trip.
    ///
    /// - Complexity: O(*n*) for *n* points.
    mutating func count(_ parts: [TripPart], in db: Database) throws {
        var numbers = TripNumbers()
        var rests = try Travels.stops(on: self, in: db).compactMap { stop in
            stop.end.map { (start: stop.start, end: $0) }
        }[...]
        try Travels.forEachPoint(of: parts, in: db) { fix in
            while let rest = rests.first, fix.time.map({ $0 > rest.start }) ?? false {
                numbers.stop(from: rest.start, to: rest.end)
                rests.removeFirst()
            }
            numbers.add(fix, gap: fix.beginsSegment || numbers.fixes == 0)
            return true
        }
        for rest in rests { numbers.stop(from: rest.start, to: rest.end) }
        adopt(numbers)
    }

    /// Sets start and end to the first and the last point of some parts, and recomputes the numbers.
    mutating func show(_ parts: [TripPart], in db: Database) throws {
        guard let first = parts.first, let last = parts.last else { return }
        start = first.origin.advanced(byMilliseconds: first.first)
        end = last.origin.advanced(byMilliseconds: last.last)
        try count(parts, in: db)
    }
}

extension RecordedTrip {
    /// Writes the trip's summary, algorithm and revision over the row with the given number.
    func update(_ number: Int64, in db: Database) throws {
        try db.execute(
            sql: """
                UPDATE trip SET recorded = coalesce(recorded, start), start = ?, "end" = ?, distance_m = ?, moving_s = ?,
                    stopped_s = ?, max_speed_mps = ?, stops = ?, fixes = ?, gaps_m = ?, bridged_m = ?, climb_m = ?,
                    descent_m = ?, south_e7 = ?, west_e7 = ?, north_e7 = ?, east_e7 = ?, algorithm = ?, revision = ?,
                    hidden = 0
                WHERE number = ?
                """,
            arguments: [
                summary.start.milliseconds, summary.end?.milliseconds, summary.distance.meters, summary.moving,
                summary.stopped, summary.maximumSpeed?.metersPerSecond, summary.stops, summary.fixes,
                summary.gaps.meters, summary.bridged.meters, summary.climb?.meters, summary.descent?.meters,
                summary.bounds?.southE7, summary.bounds?.westE7, summary.bounds?.northE7, summary.bounds?.eastE7,
                algorithm, revision, number,
            ])
    }
}
