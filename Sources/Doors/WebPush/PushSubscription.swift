import Foundation
import GRDB
import Service
import Store
import Time
import WebClient

/// A browser in which a person is notified.
struct PushSubscription: Sendable {
    let number: Int64
    /// The session in which the person asked for it.
    let session: String
    /// The address at the browser's push service, which nobody else knows.
    let endpoint: String
    let keys: BrowserKeys
    let made: Timestamp
    /// The name of the browser, such as Firefox; `nil` if it is unknown.
    let program: String?
    /// The name of its system, such as Android; `nil` if it is unknown.
    let system: String?

    /// The server of the push service.
    var service: String { (try? WebURL(endpoint))?.host ?? "" }

    /// The most browsers of one person.
    static let maximumCount = 16
    /// The longest address, in bytes: browsers' addresses have some 200.
    static let longestEndpoint = 1_000
    /// The longest time since a session was used after which its browser is no longer told, in milliseconds: half a
    /// year, after which the session is no longer valid.
    private static let longestUnused: Int64 = 183 * 24 * 3_600_000

    private static let columns = """
        push_subscription.number, push_subscription.session, push_subscription.endpoint, push_subscription.key,
        push_subscription.secret, push_subscription.made, session.program, session.system
        """

    /// Reads ``columns``; `nil` if the keys are damaged.
    private init?(_ row: NamedRow) {
        let (key, secret): (Data, Data) = (row["key"], row["secret"])
        guard let keys = BrowserKeys(key: Array(key), secret: Array(secret)) else { return nil }
        self.keys = keys
        number = row["number"]
        session = String(row["session"] as Int64)
        endpoint = row["endpoint"]
        made = Timestamp(milliseconds: row["made"])
        program = row["program"]
        system = row["system"]
    }

    /// Returns the browsers of a person, in the order in which they were added.
    ///
    /// - Complexity: O(log *n* + *k*) for *k* browsers of the person and *n* of all people.
    static func all(of person: String, at now: Timestamp, in db: Database) throws -> [PushSubscription] {
        try NamedRow.soundList(
            db.cachedStatement(
                sql: """
                    SELECT \(columns) FROM push_subscription
                    JOIN person ON person.number = push_subscription.person
                    JOIN session ON session.number = push_subscription.session
                    WHERE person.id = ? AND session.used > ? ORDER BY push_subscription.number
                    """), arguments: [person, now.milliseconds - longestUnused]
        ) { PushSubscription($0) }.compactMap(\.self)
    }

    /// What a browser says of itself when a person wants to be notified in it.
    struct Draft: Sendable {
        var endpoint: String
        var key: [UInt8]
        var secret: [UInt8]
    }

    /// Stores a browser in place of what its session had before.
    ///
    /// Who signs in where somebody else was notified takes the browser over, which proves itself by its secret.
    ///
    /// - Returns: Whether it was stored: not if another browser has the address, or if there is no such session.
    static func add(
        _ draft: Draft, of person: String, in session: Int64, at now: Timestamp, in db: Database
    ) throws -> Bool {
        try db.cachedStatement(
            sql: "DELETE FROM push_subscription WHERE session = ? OR (endpoint = ? AND key = ? AND secret = ?)"
        ).execute(arguments: [session, draft.endpoint, Data(draft.key), Data(draft.secret)])
        try db.cachedStatement(
            sql: """
                INSERT INTO push_subscription (person, session, endpoint, key, secret, made)
                SELECT session.person, session.number, ?, ?, ?, ? FROM session
                JOIN person ON person.number = session.person WHERE session.number = ? AND person.id = ?
                ON CONFLICT DO NOTHING
                """
        ).execute(arguments: [
            draft.endpoint, Data(draft.key), Data(draft.secret), now.milliseconds, session, person,
        ])
        return db.changesCount > 0
    }

    /// Removes a browser of a person.
    ///
    /// - Returns: Whether there was one.
    static func remove(_ number: Int64, of person: String, in db: Database) throws -> Bool {
        try db.cachedStatement(
            sql: """
                DELETE FROM push_subscription
                WHERE number = ? AND person = (SELECT person.number FROM person WHERE person.id = ?)
                """
        ).execute(arguments: [number, person])
        return db.changesCount > 0
    }

    /// Removes a browser whose push service no longer knows it.
    func remove(in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM push_subscription WHERE number = ? AND endpoint = ?")
            .execute(arguments: [number, endpoint])
    }
}
