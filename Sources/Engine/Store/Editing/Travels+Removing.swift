public import GRDB

extension Travels {
    /// Removes a trip from all lists, and deletes its undo history.
    ///
    /// The stops belong to the device and stay. ``sweep(limit:in:)`` deletes the points once no other trip shows them.
    ///
    /// - Returns: Whether there was such a trip.
    public static func retire(trip id: String, in db: Database) throws -> Bool {
        let number = try Int64.fetchOne(db, sql: "SELECT number FROM trip WHERE id = ? AND hidden = 0", arguments: [id])
        guard let number else { return false }
        if let edit = try TripEditing.lastEdit(ofTrip: number, in: db) { try TripEditing.forget(edit, in: db) }
        try TripPart.keep([], ofTrip: number, in: db)
        try db.execute(sql: "UPDATE trip SET hidden = 1 WHERE number = ?", arguments: [number])
        return true
    }

    /// Deletes at most `limit` points of one hidden trip that is no longer needed, and then the trip itself.
    ///
    /// A hidden trip is needed as long as another trip shows its points, or an undo could bring it back.
    ///
    /// - Returns: Whether there was nothing left to delete. Call it again until it returns `true`.
    public static func sweep(limit: Int, in db: Database) throws -> Bool {
        guard let number = try leftover(in: db) else { return true }
        if try removePoints(ofTrip: number, limit: limit, in: db) < limit {
            try db.execute(sql: "DELETE FROM trip WHERE number = ?", arguments: [number])
        }
        return false
    }

    /// Whether ``sweep(limit:in:)`` has a trip to delete.
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

    /// Deletes at most `limit` points from the beginning of a trip's recording, and returns how many.
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
