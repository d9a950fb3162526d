package import GRDB
import RPC
package import Service
import Store
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

    /// The number of followers is kept with each person, in the order in which people are suggested.
    static let countMigration = StoreMigration(
        at: 66, name: "companion.people.3",
        sql: """
            -- How many people follow a person; triggers keep it.
            ALTER TABLE person ADD COLUMN followers INTEGER NOT NULL DEFAULT 0;
            UPDATE person SET followers = (SELECT count(*) FROM follow WHERE follow.other = person.number);
            CREATE INDEX person_by_followers ON person (followers DESC, id);
            CREATE TRIGGER follow_begun AFTER INSERT ON follow BEGIN
                UPDATE person SET followers = followers + 1 WHERE number = NEW.other;
            END;
            CREATE TRIGGER follow_ended AFTER DELETE ON follow BEGIN
                UPDATE person SET followers = followers - 1 WHERE number = OLD.other;
            END;
            """)

    /// Whether a person follows another one.
    package static func contains(_ person: Int64, _ other: Int64, in db: Database) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM follow WHERE person = ? AND other = ?)")
        return try Bool.fetchOne(statement, arguments: [person, other]) ?? false
    }

    /// Makes a person follow another one, and tells the other one.
    ///
    /// Does nothing if they do already.
    ///
    /// - Throws: `Refusal` (`.invalidValue`) that names `field` if both are the same person.
    package static func add(
        _ person: Person, _ other: Person, field: String, at now: Timestamp, in db: Database,
        _ consequences: inout Consequences
    ) throws {
        guard person.number != other.number else { throw Refusal.invalid(field, "must not name yourself") }
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO follow (person, other, since) VALUES (?, ?, ?)")
            .execute(arguments: [person.number, other.number, now.milliseconds])
        guard db.changesCount > 0 else { return }
        consequences.acts.append(
            Act(.follower, by: person.number, to: other.id, of: other.subject, at: now))
    }

    /// Makes a person stop following another one, who is not told of it any more.
    package static func remove(
        _ person: Person, _ other: Person, at now: Timestamp, in db: Database, _ consequences: inout Consequences
    ) throws {
        try db.cachedStatement(sql: "DELETE FROM follow WHERE person = ? AND other = ?")
            .execute(arguments: [person.number, other.number])
        consequences.acts.append(
            Act(.follower, by: person.number, to: other.id, of: other.subject, at: now, isUndone: true))
    }

    /// Returns the number of people who follow a person.
    static func followers(of person: Int64, in db: Database) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM follow WHERE other = ?"), arguments: [person]) ?? 0
    }
}

extension NotificationDraft.Kind {
    /// The kind of notifications that somebody follows the person.
    static let follower = NotificationDraft.Kind(
        "follower",
        .init(
            one: "follows", several: "follow", "you", logText: "You have a new follower.", isTitled: false,
            leadsToPeople: true))
}
