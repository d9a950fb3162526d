package import GRDB
package import Positioning
import RPC
import Service
import TextCoding

/// Who follows whom, within a transaction of its caller.
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

    /// Whether someone follows another.
    package static func contains(_ person: Int64, _ other: Int64, in db: Database) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM follow WHERE person = ? AND other = ?)")
        return try Bool.fetchOne(statement, arguments: [person, other]) ?? false
    }

    /// Has someone follow another, whom they may follow already.
    ///
    /// - Throws: 4 naming `field` where both are the same.
    package static func add(
        _ person: Person, _ other: Person, field: String, at now: Timestamp, in db: Database
    ) throws {
        guard person.number != other.number else { throw Refusal.invalid(field, "must be others than yourself") }
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO follow (person, other, since) VALUES (?, ?, ?)")
            .execute(arguments: [person.number, other.number, now.milliseconds])
    }

    /// Has someone follow another no longer.
    package static func remove(_ person: Int64, _ other: Int64, in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM follow WHERE person = ? AND other = ?")
            .execute(arguments: [person, other])
    }

    /// How many people follow someone.
    static func followers(of person: Int64, in db: Database) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM follow WHERE other = ?"), arguments: [person]) ?? 0
    }

    /// People whom someone might want to follow: neither themselves nor whom they follow; first those who are friends of
    /// their friends, by how many, then those whom many follow.
    ///
    /// - Parameter others: the ids of those who were suggested already.
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
        return try NamedRow.list(statement, arguments: ["me": person, "others": list, "limit": limit]) {
            PersonRow($0)
        }
    }
}
