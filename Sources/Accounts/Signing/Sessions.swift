import Foundation
import GRDB
import Glibc
import Positioning
import RPC
import Service
import Store

/// What admits people without a password: tokens of sessions, codes that were mailed, users of the machine; within
/// a transaction of its caller.
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

    /// How long a session that nobody uses stays open, in milliseconds: half a year.
    ///
    /// Older ones stay in the store, for the clock may be wrong.
    static let lifetime: Int64 = 183 * 24 * 3_600_000
    /// How many sessions a person may have; of more, those that were not used for longest end.
    static let most = 50

    /// Opens a session.
    ///
    /// - Returns: its number and its token.
    static func open(for person: Int64, at now: Timestamp, in db: Database) throws -> (number: Int64, token: String) {
        try db.cachedStatement(
            sql: """
                DELETE FROM session WHERE number IN (
                    SELECT number FROM session WHERE person = ? ORDER BY used DESC, number DESC LIMIT -1 OFFSET ?)
                """
        ).execute(arguments: [person, most - 1])
        let token = Secret.token()
        try db.cachedStatement(sql: "INSERT INTO session (token, person, made, used) VALUES (?, ?, ?, ?)")
            .execute(arguments: [Secret.digest(token), person, now.milliseconds, now.milliseconds])
        return (db.lastInsertedRowID, token)
    }

    /// Goes on with the session of a token; nil where there is none, or nobody has used it for too long.
    static func resume(_ token: String, at now: Timestamp, in db: Database) throws -> (number: Int64, person: Person)? {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT \(Person.columns), session.number AS session
                    FROM session JOIN person ON person.number = session.person
                    WHERE token = ? AND used > ?
                    """),
            arguments: [Secret.digest(token), now.milliseconds - lifetime])
        guard let row else { return nil }
        let number: Int64 = row["session"]
        try db.cachedStatement(sql: "UPDATE session SET used = max(used, ?) WHERE number = ?")
            .execute(arguments: [now.milliseconds, number])
        return (number, Person(row))
    }

    /// Ends sessions of a person: all, all but one, or one.
    ///
    /// - Returns: the numbers of those that were open.
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

    /// Which users of the machine act as whom.
    static func users(in db: Database) throws -> [uid_t: String] {
        let rows = try Row.fetchAll(
            db, sql: "SELECT user, id FROM person_user JOIN person ON person.number = person_user.person")
        return Dictionary(
            uniqueKeysWithValues: rows.map { (uid_t(truncatingIfNeeded: $0["user"] as Int64), $0["id"]) })
    }

    /// The users of the machine that act as a person.
    static func users(of person: Int64, in db: Database) throws -> [uid_t] {
        try Int64.fetchAll(
            db.cachedStatement(sql: "SELECT user FROM person_user WHERE person = ? ORDER BY user"), arguments: [person]
        ).map { uid_t(truncatingIfNeeded: $0) }
    }

    /// Has users of the machine act as that person no longer.
    ///
    /// - Returns: those that did, but for one.
    static func unlink(_ person: Int64, except kept: uid_t? = nil, in db: Database) throws -> [uid_t] {
        let users = try users(of: person, in: db).filter { $0 != kept }
        for user in users {
            try db.cachedStatement(sql: "DELETE FROM person_user WHERE user = ?").execute(arguments: [Int64(user)])
        }
        return users
    }
}
