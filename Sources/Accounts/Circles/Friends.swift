package import GRDB
import Positioning
import RPC
import Service
import Store
import TextCoding

/// Who is whose friend, and who has asked to be, within a transaction of its caller.
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

    /// How many requests of a person may wait to be answered.
    static let mostRequests = 500

    /// Whether two people are friends.
    package static func areFriends(_ one: Int64, _ other: Int64, in db: Database) throws -> Bool {
        try exists("friend", one, other, in: db)
    }

    /// Whether someone has asked another, who has not answered.
    static func hasAsked(_ person: Int64, _ other: Int64, in db: Database) throws -> Bool {
        try exists("friend_request", person, other, in: db)
    }

    /// Asks another, who is notified.
    ///
    /// - Throws: 3 where they are friends already or one has asked the other, 4 where both are the same, 5 where one
    ///   has asked too often.
    static func request(
        _ other: Person, by person: Person, at now: Timestamp, in db: Database, _ consequences: inout Consequences
    ) throws {
        guard person.number != other.number else { throw Refusal.invalid("person", "must be another than yourself") }
        guard try !areFriends(person.number, other.number, in: db) else {
            throw Refusal.conflict("\(other.name) is a friend already.")
        }
        guard try !hasAsked(person.number, other.number, in: db) else {
            throw Refusal.conflict("\(other.name) has been asked already.")
        }
        guard try !hasAsked(other.number, person.number, in: db) else {
            throw Refusal.conflict("\(other.name) has asked already; friends.confirm answers.")
        }
        let waiting = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM friend_request WHERE person = ?"), arguments: [person.number])
        guard waiting ?? 0 < mostRequests else {
            throw Refusal.unavailable("\(mostRequests) requests wait to be answered, as many as may.")
        }
        try RateLimits.count(.friendship, by: person.number, at: other.id, now: now, in: db)
        try db.cachedStatement(sql: "INSERT INTO friend_request (person, other, time) VALUES (?, ?, ?)")
            .execute(arguments: [person.number, other.number, now.milliseconds])
        var draft = NotificationDraft(
            to: other.id, .friend, at: now, key: "\(keys(ofRequestsBy: person))\(now)",
            text: "\(bold: person.name) asks to be your friend.", destination: person.subject.destination
        )
        draft.author = .init(person.number, lasting: "\(bold: person.id) asks to be your friend.")
        draft.action = (
            "Confirm",
            .call(
                method: "friends.confirm",
                parameters: String(decoding: JSONText.object { $0.member("person", person.id) }.bytes, as: UTF8.self))
        )
        consequences.notifications.append(draft)
    }

    /// What the keys of notifications of a person's requests begin with.
    private static func keys(ofRequestsBy person: Person) -> String { "friend-request/\(person.id)/" }

    /// Takes a request back, with the notification that asks to confirm it.
    ///
    /// - Throws: 1 where there is none.
    static func cancel(
        _ other: Person, by person: Person, in db: Database, _ consequences: inout Consequences
    ) throws {
        guard try removeRequest(of: person.number, to: other.number, in: db) else { throw noRequest(to: other) }
        consequences.withdrawn.append(.init(of: other.id, keys: keys(ofRequestsBy: person)))
    }

    /// Takes a request back, or away.
    ///
    /// - Returns: whether there was one.
    static func removeRequest(of person: Int64, to other: Int64, in db: Database) throws -> Bool {
        try db.cachedStatement(sql: "DELETE FROM friend_request WHERE person = ? AND other = ?")
            .execute(arguments: [person, other])
        return db.changesCount > 0
    }

    /// Makes two people friends, of whom the other has asked, and is notified.
    ///
    /// - Throws: 1 where nobody has asked.
    static func confirm(
        _ other: Person, by person: Person, at now: Timestamp, in db: Database, _ consequences: inout Consequences
    ) throws {
        guard try removeRequest(of: other.number, to: person.number, in: db) else { throw noRequest(of: other) }
        try make(person, other, at: now, key: "friend-confirmed/\(person.id)/\(now)", in: db, &consequences)
    }

    /// Makes two people friends, of whom the other is notified; those who are already stay so.
    ///
    /// - Parameter key: by which the notification is known.
    static func make(
        _ person: Person, _ other: Person, at now: Timestamp, key: String, in db: Database,
        _ consequences: inout Consequences
    ) throws {
        for pair in [(person, other), (other, person)] {
            _ = try removeRequest(of: pair.0.number, to: pair.1.number, in: db)
            try db.cachedStatement(sql: "INSERT OR IGNORE INTO friend (person, other, since) VALUES (?, ?, ?)")
                .execute(arguments: [pair.0.number, pair.1.number, now.milliseconds])
        }
        var draft = NotificationDraft(
            to: other.id, .friend, at: now, key: key,
            text: "\(bold: person.name) is your friend now.", destination: person.subject.destination)
        draft.author = .init(person.number, lasting: "\(bold: person.id) is your friend now.")
        consequences.notifications.append(draft)
    }

    /// Ends a friendship.
    ///
    /// - Returns: whether there was one.
    package static func remove(_ one: Int64, _ other: Int64, in db: Database) throws -> Bool {
        try db.cachedStatement(
            sql: "DELETE FROM friend WHERE (person = ?1 AND other = ?2) OR (person = ?2 AND other = ?1)"
        )
        .execute(arguments: [one, other])
        return db.changesCount > 0
    }

    static func noRequest(of person: Person) -> Refusal {
        Refusal.notFound("There is no request of \(person.id); friends.requests lists them.")
    }

    static func noRequest(to person: Person) -> Refusal {
        Refusal.notFound("There is no request to \(person.id); friends.requests lists them.")
    }

    private static func exists(_ table: String, _ person: Int64, _ other: Int64, in db: Database) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM \(table) WHERE person = ? AND other = ?)")
        return try Bool.fetchOne(statement, arguments: [person, other]) ?? false
    }
}
