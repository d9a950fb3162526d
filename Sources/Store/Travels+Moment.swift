public import GRDB
import Geodesy
public import Positioning

extension Travels {
    /// A trip of a device about a moment.
    public struct TripNearby: Hashable, Sendable {
        /// The trip's id.
        public var id: String
        /// When it ended; nil for one that goes on.
        public var end: Timestamp?
        /// Its last point at the moment or before.
        public var before: Fix?
        /// Its first point after the moment.
        public var after: Fix?
    }

    /// The last trips of a device that began before a time, the newest first, each with its points about a moment.
    ///
    /// - Complexity: O(log *n*) for *n* points, for each trip and each part of one that someone has edited.
    public static func trips(
        ofDevice device: String, startingBefore time: Timestamp, limit: Int, around moment: Timestamp, in db: Database
    ) throws -> [TripNearby] {
        let selection = try db.cachedStatement(
            sql: """
                SELECT number, id, coalesce(recorded, start) AS origin, "end" FROM trip
                WHERE device = (SELECT number FROM device WHERE name = ?) AND hidden = 0 AND start < ?
                ORDER BY start DESC LIMIT ?
                """)
        let rows = try Row.fetchAll(selection, arguments: [device, time.milliseconds, limit])
        return try rows.map { row in
            let parts = try TripPart.all(
                ofTrip: row["number"], origin: Timestamp(milliseconds: row["origin"]), in: db)
            var nearby = TripNearby(id: row["id"], end: (row["end"] as Int64?).map(Timestamp.init))
            for part in parts.reversed() where nearby.before == nil {
                nearby.before = try point(of: part, at: moment, isAfter: false, in: db)
            }
            for part in parts where nearby.after == nil {
                nearby.after = try point(of: part, at: moment, isAfter: true, in: db)
            }
            return nearby
        }
    }

    /// The point of a part next to a moment, on one side of it; nil where there is none.
    private static func point(of part: TripPart, at moment: Timestamp, isAfter: Bool, in db: Database) throws -> Fix? {
        let time = moment.milliseconds(since: part.origin)
        guard isAfter ? time < part.last : time >= part.first else { return nil }
        let keys = TraceKeys(trip: part.source).range(
            from: isAfter ? max(part.first, time + 1) : part.first, to: isAfter ? part.last : min(part.last, time))
        let selection = try db.cachedStatement(
            sql: """
                SELECT time, lat_e7, lon_e7 FROM trace WHERE key BETWEEN ? AND ?
                ORDER BY key \(isAfter ? "ASC" : "DESC") LIMIT 1
                """)
        guard let row = try Row.fetchOne(selection, arguments: [keys.least, keys.greatest]) else { return nil }
        guard let place = Coordinate(latitudeE7: row["lat_e7"], longitudeE7: row["lon_e7"]) else {
            throw LocationDatabase.noPlace
        }
        return Fix(time: part.origin.advanced(byMilliseconds: row["time"]), coordinate: place)
    }
}
