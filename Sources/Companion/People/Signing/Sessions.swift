import Foundation
import GRDB
import Glibc
import RPC
import Service
import Store
import Time

/// The ways to identify a person without a password: session tokens, mailed codes and linked users of the machine.
///
/// All functions run within the caller's transaction.
enum Sessions {
    static let schema = """
        -- Sessions. The token is the SHA-256 of what its owner has.
        CREATE TABLE session (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            token BLOB NOT NULL UNIQUE CHECK (length(token) = 32),
            person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            made INTEGER NOT NULL,
            used INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX session_by_person ON session (person, used);

        -- Codes that were mailed to sign in with; each holds for the user of the machine that has asked for it.
        CREATE TABLE sign_in_code (
            person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            caller INTEGER NOT NULL,
            \(MailedCode.declarations),
            PRIMARY KEY (person, caller)
        ) STRICT, WITHOUT ROWID;

        -- Addresses that people want to have instead of theirs, and have not proven.
        CREATE TABLE new_email (
            person INTEGER PRIMARY KEY REFERENCES person (number) ON DELETE CASCADE,
            email TEXT NOT NULL,
            \(MailedCode.declarations)
        ) STRICT;

        -- Which users of the machine act as whom.
        CREATE TABLE person_user (
            user INTEGER PRIMARY KEY,
            person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            since INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX person_user_by_person ON person_user (person);
        """

    static let nameMigration = StoreMigration(
        at: 70, name: "companion.people.4",
        sql: """
            -- The browser that opened a session, and its system, from a list of known ones.
            ALTER TABLE session ADD COLUMN program TEXT;
            ALTER TABLE session ADD COLUMN system TEXT;
            """)

    /// How long an unused session stays valid, in milliseconds: half a year.
    ///
    /// Expired sessions stay in the store because the clock may be wrong.
    static let lifetime: Int64 = 183 * 24 * 3_600_000
    /// The maximum number of sessions of one person.
    ///
    /// Beyond that, the least recently used ones are deleted.
    static let maximumCount = 50

    /// Opens a session.
    ///
    /// - Returns: The session's number and token.
    static func open(
        for person: Int64, in browser: BrowserName, at now: Timestamp, in db: Database
    ) throws -> (number: Int64, token: String) {
        try db.cachedStatement(
            sql: """
                DELETE FROM session WHERE number IN (
                    SELECT number FROM session WHERE person = ? ORDER BY used DESC, number DESC LIMIT -1 OFFSET ?)
                """
        ).execute(arguments: [person, maximumCount - 1])
        let token = Secret.token()
        try db.cachedStatement(
            sql: "INSERT INTO session (token, person, made, used, program, system) VALUES (?, ?, ?, ?, ?, ?)"
        ).execute(arguments: [
            Secret.digest(token), person, now.milliseconds, now.milliseconds, browser.program, browser.system,
        ])
        return (db.lastInsertedRowID, token)
    }

    /// How much later than its last noted use a session must be used for the use to be noted, in milliseconds.
    ///
    /// Resuming a session therefore writes little.
    static let noteInterval: Int64 = 3_600_000

    /// Returns the session with a token.
    ///
    /// - Returns: The session's number and person, and the last noted time of its use; `nil` if there is no such session
    ///   or it has expired.
    static func find(
        _ token: String, at now: Timestamp, in db: Database
    ) throws -> (number: Int64, person: Person, used: Timestamp)? {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT \(Person.columns), session.number AS session, session.used AS used
                    FROM session JOIN person ON person.number = session.person
                    WHERE token = ? AND used > ?
                    """),
            arguments: [Secret.digest(token), now.milliseconds - lifetime])
        guard let row else { return nil }
        return (row["session"], Person(row), Timestamp(milliseconds: row["used"]))
    }

    /// Notes that a session is used, which keeps it from expiring.
    static func noteUse(of number: Int64, at now: Timestamp, in db: Database) throws {
        try db.cachedStatement(sql: "UPDATE session SET used = max(used, ?) WHERE number = ?")
            .execute(arguments: [now.milliseconds, number])
    }

    /// Ends sessions of a person: all by default, only one, or all except one.
    ///
    /// - Returns: The numbers of the sessions that were ended.
    static func end(
        of person: Int64, only: Int64? = nil, except: Int64? = nil, in db: Database
    ) throws -> Set<String> {
        let numbers = try Int64.fetchAll(
            db.cachedStatement(
                sql: """
                    DELETE FROM session WHERE person = ?1 AND (?2 IS NULL OR number = ?2) AND (?3 IS NULL OR number <> ?3)
                    RETURNING number
                    """),
            arguments: [person, only, except])
        return Set(numbers.map { String($0) })
    }

    /// Returns the ids of the people that users of the machine act as.
    static func users(in db: Database) throws -> [uid_t: String] {
        let rows = try StoredRow.fetchAll(
            db, sql: "SELECT user, id FROM person_user JOIN person ON person.number = person_user.person")
        // A damaged store may name a user twice.
        return Dictionary(rows.map { (uid_t(truncatingIfNeeded: $0[0] as Int64), $0[1]) }) { first, _ in first }
    }

    /// Returns the users of the machine that act as a person, in ascending order.
    static func users(of person: Int64, in db: Database) throws -> [uid_t] {
        try Int64.fetchAll(
            db.cachedStatement(sql: "SELECT user FROM person_user WHERE person = ? ORDER BY user"), arguments: [person]
        ).map { uid_t(truncatingIfNeeded: $0) }
    }

    /// Unlinks all users of the machine from a person, except one if `kept` is given.
    ///
    /// - Returns: The users that were unlinked.
    static func unlink(_ person: Int64, except kept: uid_t? = nil, in db: Database) throws -> [uid_t] {
        let users = try users(of: person, in: db).filter { $0 != kept }
        for user in users {
            try db.cachedStatement(sql: "DELETE FROM person_user WHERE user = ?").execute(arguments: [Int64(user)])
        }
        return users
    }
}
