public import GRDB
public import Geodesy
public import Time

/// What devices do on one day, for those who show it all the time.
public enum DeviceDays {
    /// Returns the way that each device has made on a local day on trips that have ended.
    ///
    /// - Complexity: O(*t*) for *t* trips of the day.
    public static func distances(on day: CalendarDate, in db: Database) throws -> [String: Distance] {
        let rows = try StoredRow.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT device.name, sum(trip_day.distance_cm) FROM trip_day
                    JOIN device ON device.number = trip_day.device
                    WHERE trip_day.day = ? GROUP BY trip_day.device
                    """), arguments: [day.daysSinceEpoch])
        return Dictionary(
            rows.map { row -> (String, Distance) in
                let centimetres: Int64 = row[1]
                return (row[0], .meters(Double(centimetres) / 100))
            }
        ) { $1 }
    }

    /// Returns the names of the devices that are at a stop now.
    ///
    /// - Complexity: O(*d* log *n*) for *d* devices and *n* stops.
    public static func resting(in db: Database) throws -> Set<String> {
        Set(
            try String.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT device.name FROM stop JOIN device ON device.number = stop.device WHERE stop."end" IS NULL
                        """)))
    }

    /// Returns whether each of some trips is open; those that the store does not have are absent.
    ///
    /// - Complexity: O(*k* log *n*) for *k* of *n* trips.
    public static func areOpen(_ ids: [String], in db: Database) throws -> [String: Bool] {
        let statement = try db.cachedStatement(sql: "SELECT \"end\" IS NULL FROM trip WHERE id = ?")
        return try ids.reduce(into: [:]) { $0[$1] = try Bool.fetchOne(statement, arguments: [$1]) }
    }
}
