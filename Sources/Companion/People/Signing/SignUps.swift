import Callers
import Foundation
import GRDB
import RPC
import Service
import Store
import Time

/// A sign-up whose mail address is not proven yet.
///
/// A sign-up is not an account. It reserves neither the username nor the address, and several may exist with the same
/// ones. Only its ticket identifies it. The account is created once the address is proven.
struct SignUp: Sendable {
    /// The username for the account.
    var id: String
    /// Whether the person has chosen the username.
    ///
    /// If `false`, it was made from the name.
    var isChosen: Bool
    var firstName: String
    var lastName: String
    var email: String
    /// The hash of the password, or `nil` if the person has not set one.
    var password: String?
    /// When the person signed up.
    var made: Timestamp
    /// The stored digest, time and tries of the mailed code.
    var code: MailedCode
}

/// The sign-ups in the store whose mail address is not proven yet.
///
/// All functions run within the caller's transaction.
enum SignUps {
    static let schema = """
        -- Who has signed up and not proven the mail address. The ticket is the SHA-256 of what they have; the
        -- caller is the user of the machine that asked.
        CREATE TABLE sign_up (
            ticket BLOB PRIMARY KEY CHECK (length(ticket) = 32),
            caller INTEGER NOT NULL,
            id TEXT NOT NULL,
            chosen INTEGER NOT NULL CHECK (chosen IN (0, 1)),
            first_name TEXT NOT NULL,
            last_name TEXT NOT NULL,
            email TEXT NOT NULL,
            password TEXT,
            made INTEGER NOT NULL,
            \(MailedCode.declarations)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX sign_up_by_age ON sign_up (made);
        CREATE INDEX sign_up_by_caller ON sign_up (caller);
        CREATE INDEX sign_up_by_email ON sign_up (email);
        CREATE INDEX sign_up_by_id ON sign_up (id);
        """

    /// How long the address can be proven, in milliseconds.
    ///
    /// After that, the person must sign up again.
    static let lifetime: Int64 = 24 * 3_600_000
    /// The maximum number of pending sign-ups of each user of the machine.
    ///
    /// That is one evening of a whole town, in less than a megabyte.
    static let maximumWaiting = 1000

