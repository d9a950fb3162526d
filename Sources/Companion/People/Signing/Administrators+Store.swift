import Callers
package import GRDB
import Service
import Store

extension Administrators {
    static let migration = StoreMigration(
        at: 43, name: "companion.administrators.1",
        sql: """
            -- People who may do in a browser what an administrator of the machine may; times are in milliseconds since 1970.
            CREATE TABLE administrator (
                person INTEGER PRIMARY KEY REFERENCES person (number) ON DELETE CASCADE,
                since INTEGER NOT NULL
            ) STRICT;
            """)

    /// Returns whether a person is an administrator, as the store says.
    package static func includes(_ person: String, in db: Database) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT EXISTS (
                        SELECT 1 FROM administrator JOIN person ON person.number = administrator.person
                        WHERE person.id = ?)
                    """), arguments: [person]) ?? false
    }

    /// Reads the administrators from the store.
    func load(from store: LocationDatabase) throws {
        let ids = try store.read { db in
            try String.fetchSet(
                db, sql: "SELECT id FROM administrator JOIN person ON person.number = administrator.person")
        }
        set(ids)
    }
}

extension People {
    /// Returns the ids of the people who are administrators.
    package static func administrators(in db: Database) throws -> [String] {
        try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT person.id FROM administrator JOIN person ON person.number = administrator.person
                    ORDER BY person.id
                    """))
    }
}
