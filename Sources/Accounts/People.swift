public import GRDB
import Positioning
import RPC
import Service
package import Store

/// The accounts in the store, within a transaction of its caller.
public enum People {
    package static let migration = StoreMigration(at: 11, name: "companion.people.1", sql: schema)

    private static let schema = """
        -- Accounts whose mail address is proven. The id is the username, in small letters, as is the address; times are
        -- in milliseconds since 1970. The password is kept as scrypt has made it; NULL where there is none.
        CREATE TABLE person (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE COLLATE NOCASE CHECK (id <> ''),
            first_name TEXT NOT NULL,
            last_name TEXT NOT NULL,
            email TEXT NOT NULL UNIQUE COLLATE NOCASE,
            joined INTEGER NOT NULL,
            proven INTEGER NOT NULL,
            password TEXT,
            phone TEXT,
            gender TEXT,
            born TEXT,
            website TEXT
        ) STRICT;

        -- Usernames of people who have gone: what is said of them must not become another's.
        CREATE TABLE former_person (
            id TEXT PRIMARY KEY COLLATE NOCASE
        ) STRICT, WITHOUT ROWID;

        -- Which people a device carries.
        CREATE TABLE carried (
            device TEXT NOT NULL,
            person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            PRIMARY KEY (device, person)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX carried_by_person ON carried (person);

        \(SignUps.schema)

        \(Sessions.schema)

        \(RateLimits.schema)

        \(Friends.schema)

        \(Follows.schema)
        """

    static let nameMigration = StoreMigration(at: 31, name: "companion.people.2") { db in
        try db.execute(
            sql: """
                -- What people are sorted by: their names without case, as Person.nameKey has them.
                ALTER TABLE person ADD COLUMN name_key TEXT NOT NULL DEFAULT '';
                CREATE INDEX person_by_name ON person (name_key, id);
                """)
        let rows = try Row.fetchAll(db, sql: "SELECT number, first_name, last_name FROM person")
        for row in rows {
            try db.execute(
                sql: "UPDATE person SET name_key = ? WHERE number = ?",
                arguments: [Person.nameKey(row["first_name"], row["last_name"]), row["number"] as Int64])
        }
    }

    /// The person of an id; nil where there is none.
    public static func find(_ id: String, in db: Database) throws -> Person? {
        try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT \(Person.columns) FROM person WHERE id = ?"), arguments: [key(id)]
        ).map(Person.init)
    }

    /// How an id that is given stands in the table `person`.
    static func key(_ id: String) -> String { Identifier.normal(id.lowercased()) }

    /// The person of a number; nil where they are gone.
    package static func find(number: Int64, in db: Database) throws -> Person? {
        try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT \(Person.columns) FROM person WHERE number = ?"), arguments: [number]
        ).map(Person.init)
    }

    /// The person of a mail address; nil where there is none.
    package static func find(email: String, in db: Database) throws -> Person? {
        try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT \(Person.columns) FROM person WHERE email = ?"),
            arguments: [email.lowercased()]
        ).map(Person.init)
    }

    /// The person of an id.
    ///
    /// - Throws: 1 where there is none.
    package static func get(_ id: String, in db: Database) throws -> Person {
        guard let person = try find(id, in: db) else { throw nobody(id) }
        return person
    }

    static func nobody(_ id: String) -> Refusal { .notFound("There is nobody called \(id).") }

    /// Those whom a device carries, by id.
    package static func carried(by device: String, in db: Database) throws -> [String] {
        try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT id FROM carried JOIN person ON number = person WHERE device = ? ORDER BY id
                    """),
            arguments: [device])
    }

    /// Makes an account.
    ///
    /// - Parameters:
    ///   - password: what is kept of the password; nil for none.
    ///   - joined: when they began to sign up.
    static func add(
        _ id: String, firstName: String, lastName: String, email: String, password: String?, joined: Timestamp,
        at now: Timestamp, in db: Database
    ) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO person (id, first_name, last_name, name_key, email, joined, proven, password)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            id, firstName, lastName, Person.nameKey(firstName, lastName), email, joined.milliseconds, now.milliseconds,
            password,
        ])
    }

    /// The most people that one device carries: a coach.
    package static let mostCarried = 100

    /// Has a device carry a person too.
    ///
    /// - Throws: 3 where it carries as many as may be.
    static func board(_ person: Int64, _ device: String, in db: Database) throws {
        try Devices.add(device, to: db)
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO carried (device, person) VALUES (?, ?)")
            .execute(arguments: [device, person])
        let count = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM carried WHERE device = ?"), arguments: [device])
        guard count ?? 0 <= mostCarried else {
            throw Refusal.conflict("\(device) carries \(mostCarried) people already; one must leave it first.")
        }
    }

    /// Removes a person with all that is theirs; the username stays taken.
    package static func remove(_ person: Person, in db: Database) throws {
        try Subjects.remove(person.subject, in: db)
        try db.cachedStatement(sql: "DELETE FROM photo WHERE person = ?").execute(arguments: [person.number])
        try Outbox.forget(person, in: db)
        try RateLimits.forget(person.number, id: person.id, email: person.email, in: db)
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO former_person (id) VALUES (?)").execute(arguments: [
            person.id
        ])
        try db.cachedStatement(sql: "DELETE FROM person WHERE number = ?").execute(arguments: [person.number])
    }
}