    /// Stores a sign-up, and deletes expired ones.
    ///
    /// - Returns: The ticket that identifies the sign-up.
    /// - Throws: `Refusal` (`.unavailable`) if too many sign-ups of this caller are pending.
    static func add(_ signUp: SignUp, by caller: Origin, in db: Database) throws -> String {
        try db.cachedStatement(sql: "DELETE FROM sign_up WHERE made <= ?")
            .execute(arguments: [signUp.made.milliseconds - lifetime])
        let waiting = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM sign_up WHERE caller = ?"), arguments: [caller.key])
        guard waiting ?? 0 < maximumWaiting else {
            throw Refusal.unavailable(
                "Too many sign-ups are waiting for proof of their mail address. Try again tomorrow.")
        }
        let ticket = Secret.token()
        try db.cachedStatement(
            sql: """
                INSERT INTO sign_up
                    (ticket, caller, id, chosen, first_name, last_name, email, password, made, \(MailedCode.columns))
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            Secret.digest(ticket), caller.key, signUp.id, signUp.isChosen, signUp.firstName, signUp.lastName,
            signUp.email, signUp.password, signUp.made.milliseconds, signUp.code.saltedDigest,
            signUp.code.made.milliseconds, 0,
        ])
        return ticket
    }

    /// Returns the sign-up with a ticket.
    ///
    /// - Throws: `Refusal` (`.notFound`) if there is none, or if it has expired.
    static func find(_ ticket: String, at now: Timestamp, in db: Database) throws -> SignUp {
        let statement = try db.cachedStatement(
            sql: """
                SELECT id, chosen, first_name, last_name, email, password, made, \(MailedCode.columns) FROM sign_up
                WHERE ticket = ? AND made > ?
                """)
        let row = try NamedRow.fetchOne(
            statement, arguments: [Secret.digest(ticket), now.milliseconds - lifetime])
        guard let row else {
            throw Refusal.notFound("The ticket does not exist or has expired. Call people.signUp to get a new one.")
        }
        return SignUp(
            id: row["id"], isChosen: row["chosen"], firstName: row["first_name"], lastName: row["last_name"],
            email: row["email"], password: row["password"], made: Timestamp(milliseconds: row["made"]),
            code: MailedCode(row))
    }

    /// Stores the new address and code of a sign-up.
    static func update(_ ticket: String, to signUp: SignUp, in db: Database) throws {
        try db.cachedStatement(
            sql: "UPDATE sign_up SET email = ?, code = ?, code_made = ?, code_tries = ? WHERE ticket = ?"
        ).execute(arguments: [
            signUp.email, signUp.code.saltedDigest, signUp.code.made.milliseconds, signUp.code.tries,
            Secret.digest(ticket),
        ])
    }

    /// Whether a sign-up is pending for a username or an address.
    static func isWaiting(_ account: String, at now: Timestamp, in db: Database) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM sign_up WHERE (id = ?1 OR email = ?1) AND made > ?2)")
        return try Bool.fetchOne(statement, arguments: [account, now.milliseconds - lifetime]) ?? false
    }

    /// Creates the account of a sign-up whose address is proven.
    ///
    /// - Throws: `Refusal` (`.conflict`) if somebody else has taken the address or the chosen username meanwhile.
    static func makeAccount(_ ticket: String, _ signUp: SignUp, at now: Timestamp, in db: Database) throws -> Person {
        try refuseTaken(email: signUp.email, in: db)
        var id = signUp.id
        if signUp.isChosen { try refuseTaken(id: id, in: db) } else { id = try freeID(for: signUp.name, in: db) }
        try People.add(
            id, firstName: signUp.firstName, lastName: signUp.lastName, email: signUp.email, password: signUp.password,
            joined: signUp.made, at: now, in: db)
        // Other sign-ups with this address can no longer become accounts.
        try db.cachedStatement(sql: "DELETE FROM sign_up WHERE ticket = ? OR email = ?")
            .execute(arguments: [Secret.digest(ticket), signUp.email])
        return try People.get(id, in: db)
    }

    /// Returns a username made from a name.
    ///
    /// Nobody has or ever had this username.
    static func freeID(for name: String, in db: Database) throws -> String {
        try Slug.id(for: name, or: "traveller") { try !isTaken(id: $0, in: db) }
    }

    /// Refuses an address that belongs to an account.
    ///
    /// The refusal names the methods to sign in to that account.
    static func refuseTaken(email: String, in db: Database) throws {
        guard try People.find(email: email, in: db) != nil else { return }
        throw taken("email", "There is already an account with this address", account: email)
    }

    /// Refuses a username that belongs to an account, or once did.
    static func refuseTaken(id: String, in db: Database) throws {
        guard try isTaken(id: id, in: db) else { return }
        guard try People.find(id, in: db) != nil else {
            throw Refusal.conflict(
                "The username \(id) belonged to a removed account and cannot be used again. Choose another one.",
                data: ["field": "username"])
        }
        throw taken("username", "There is already an account \(id)", account: id)
    }

    private static func isTaken(id: String, in db: Database) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: """
                SELECT EXISTS (SELECT 1 FROM person WHERE id = ?1)
                    OR EXISTS (SELECT 1 FROM former_person WHERE id = ?1)
                """)
        return try Bool.fetchOne(statement, arguments: [id]) ?? false
    }

    private static func taken(_ field: String, _ message: String, account: String) -> Refusal {
        .conflict(
            "\(message). If it is yours, sign in with people.signIn or people.sendCode.",
            data: [
                "field": .string(field), "account": .string(account),
                "ways": ["people.signIn", "people.sendCode"],
            ])
    }
}

extension SignUp {
    var name: String { "\(firstName) \(lastName)" }
}
