public import GRDB
import Geodesy
public import Positioning
public import Time

extension Travels {
    /// A trip of a device, with its points around a moment.
    public struct TripNearby: Hashable, Sendable {
        /// The trip's id.
        public var id: String
        /// The end of the trip; `nil` if it has not ended.
        public var end: Timestamp?
        /// The last point at or before the moment.
        public var before: Fix?
        /// The first point after the moment.
        public var after: Fix?
    }

    /// Returns the trips of a device that began before `start` and had not ended at `end`, the newest first.
    ///
    /// Each comes with its points around a moment.
    ///
    /// - Parameter limit: The most trips that are examined among those that began before `start`, the newest first.
    /// - Complexity: O(log *n*) for *n* points, for each trip and for each part of an edited one.
    public static func trips(
        ofDevice device: String, startingBefore start: Timestamp, endingAfter end: Timestamp, limit: Int,
        around moment: Timestamp, in db: Database
    ) throws -> [TripNearby] {
        let row = try DirectStatement(
            """
            SELECT number, id, origin, "end" FROM (
                SELECT number, id, coalesce(recorded, start) AS origin, start, "end" FROM trip
                WHERE device = (SELECT number FROM device WHERE name = ?) AND hidden = 0 AND start < ?
                ORDER BY start DESC LIMIT ?)
            WHERE "end" IS NULL OR "end" > ? ORDER BY start DESC
            """, in: db)
        try row.bind(device, at: 1)
        try row.bind(start.milliseconds, at: 2)
        try row.bind(Int64(clamping: limit), at: 3)
        try row.bind(end.milliseconds, at: 4)
        var trips: [TripNearby] = []
        while try row.step() {
            guard let number = row.integer(0), let origin = row.integer(2) else { continue }
            let parts = try TripPart.all(ofTrip: number, origin: Timestamp(milliseconds: origin), in: db)
            var nearby = TripNearby(id: row.text(1), end: row.integer(3).map(Timestamp.init))
            for part in parts.reversed() where nearby.before == nil {
                nearby.before = try point(of: part, at: moment, isAfter: false, in: db)
            }
            for part in parts where nearby.after == nil {
                nearby.after = try point(of: part, at: moment, isAfter: true, in: db)
            }
            trips.append(nearby)
        }
        return trips
    }

    /// Returns the point of a part next to a moment, before or after it; `nil` if there is none.
    private static func point(of part: TripPart, at moment: Timestamp, isAfter: Bool, in db: Database) throws -> Fix? {
        let time = moment.milliseconds(since: part.origin)
        guard isAfter ? time < part.last : time >= part.first else { return nil }
        let keys = TraceKeys(trip: part.source).range(
            from: isAfter ? max(part.first, time + 1) : part.first, to: isAfter ? part.last : min(part.last, time))
        let row = try DirectStatement(
            """
            SELECT time, lat_e7, lon_e7 FROM trace WHERE key BETWEEN ? AND ?
            ORDER BY key \(isAfter ? "ASC" : "DESC") LIMIT 1
            """, in: db)
        try row.bind(keys.least, at: 1)
        try row.bind(keys.greatest, at: 2)
        guard try row.step(), let passed = row.integer(0) else { return nil }
        guard let latitude = row.integer(1).flatMap(Int32.init(exactly:)),
            let longitude = row.integer(2).flatMap(Int32.init(exactly:)),
            let place = Coordinate(latitudeE7: latitude, longitudeE7: longitude)
        else { throw LocationDatabase.noPlace }
        return Fix(time: part.origin.advanced(byMilliseconds: passed), coordinate: place)
    }
}
