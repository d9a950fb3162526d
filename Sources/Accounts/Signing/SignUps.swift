import EventStream
import Foundation
import GRDB
import Positioning
import RPC
import Service
import Store

/// Who has signed up and not proven the mail address.
///
/// That is no account: it reserves neither username nor address, there may be several of the same, and it is known by
/// its ticket alone. The account is made when the address is proven.
struct SignUp: Sendable {
    /// The username that it is to have.
    var id: String
    /// Whether they have chosen it, rather than that it was made from the name.
    var isChosen: Bool
    var firstName: String
    var lastName: String
    var email: String
    /// What is kept of the password; nil for none.
    var password: String?
    /// When it began.
    var made: Timestamp
    /// What the code that was mailed is judged by.
    var code: MailedCode
}

/// Those who have signed up and not proven the mail address, within a transaction of its caller.
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

    /// How long the address may be proven, in milliseconds; then one signs up again.
    static let lifetime: Int64 = 24 * 3_600_000
    /// How many may wait of each user of the machine: an evening of a whole town, in less than a megabyte.
    static let mostWaiting = 1000

    /// Takes one in.
    ///
    /// - Returns: the ticket by which it is known.
    /// - Throws: 5 where too many of this caller wait.
    static func add(_ signUp: SignUp, by caller: Origin, in db: Database) throws -> String {
        try db.cachedStatement(sql: "DELETE FROM sign_up WHERE made <= ?")
            .execute(arguments: [signUp.made.milliseconds - lifetime])
        let waiting = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM sign_up WHERE caller = ?"), arguments: [caller.key])
        guard waiting ?? 0 < mostWaiting else {
            throw Refusal.unavailable("Too many have signed up and not proven their address; try again tomorrow.")
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
            signUp.email, signUp.password, signUp.made.milliseconds, signUp.code.kept, signUp.code.made.milliseconds, 0,
        ])
        return ticket
    }

    /// The one of a ticket.
    ///
    /// - Throws: 1 where there is none, or it is too old.
    static func find(_ ticket: String, at now: Timestamp, in db: Database) throws -> SignUp {
        let statement = try db.cachedStatement(
            sql: """
                SELECT id, chosen, first_name, last_name, email, password, made, \(MailedCode.columns) FROM sign_up
                WHERE ticket = ? AND made > ?
                """)
        let row = try NamedRow.fetchOne(
            statement, arguments: [Secret.digest(ticket), now.milliseconds - lifetime])
        guard let row else {
            throw Refusal.notFound("There is no such ticket, or no longer; people.signUp gives a new one.")
        }
        return SignUp(
            id: row["id"], isChosen: row["chosen"], firstName: row["first_name"], lastName: row["last_name"],
            email: row["email"], password: row["password"], made: Timestamp(milliseconds: row["made"]),
            code: MailedCode(row))
    }

    /// Keeps what has become of the address and the code of one.
    static func update(_ ticket: String, to signUp: SignUp, in db: Database) throws {
        try db.cachedStatement(
            sql: "UPDATE sign_up SET email = ?, code = ?, code_made = ?, code_tries = ? WHERE ticket = ?"
        ).execute(arguments: [
            signUp.email, signUp.code.kept, signUp.code.made.milliseconds, signUp.code.tries, Secret.digest(ticket),
        ])
    }

    /// Whether someone waits under a username or an address.
    static func isWaiting(_ account: String, at now: Timestamp, in db: Database) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM sign_up WHERE (id = ?1 OR email = ?1) AND made > ?2)")
        return try Bool.fetchOne(statement, arguments: [account, now.milliseconds - lifetime]) ?? false
    }

    /// Makes the account of one whose address is proven.
    ///
    /// - Throws: 3 where address or chosen username have become another's meanwhile.
    static func makeAccount(_ ticket: String, _ signUp: SignUp, at now: Timestamp, in db: Database) throws -> Person {
        try refuseTaken(email: signUp.email, in: db)
        var id = signUp.id
        if signUp.isChosen { try refuseTaken(id: id, in: db) } else { id = try freeID(for: signUp.name, in: db) }
        try People.add(
            id, firstName: signUp.firstName, lastName: signUp.lastName, email: signUp.email, password: signUp.password,
            joined: signUp.made, at: now, in: db)
        // The others of that address can prove nothing any more.
        try db.cachedStatement(sql: "DELETE FROM sign_up WHERE ticket = ? OR email = ?")
            .execute(arguments: [Secret.digest(ticket), signUp.email])
        return try People.get(id, in: db)
    }

    /// A username made from a name, that nobody has or had.
    static func freeID(for name: String, in db: Database) throws -> String {
        try Slug.id(for: name, or: "traveller") { try !isTaken(id: $0, in: db) }
    }

    /// Refuses an address that is an account's, with the way into that one.
    static func refuseTaken(email: String, in db: Database) throws {
        guard try People.find(email: email, in: db) != nil else { return }
        throw taken("email", "There is an account with this address already", account: email)
    }

    /// Refuses a username that is an account's, or was.
    static func refuseTaken(id: String, in db: Database) throws {
        guard try isTaken(id: id, in: db) else { return }
        guard try People.find(id, in: db) != nil else {
            throw Refusal.conflict(
                "The username \(id) was somebody's who has left, and nobody gets it again; choose another.",
                data: ["field": "username"])
        }
        throw taken("username", "There is an account \(id) already", account: id)
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
            "\(message); if it is yours, people.signIn or people.sendCode leads into it.",
            data: [
                "field": .string(field), "account": .string(account),
                "ways": ["people.signIn", "people.sendCode"],
            ])
    }
}

extension SignUp {
    /// First and last name.
    var name: String { "\(firstName) \(lastName)" }
}
