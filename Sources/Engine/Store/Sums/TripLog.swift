public import GRDB
public import Time

/// A driver's logbook: what each trip was for, and who drove; within the caller's transaction.
///
/// An entry belongs to the trip that shows it. A trip that is merged into another one takes its entry along, and shows
/// it again once that is undone; the second half of a trip that is split has none.
public enum TripLog {
    /// The purpose of a trip.
    public enum Purpose: String, Hashable, Sendable, CaseIterable {
        /// A trip for work.
        case business
        /// A trip for anything else.
        case personal = "private"
        /// A trip between home and work.
        case commute
    }

    /// What the logbook says of a trip.
    public struct Entry: Hashable, Sendable {
        /// The purpose; `nil` if nobody has said.
        public var purpose: Purpose?
        /// The purpose in words, such as the name of a customer.
        public var reason: String?
        /// The name of the driver.
        public var driver: String?

        /// Creates an entry; the default says nothing.
        public init(purpose: Purpose? = nil, reason: String? = nil, driver: String? = nil) {
            self.purpose = purpose
            self.reason = reason
            self.driver = driver
        }
    }

    /// Returns the entry of a trip; an empty one if the logbook says nothing of it.
    public static func entry(ofTrip id: String, in db: Database) throws -> Entry {
        let row = try StoredRow.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT purpose, reason, driver FROM trip_log JOIN trip ON trip.number = trip_log.trip WHERE id = ?
                    """),
            arguments: [id])
        guard let row else { return Entry() }
        return Entry(purpose: (row[0] as String?).flatMap(Purpose.init(rawValue:)), reason: row[1], driver: row[2])
    }

    /// Returns the entries of trips by their ids; none for a trip of which the logbook says nothing.
    ///
    /// - Complexity: One search by key for each trip, in one query.
    public static func entries(ofTrips ids: [String], in db: Database) throws -> [String: Entry] {
        let statement = try db.makeStatement(
            sql: """
                SELECT trip.id, trip_log.purpose, trip_log.reason, trip_log.driver
                FROM trip JOIN trip_log ON trip_log.trip = trip.number
                WHERE trip.id IN (\(databaseQuestionMarks(count: ids.count)))
                """)
        let rows = try StoredRow.fetchAll(statement, arguments: StatementArguments(ids))
        var entries: [String: Entry] = [:]
        for row in rows {
            entries[row[0]] = Entry(
                purpose: (row[1] as String?).flatMap(Purpose.init(rawValue:)), reason: row[2], driver: row[3])
        }
        return entries
    }

    /// Replaces the entry of a trip; an empty one removes it.
    ///
    /// - Parameter now: The time of the change.
    /// - Returns: Whether there is such a trip.
    @discardableResult
    public static func set(_ entry: Entry, ofTrip id: String, at now: Timestamp, in db: Database) throws -> Bool {
        let trip = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT number FROM trip WHERE id = ? AND hidden = 0"), arguments: [id])
        guard let trip else { return false }
        guard entry != Entry() else {
            try db.execute(sql: "DELETE FROM trip_log WHERE trip = ?", arguments: [trip])
            return true
        }
        try db.execute(
            sql: """
                INSERT INTO trip_log (trip, purpose, reason, driver, set_at) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (trip) DO UPDATE SET purpose = excluded.purpose, reason = excluded.reason,
                    driver = excluded.driver, is_by_rule = 0, set_at = excluded.set_at
                """,
            arguments: [trip, entry.purpose?.rawValue, entry.reason, entry.driver, now.milliseconds])
        return true
    }

    /// Replaces the entry of a trip by what a rule says, unless somebody has made the entry by hand.
    ///
    /// - Parameter now: The time of the change.
    /// - Returns: Whether the entry has changed.
    public static func propose(
        _ entry: Entry, ofTrip id: String, at now: Timestamp, in db: Database
    ) throws -> Bool {
        guard try self.entry(ofTrip: id, in: db) != entry else { return false }
        if entry == Entry() {
            try db.execute(
                sql: """
                    DELETE FROM trip_log
                    WHERE is_by_rule = 1 AND trip = (SELECT number FROM trip WHERE id = ? AND hidden = 0)
                    """, arguments: [id])
        } else {
            try db.execute(
                sql: """
                    INSERT INTO trip_log (trip, purpose, reason, driver, is_by_rule, set_at)
                    SELECT number, ?, ?, ?, 1, ? FROM trip WHERE id = ? AND hidden = 0
                    ON CONFLICT (trip) DO UPDATE SET purpose = excluded.purpose, reason = excluded.reason,
                        driver = excluded.driver, set_at = excluded.set_at
                    WHERE trip_log.is_by_rule = 1
                    """,
                arguments: [entry.purpose?.rawValue, entry.reason, entry.driver, now.milliseconds, id])
        }
        return db.changesCount > 0
    }
}
