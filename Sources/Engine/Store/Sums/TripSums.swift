public import GRDB

/// The sums of trips by device and local day, within the caller's transaction.
///
/// Triggers note each trip that ends, is changed, merged, split, recomputed, removed or imported. ``settle(in:)``, which
/// runs at the end of each transaction, replaces the sums of these trips as a whole. They are a function of the trip's
/// numbers, of its points and of the stops on it, so they can be computed again at any time. Deleting old points leaves
/// them as they are.
public enum TripSums {
    /// Brings the sums up to date with the trips that the transaction has changed.
    ///
    /// A damaged trip has no sums.
    ///
    /// - Complexity: One search if no trip has changed. A trip over midnight costs a pass over its points.
    static func settle(in db: Database) throws {
        try TripHeat.settle(in: db)
        let due = try due(in: db)
        guard !due.isEmpty else { return }
        let days = try localDays(in: db)
        for trip in due {
            try db.cachedStatement(sql: "DELETE FROM trip_day WHERE trip = ?").execute(arguments: [trip])
            guard let found = try found(trip, days, in: db) else { continue }
            for part in found.parts { try part.write(ofTrip: trip, device: found.device, in: db) }
        }
        try db.execute(sql: "DELETE FROM trip_due")
    }

    private static func due(in db: Database) throws -> [Int64] {
        let selection = try DirectStatement("SELECT trip FROM trip_due ORDER BY trip", in: db)
        var due: [Int64] = []
        while try selection.step() {
            if let trip = selection.integer(0) { due.append(trip) }
        }
        return due
    }

    /// Returns what a trip adds to its days; `nil` if it is damaged, hidden or gone, or has not ended.
    private static func found(
        _ number: Int64, _ days: LocalDays, in db: Database
    ) throws -> (device: Int64, parts: [TripDay])? {
        let result = StoreDamage.sparing {
            Result { () throws -> (device: Int64, parts: [TripDay])? in
                let row = try StoredRow.fetchOne(
                    db.cachedStatement(
                        sql: #"SELECT id, device FROM trip WHERE number = ? AND hidden = 0 AND "end" IS NOT NULL"#),
                    arguments: [number])
                guard let row, let trip = try Travels.trip(id: row[0], in: db) else { return nil }
                return (row[1], try TripDay.all(of: trip.summary, days, in: db))
            }
        }
        do {
            return try result?.get()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return nil
        }
    }

    /// Marks all trips, so that ``settle(in:)`` computes their sums anew.
    static func markAll(in db: Database) throws {
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO trip_due SELECT number FROM trip WHERE "end" IS NOT NULL AND hidden = 0;
                INSERT OR IGNORE INTO trip_due SELECT DISTINCT trip FROM trip_day;
                """)
    }

    /// Returns the days by which the sums are kept.
    public static func localDays(in db: Database) throws -> LocalDays {
        LocalDays(zone: try String.fetchOne(db.cachedStatement(sql: "SELECT name FROM sum_zone")) ?? "UTC")
    }

    /// Sets the time zone at whose midnight the days begin, and computes all sums anew if it is another one.
    public static func setZone(_ name: String, in db: Database) throws {
        if try localDays(in: db).zone != name {
            try db.execute(sql: "INSERT OR REPLACE INTO sum_zone VALUES (1, ?)", arguments: [name])
            try markAll(in: db)
            try TripHeat.markYears(LocalDays(zone: name), in: db)
        }
        try settle(in: db)
    }
}
