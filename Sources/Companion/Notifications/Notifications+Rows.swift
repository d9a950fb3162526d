import GRDB
import RPC
import Service
import Store
import Time

extension Notifications {
    /// Returns the notification of a person with an id, or `nil` if there is none.
    static func find(_ id: String, of person: Int64, in db: Database) throws -> Notification? {
        guard let number = Int64(id) else { return nil }
        let statement = try db.cachedStatement(
            sql: "SELECT \(Notification.columns) FROM notification WHERE number = ? AND person = ?")
        return try NamedRow.fetchOne(statement, arguments: [number, person]).map(Notification.init)
    }

    /// Calls `body` with each of a person's notifications, newest first, until it returns `false`.
    ///
    /// - Complexity: O(log *n* + *k*) for *k* rows that are read, and *n* notifications of all people.
    static func forEach(
        of person: Int64, state: Notification.State?, kind: String?, before number: Int64?,
        limit: Int, in db: Database, _ body: (Notification) throws -> Bool
    ) throws {
        var conditions = "person = :person"
        var arguments: [String: any DatabaseValueConvertible] = ["person": person, "limit": StoreDamage.widened(limit)]
        if let state {
            conditions += " AND state = :state"
            arguments["state"] = state.rawValue
        }
        if let kind {
            conditions += " AND kind = :kind"
            arguments["kind"] = kind
        }
        if let number {
            conditions += " AND number < :number"
            arguments["number"] = number
        }
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(Notification.columns) FROM notification WHERE \(conditions) ORDER BY number DESC LIMIT :limit
                """)
        let rows = try NamedRow.soundRows(statement, arguments: StatementArguments(arguments))
        while let row = try rows.next() {
            guard try body(Notification(row)) else { break }
        }
    }

    /// Returns the number of a person's new notifications.
    static func badge(of person: Int64, in db: Database) throws -> Int {
        let statement = try db.cachedStatement(
            sql: "SELECT count(*) FROM notification WHERE person = ? AND state = 'new'")
        return try Int.fetchOne(statement, arguments: [person]) ?? 0
    }

    /// Marks the new ones among some notifications as shown.
    static func markShown(_ numbers: [Int64], in db: Database) throws {
        let statement = try db.cachedStatement(
            sql: "UPDATE notification SET state = 'unread' WHERE number = ? AND state = 'new'")
        for number in numbers { try statement.execute(arguments: [number]) }
    }

    /// Marks a notification as read.
    static func markRead(_ number: Int64, in db: Database) throws {
        try db.cachedStatement(sql: "UPDATE notification SET state = 'read' WHERE number = ? AND state <> 'read'")
            .execute(arguments: [number])
    }

    /// Marks notifications of a person as read, up to one with a number.
    ///
    /// - Parameter limit: The maximum number of notifications to mark.
    /// - Returns: The number of notifications that were not read before; less than `limit` if all are read now.
    /// - Complexity: O(*k* log *n*) for *k* marked ones, and *n* notifications of all people.
    static func markRead(of person: Int64, upTo last: Int64, limit: Int, in db: Database) throws -> Int {
        var count = 0
        for state in [Notification.State.new, .unread] where count < limit {
            try db.cachedStatement(
                sql: """
                    UPDATE notification SET state = 'read' WHERE notification.number IN (
                        SELECT own.number FROM notification AS own
                        WHERE own.person = ? AND own.state = ? AND own.number <= ? ORDER BY own.number LIMIT ?)
                    """
            ).execute(arguments: [person, state.rawValue, last, limit - count])
            count += db.changesCount
        }
        return count
    }

    /// Returns the number of the last notification of a person; 0 if there is none.
    static func last(of person: Int64, in db: Database) throws -> Int64 {
        try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT max(notification.number) FROM notification WHERE notification.person = ?"),
            arguments: [person]) ?? 0
    }

    /// Sets when the button of a notification was pressed.
    ///
    /// `nil` means that it was not pressed.
    static func setDone(_ time: Timestamp?, _ number: Int64, in db: Database) throws {
        try db.cachedStatement(sql: "UPDATE notification SET done = ? WHERE number = ?")
            .execute(arguments: [time?.milliseconds, number])
    }

    /// Deletes a notification.
    static func remove(_ number: Int64, in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM notification WHERE number = ?").execute(arguments: [number])
    }
}
