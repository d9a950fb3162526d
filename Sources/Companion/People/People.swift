public import GRDB
import RPC
import Store

/// The accounts in the store, within a transaction of its caller.
public enum People {
    static let migration = StoreMigration(name: "companion.people.1", sql: schema)

    private static let schema = """
        -- Accounts. The id is the username; times are in milliseconds since 1970; proven is when the mail address was,
        -- NULL before it is.
        CREATE TABLE person (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE COLLATE NOCASE CHECK (id <> ''),
            first_name TEXT NOT NULL,
            last_name TEXT NOT NULL,
            email TEXT NOT NULL UNIQUE COLLATE NOCASE,
            joined INTEGER NOT NULL,
            proven INTEGER,
            password TEXT,
            phone TEXT,
            gender TEXT,
            born TEXT,
            website TEXT
        ) STRICT;

        -- Friends, each pair in both directions.
        CREATE TABLE friend (
            person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            other INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            since INTEGER NOT NULL,
            PRIMARY KEY (person, other),
            CHECK (person <> other)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX friend_by_other ON friend (other);

        -- Who follows whom.
        CREATE TABLE follow (
            person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            other INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            since INTEGER NOT NULL,
            PRIMARY KEY (person, other),
            CHECK (person <> other)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX follow_by_other ON follow (other);

        -- Which people a device carries.
        CREATE TABLE carried (
            device TEXT NOT NULL,
            person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            PRIMARY KEY (device, person)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX carried_by_person ON carried (person);
        """

    /// The person of an id; nil where there is none.
    public static func find(_ id: String, in db: Database) throws -> Person? {
        try Row.fetchOne(
            db.cachedStatement(sql: "SELECT \(Person.columns) FROM person WHERE id = ?"), arguments: [id]
        ).map(Person.init)
    }

    /// The person of an id, whose mail address is proven.
    ///
    /// - Throws: 1 where there is none.
    static func get(_ id: String, in db: Database) throws -> Person {
        guard let person = try find(id, in: db), person.isProven else {
            throw RPCError.notFound("There is nobody called \(id).")
        }
        return person
    }

    /// Whether two people are friends.
    static func areFriends(_ one: Int64, _ other: Int64, in db: Database) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM friend WHERE person = ? AND other = ?)")
        return try Bool.fetchOne(statement, arguments: [one, other]) ?? false
    }

    /// Whether someone follows another.
    static func follows(_ person: Int64, _ other: Int64, in db: Database) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM follow WHERE person = ? AND other = ?)")
        return try Bool.fetchOne(statement, arguments: [person, other]) ?? false
    }

    /// Those whom a device carries, by id.
    static func carried(by device: String, in db: Database) throws -> [String] {
        try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT id FROM carried JOIN person ON number = person WHERE device = ? AND proven IS NOT NULL
                    ORDER BY id
                    """),
            arguments: [device])
    }
}
