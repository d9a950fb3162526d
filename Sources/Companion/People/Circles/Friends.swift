package import GRDB
import RPC
import Service
import Store
import TextCoding
import Time

/// The store of friendships and friend requests.
///
/// All functions run within the caller's transaction.
package enum Friends {
    package static let schema = """
        -- Friends, each pair in both directions.
        CREATE TABLE friend (
            person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            other INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            since INTEGER NOT NULL,
            PRIMARY KEY (person, other),
            CHECK (person <> other)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX friend_by_other ON friend (other);

        -- Who has asked whom to be their friend; of two, one at most.
        CREATE TABLE friend_request (
            person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            other INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            time INTEGER NOT NULL,
            PRIMARY KEY (person, other),
            CHECK (person <> other)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX friend_request_by_other ON friend_request (other);
        """

    /// The maximum number of unanswered requests of one person.
    static let maximumRequests = 500

    /// Whether two people are friends.
    package static func areFriends(_ one: Int64, _ other: Int64, in db: Database) throws -> Bool {
        try exists("friend", one, other, in: db)
    }

    /// Whether a person has sent another one a request that is not answered yet.
    static func hasAsked(_ person: Int64, _ other: Int64, in db: Database) throws -> Bool {
        try exists("friend_request", person, other, in: db)
    }

    /// Sends a friend request, and notifies the other person.
    ///
    /// - Throws: `Refusal` (`.conflict`) if they are friends or one has already asked the other, `.invalidValue` if
    ///   both are the same person, and `.unavailable` if the person has sent too many requests.
    static func request(
        _ other: Person, by person: Person, at now: Timestamp, in db: Database, _ consequences: inout Consequences
    ) throws {
        guard person.number != other.number else { throw Refusal.invalid("person", "must not name yourself") }
        guard try !areFriends(person.number, other.number, in: db) else {
            throw Refusal.conflict("\(other.name) is already your friend.")
        }
        guard try !hasAsked(person.number, other.number, in: db) else {
            throw Refusal.conflict("You have already sent \(other.name) a friend request.")
        }
        guard try !hasAsked(other.number, person.number, in: db) else {
            throw Refusal.conflict(
                "\(other.name) has already sent you a friend request. Call friends.confirm to accept it.")
        }
        let waiting = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM friend_request WHERE person = ?"), arguments: [person.number])
        guard waiting ?? 0 < maximumRequests else {
            throw Refusal.unavailable(
                "You have \(maximumRequests) unanswered friend requests, the maximum. Call friends.cancel to withdraw one."
            )
        }
        try RateLimits.count(.friendship, by: person.number, at: other.id, now: now, in: db)
        try db.cachedStatement(sql: "INSERT INTO friend_request (person, other, time) VALUES (?, ?, ?)")
            .execute(arguments: [person.number, other.number, now.milliseconds])
        var draft = NotificationDraft(
            to: other.id, .friend, at: now, key: "\(keys(ofRequestsBy: person))\(now)",
            text: "\(bold: person.name) asks to be your friend.", destination: person.subject.destination
        )
        draft.author = .init(person.number, logText: "\(bold: person.id) asks to be your friend.")
        draft.action = (
            "Confirm",
            .call(
                method: "friends.confirm",
                parameters: String(decoding: JSONText.object { $0.member("person", person.id) }.bytes, as: UTF8.self))
        )
        consequences.notifications.append(draft)
    }

    /// Returns the prefix of the keys of the notifications about a person's requests.
    private static func keys(ofRequestsBy person: Person) -> String { "friend-request/\(person.id)/" }

    /// Withdraws a request and the notification that asks to confirm it.
    ///
    /// - Throws: `Refusal` (`.notFound`) if there is no such request.
    static func cancel(
        _ other: Person, by person: Person, in db: Database, _ consequences: inout Consequences
    ) throws {
        guard try removeRequest(of: person.number, to: other.number, in: db) else { throw noRequest(to: other) }
        consequences.withdrawn.append(.init(of: other.id, keys: keys(ofRequestsBy: person)))
    }

    /// Declines the other person's request, and withdraws the notification that asks to confirm it.
    ///
    /// - Throws: `Refusal` (`.notFound`) if the other person has not asked.
    static func decline(
        _ other: Person, by person: Person, in db: Database, _ consequences: inout Consequences
    ) throws {
        guard try removeRequest(of: other.number, to: person.number, in: db) else { throw noRequest(of: other) }
        consequences.withdrawn.append(.init(of: person.id, keys: keys(ofRequestsBy: other)))
    }

    /// Deletes a request, which was withdrawn, declined or confirmed.
    ///
    /// - Returns: Whether there was one.
    private static func removeRequest(of person: Int64, to other: Int64, in db: Database) throws -> Bool {
        try db.cachedStatement(sql: "DELETE FROM friend_request WHERE person = ? AND other = ?")
            .execute(arguments: [person, other])
        return db.changesCount > 0
    }

    /// Confirms the other person's request: makes the two friends, and notifies the other person.
    ///
    /// - Throws: `Refusal` (`.notFound`) if the other person has not asked.
    static func confirm(
        _ other: Person, by person: Person, at now: Timestamp, in db: Database, _ consequences: inout Consequences
    ) throws {
        guard try removeRequest(of: other.number, to: person.number, in: db) else { throw noRequest(of: other) }
        try make(person, other, at: now, key: "friend-confirmed/\(person.id)/\(now)", in: db, &consequences)
    }

    /// Makes two people friends, and notifies the other person.
    ///
    /// Existing friends stay friends.
    ///
    /// - Parameter key: The key that identifies the notification.
    static func make(
        _ person: Person, _ other: Person, at now: Timestamp, key: String, in db: Database,
        _ consequences: inout Consequences
    ) throws {
        for pair in [(person, other), (other, person)] {
            _ = try removeRequest(of: pair.0.number, to: pair.1.number, in: db)
            consequences.withdrawn.append(.init(of: pair.1.id, keys: keys(ofRequestsBy: pair.0)))
            try db.cachedStatement(sql: "INSERT OR IGNORE INTO friend (person, other, since) VALUES (?, ?, ?)")
                .execute(arguments: [pair.0.number, pair.1.number, now.milliseconds])
        }
        var draft = NotificationDraft(
            to: other.id, .friend, at: now, key: key,
            text: "\(bold: person.name) is your friend now.", destination: person.subject.destination)
        draft.author = .init(person.number, logText: "\(bold: person.id) is your friend now.")
        consequences.notifications.append(draft)
    }

    /// Ends a friendship.
    ///
    /// - Returns: Whether there was one.
    package static func remove(_ one: Int64, _ other: Int64, in db: Database) throws -> Bool {
        try db.cachedStatement(
            sql: "DELETE FROM friend WHERE (person = ?1 AND other = ?2) OR (person = ?2 AND other = ?1)"
        )
        .execute(arguments: [one, other])
        return db.changesCount > 0
    }

    static func noRequest(of person: Person) -> Refusal {
        Refusal.notFound("There is no friend request from \(person.id). friends.requests lists the requests.")
    }

    static func noRequest(to person: Person) -> Refusal {
        Refusal.notFound("There is no friend request to \(person.id). friends.requests lists the requests.")
    }

    private static func exists(_ table: String, _ person: Int64, _ other: Int64, in db: Database) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM \(table) WHERE person = ? AND other = ?)")
        return try Bool.fetchOne(statement, arguments: [person, other]) ?? false
    }
}
