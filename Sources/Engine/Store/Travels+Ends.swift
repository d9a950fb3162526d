public import GRDB
public import Geodesy
import Time

extension Travels {
    /// Returns the places of a trip's first and last point; `nil` if it shows none.
    public static func ends(ofTrip id: String, in db: Database) throws -> (start: Coordinate, end: Coordinate)? {
        let selection = try db.cachedStatement(
            sql: "SELECT number, coalesce(recorded, start) FROM trip WHERE id = ? AND hidden = 0")
        guard let trip = try StoredRow.fetchOne(selection, arguments: [id]) else { return nil }
        let parts = try TripPart.all(ofTrip: trip[0], origin: Timestamp(milliseconds: trip[1]), in: db)
        guard let start = try end(of: parts, isFirst: true, in: db),
            let end = try end(of: parts, isFirst: false, in: db)
        else { return nil }
        return (start, end)
    }

    private static func end(of parts: [TripPart], isFirst: Bool, in db: Database) throws -> Coordinate? {
        let direction = isFirst ? "ASC" : "DESC"
        let selection = try db.cachedStatement(
            sql: "SELECT lat_e7, lon_e7 FROM trace WHERE key BETWEEN ? AND ? ORDER BY key \(direction) LIMIT 1")
        for part in isFirst ? parts : parts.reversed() {
            let keys = TraceKeys(trip: part.source).range(from: part.first, to: part.last)
            if let row = try StoredRow.fetchOne(selection, arguments: [keys.least, keys.greatest]) {
                return Coordinate(latitudeE7: row[0], longitudeE7: row[1])
            }
        }
        return nil
    }
}
