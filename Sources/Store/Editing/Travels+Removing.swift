public import GRDB

extension Travels {
    /// Takes a trip out of all lists, with all that could be undone of it; its stops are the device's, and stay.
    ///
    /// Its points go by ``sweep(limit:in:)``, as soon as no other trip shows them.
    ///
    /// - Returns: whether there was one.
    public static func retire(trip id: String, in db: Database) throws -> Bool {
        let number = try Int64.fetchOne(db, sql: "SELECT number FROM trip WHERE id = ? AND hidden = 0", arguments: [id])
        guard let number else { return false }
        if let edit = try TripEditing.lastEdit(ofTrip: number, in: db) { try TripEditing.forget(edit, in: db) }
        try TripPart.keep([], ofTrip: number, in: db)
        try db.execute(sql: "UPDATE trip SET hidden = 1 WHERE number = ?", arguments: [number])
        return true
    }

    /// Removes at most so many points, and then the trip, of one that is hidden and that nothing needs any more: no
    /// trip shows its points, and nothing that can be undone would.
    ///
    /// - Returns: whether there is none such any more; to be called until then.
    public static func sweep(limit: Int, in db: Database) throws -> Bool {
        guard let number = try leftover(in: db) else { return true }
        if try removePoints(ofTrip: number, limit: limit, in: db) < limit {
            try db.execute(sql: "DELETE FROM trip WHERE number = ?", arguments: [number])
        }
        return false
    }

    /// Whether there is a trip for ``sweep(limit:in:)``.
    static func hasLeftovers(in db: Database) throws -> Bool { try leftover(in: db) != nil }

    private static func leftover(in db: Database) throws -> Int64? {
        try Int64.fetchOne(
            db,
            sql: """
                SELECT number FROM trip
                WHERE hidden = 1 AND NOT EXISTS (SELECT 1 FROM trip_part WHERE source = number)
                    AND NOT EXISTS (SELECT 1 FROM trip_before WHERE trip = number)
                LIMIT 1
                """)
    }

    /// Removes at most so many points from the beginning of what was recorded for a trip, and says how many.
    static func removePoints(ofTrip number: Int64, limit: Int, in db: Database) throws -> Int {
        let all = TraceKeys(trip: number).range()
        let last = try Int64.fetchOne(
            db,
            sql: "SELECT max(time) FROM (SELECT time FROM trace WHERE key BETWEEN ? AND ? ORDER BY key LIMIT ?)",
            arguments: [all.least, all.greatest, limit])
        guard let last else { return 0 }
        let keys = TraceKeys(trip: number).range(to: last)
        try db.execute(sql: "DELETE FROM trace_gap WHERE trip = ? AND time <= ?", arguments: [number, last])
        try db.execute(sql: "DELETE FROM trace WHERE key BETWEEN ? AND ?", arguments: [keys.least, keys.greatest])
        return db.changesCount
    }
}
