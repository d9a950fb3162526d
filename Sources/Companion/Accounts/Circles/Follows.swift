package import GRDB
import RPC
import Service
import Store
import TextCoding
package import Time

/// The store of who follows whom.
///
/// All functions run within the caller's transaction.
package enum Follows {
    package static let schema = """
        -- Who follows whom.
        CREATE TABLE follow (
            person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            other INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            since INTEGER NOT NULL,
            PRIMARY KEY (person, other),
            CHECK (person <> other)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX follow_by_other ON follow (other);
        """

    /// Whether a person follows another one.
    package static func contains(_ person: Int64, _ other: Int64, in db: Database) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM follow WHERE person = ? AND other = ?)")
        return try Bool.fetchOne(statement, arguments: [person, other]) ?? false
    }

    /// Makes a person follow another one.
    ///
    /// Does nothing if they do already.
    ///
    /// - Throws: `Refusal` (`.invalidValue`) that names `field` if both are the same person.
    package static func add(
        _ person: Person, _ other: Person, field: String, at now: Timestamp, in db: Database
    ) throws {
        guard person.number != other.number else { throw Refusal.invalid(field, "must not name yourself") }
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO follow (person, other, since) VALUES (?, ?, ?)")
            .execute(arguments: [person.number, other.number, now.milliseconds])
    }

    /// Makes a person stop following another one.
    package static func remove(_ person: Int64, _ other: Int64, in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM follow WHERE person = ? AND other = ?")
            .execute(arguments: [person, other])
    }

    /// Returns the number of people who follow a person.
    static func followers(of person: Int64, in db: Database) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM follow WHERE other = ?"), arguments: [person]) ?? 0
    }

    /// Returns people whom a person might want to follow.
    ///
    /// The person and everybody the person already follows are omitted. Friends of friends come first, by the number of
    /// shared friends, then the people with the most followers.
    ///
    /// - Parameter others: The ids of people to leave out because they were suggested before.
    /// - Complexity: O(*n* (*f* + log *n*)) for *n* people and *f* friends of friends.
    static func suggested(
        to person: Int64, not others: [String], limit: Int, in db: Database
    ) throws -> [PersonRow] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(PersonRow.columns()) FROM (
                    SELECT number,
                        (SELECT count(*) FROM friend AS mine JOIN friend AS theirs ON theirs.person = mine.other
                            WHERE mine.person = :me AND theirs.other = person.number) AS shared,
                        (SELECT count(*) FROM follow WHERE other = person.number) AS followers
                    FROM person
                    WHERE number <> :me
                        AND NOT EXISTS (SELECT 1 FROM follow WHERE person = :me AND other = person.number)
                        AND id NOT IN (SELECT value FROM json_each(:others))
                    ORDER BY shared DESC, followers DESC, id LIMIT :limit
                ) AS listed CROSS JOIN person ON person.number = listed.number
                ORDER BY shared DESC, followers DESC, person.id
                """)
        let list = String(
            decoding: JSONText { json in
                json.array { json in for other in others { json.string(other.lowercased()) } }
            }.bytes, as: UTF8.self)
        return try NamedRow.soundList(
            statement, arguments: ["me": person, "others": list, "limit": StoreDamage.widened(limit)]
        ) {
            PersonRow($0)
        }
    }
}
