import GRDB
import Positioning
import RPC
import Service

extension Notifications {
    /// A person's notification; nil where they have none of that id.
    static func find(_ id: String, of person: Int64, in db: Database) throws -> Notification? {
        guard let number = Int64(id) else { return nil }
        let statement = try db.cachedStatement(
            sql: "SELECT \(Notification.columns) FROM notification WHERE number = ? AND person = ?")
        return try NamedRow.fetchOne(statement, arguments: [number, person]).map(Notification.init)
    }

    /// Calls `body` with each of a person's notifications, newest first, as long as it returns true.
    ///
    /// - Complexity: O(log *n* + *k*) for *k* rows looked at among *n* of everybody's.
    static func forEach(
        of person: Int64, state: Notification.State?, kind: String?, before number: Int64?,
        limit: Int, in db: Database, _ body: (Notification) -> Bool
    ) throws {
        var conditions = "person = :person"
        var arguments: [String: any DatabaseValueConvertible] = ["person": person, "limit": limit]
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
        let rows = try NamedRow.fetchCursor(statement, arguments: StatementArguments(arguments))
        while let row = try rows.next() {
            guard body(Notification(row)) else { break }
        }
    }

    /// How many of a person's are new.
    static func badge(of person: Int64, in db: Database) throws -> Int {
        let statement = try db.cachedStatement(
            sql: "SELECT count(*) FROM notification WHERE person = ? AND state = 'new'")
        return try Int.fetchOne(statement, arguments: [person]) ?? 0
    }

    /// Those of some that are new were shown now.
    static func markShown(_ numbers: [Int64], in db: Database) throws {
        let statement = try db.cachedStatement(
            sql: "UPDATE notification SET state = 'unread' WHERE number = ? AND state = 'new'")
        for number in numbers { try statement.execute(arguments: [number]) }
    }

    /// One was opened.
    static func markRead(_ number: Int64, in db: Database) throws {
        try db.cachedStatement(sql: "UPDATE notification SET state = 'read' WHERE number = ? AND state <> 'read'")
            .execute(arguments: [number])
    }

    /// All of a person's are read.
    ///
    /// - Returns: how many were not.
    static func markAllRead(of person: Int64, in db: Database) throws -> Int {
        // Each of the two by its index.
        try db.cachedStatement(
            sql: "UPDATE notification SET state = 'read' WHERE person = ? AND state IN ('new', 'unread')"
        ).execute(arguments: [person])
        return db.changesCount
    }

    /// Its button was pressed at a time, or with nil was not after all.
    static func setDone(_ time: Timestamp?, _ number: Int64, in db: Database) throws {
        try db.cachedStatement(sql: "UPDATE notification SET done = ? WHERE number = ?")
            .execute(arguments: [time?.milliseconds, number])
    }

    /// Forgets one.
    static func remove(_ number: Int64, in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM notification WHERE number = ?").execute(arguments: [number])
    }
}
