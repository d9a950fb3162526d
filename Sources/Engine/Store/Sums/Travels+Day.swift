public import GRDB
public import Time
public import Tracking

extension Travels {
    /// Returns the trips that touch a local day, by start, and those without an end that began on it.
    ///
    /// - Parameters:
    ///   - day: The day, by the days of the sums; see ``TripSums/localDays(in:)``.
    ///   - device: The device of the trips; `nil` for all devices.
    ///   - scope: The only trips to return; `nil` for all.
    public static func trips(
        on day: CalendarDate, ofDevice device: String? = nil, scope: TravelScope? = nil, limit: Int, in db: Database
    ) throws -> [RecordedTrip] {
        let days = try TripSums.localDays(in: db)
        let next = CalendarDate(daysSinceEpoch: day.daysSinceEpoch + 1)
        var arguments: StatementArguments = [
            "device": device, "day": day.daysSinceEpoch, "begin": days.begin(of: day).milliseconds,
            "end": days.begin(of: next).milliseconds, "limit": StoreDamage.widened(limit),
        ]
        if let scope { arguments += StatementArguments(scope.arguments) }
        return try StoredRow.soundList(
            db,
            sql: """
                \(tripColumns)
                WHERE hidden = 0 AND (:device IS NULL OR device.name = :device)
                    \(scope == nil ? "" : "AND \(TravelScope.condition)") AND trip.number IN (
                    SELECT trip FROM trip_day WHERE day = :day
                    UNION SELECT number FROM trip WHERE "end" IS NULL AND start >= :begin AND start < :end)
                ORDER BY start, trip.id LIMIT :limit
                """,
            arguments: arguments, RecordedTrip.init)
    }

    /// Returns the stop in which a device was at a moment, and which began before it; `nil` if it was in none.
    public static func stop(
        ofDevice device: String, at moment: Timestamp, in db: Database
    ) throws -> StopSummary? {
        let row = try StoredRow.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT id, start, "end", lat_e7, lon_e7 FROM stop
                    WHERE device = (SELECT number FROM device WHERE name = ?) AND start < ?
                    ORDER BY start DESC, number DESC LIMIT 1
                    """),
            arguments: [device, moment.milliseconds])
        guard let stop = row.map({ Self.stop(of: device, $0) }) else { return nil }
        return stop.end.map { $0 > moment } ?? true ? stop : nil
    }
}
