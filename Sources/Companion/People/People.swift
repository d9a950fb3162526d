public import GRDB
import RPC
import Service
package import Store
import Time

/// The accounts in the store.
///
/// All functions run within the caller's transaction.
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
        let rows = try StoredRow.fetchAll(db, sql: "SELECT number, first_name, last_name FROM person")
        for row in rows {
            try db.execute(
                sql: "UPDATE person SET name_key = ? WHERE number = ?",
                arguments: [Person.nameKey(row[1], row[2]), row[0] as Int64])
        }
    }

    /// Returns the person with an id, or `nil` if there is none.
    public static func find(_ id: String, in db: Database) throws -> Person? {
        try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT \(Person.columns) FROM person WHERE id = ?"), arguments: [key(id)]
        ).map(Person.init)
    }

    /// Returns the form of an id that the table `person` stores: lower case, normalised.
    static func key(_ id: String) -> String { Identifier.normal(id.lowercased()) }

    /// Returns the person with a number, or `nil` if the account was removed.
    package static func find(number: Int64, in db: Database) throws -> Person? {
        try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT \(Person.columns) FROM person WHERE number = ?"), arguments: [number]
        ).map(Person.init)
    }

    /// Returns the person with a mail address, or `nil` if there is none.
    package static func find(email: String, in db: Database) throws -> Person? {
        try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT \(Person.columns) FROM person WHERE email = ?"),
            arguments: [email.lowercased()]
        ).map(Person.init)
    }

    /// Returns the person with an id.
    ///
    /// - Throws: `Refusal` (`.notFound`) if there is none.
    package static func get(_ id: String, in db: Database) throws -> Person {
        guard let person = try find(id, in: db) else { throw unknownPerson(id) }
        return person
    }

    static func unknownPerson(_ id: String) -> Refusal { .notFound("There is no person \(id).") }

    /// Returns the ids of the people that a device carries, in ascending order.
    package static func passengers(of device: String, in db: Database) throws -> [String] {
        try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT id FROM carried JOIN person ON number = person WHERE device = ? ORDER BY id
                    """),
            arguments: [device])
    }

    /// Creates an account.
    ///
    /// - Parameters:
    ///   - password: The hashed password, or `nil` for an account without one.
    ///   - joined: When the person began to sign up.
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

    /// The maximum number of people that one device carries: the passengers of a coach.
    package static let maximumPassengers = 100

    /// Records that a device carries a person, in addition to those that it carries already.
    ///
    /// - Throws: `Refusal` (`.conflict`) if the device would carry more than ``maximumPassengers`` people.
    package static func addPassenger(_ person: Int64, _ device: String, in db: Database) throws {
        try Devices.add(device, to: db)
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO carried (device, person) VALUES (?, ?)")
            .execute(arguments: [device, person])
        let count = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM carried WHERE device = ?"), arguments: [device])
        guard count ?? 0 <= maximumPassengers else {
            throw Refusal.conflict(
                "\(device) already carries \(maximumPassengers) people, the maximum. One of them must leave it first.")
        }
    }

    /// Removes a person and everything that belongs to them.
    ///
    /// The username is never given to anybody else.
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
