public import GRDB
import RPC
import Service
package import Store
import Synchronization
public import Time

/// The mails in the store that are waiting, were sent, or were given up.
///
/// A mail is added in the transaction of the change that it reports, so there is never one without the other. The text
/// is deleted once the mail is sent or given up, because it may contain codes.
public struct Outbox: Sendable {
    package static let migration = StoreMigration(
        at: 22, name: "companion.mail.1",
        sql: """
            -- Mails; times are in milliseconds since 1970. The body is NULL once the mail was sent or given up, and
            -- "next" is when it is tried then, NULL then too. Given up is what was not sent and has no "next".
            CREATE TABLE mail (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                recipient TEXT NOT NULL,
                name TEXT NOT NULL,
                subject TEXT NOT NULL,
                body TEXT,
                made INTEGER NOT NULL,
                until INTEGER NOT NULL,
                tries INTEGER NOT NULL DEFAULT 0,
                next INTEGER,
                sent INTEGER,
                error TEXT,
                CHECK ((body IS NULL) = (next IS NULL)),
                CHECK (sent IS NULL OR body IS NULL)
            ) STRICT;
            CREATE INDEX mail_by_next ON mail (next) WHERE next IS NOT NULL;
            CREATE INDEX mail_by_age ON mail (made);
            """)

    static let namelessMigration = StoreMigration(
        at: 28, name: "companion.mail.2",
        sql: """
            -- The name is needed until the mail is sent or given up, and empty afterwards.
            UPDATE mail SET name = '' WHERE next IS NULL;
            -- Limits of mails had the address itself.
            DELETE FROM attempt WHERE "limit" = 'mail';
            """)

    /// The maximum number of waiting mails, far more than people cause in the days for which one mail is tried.
    static let maximumWaiting = 10_000
    /// How long a record of a sent or abandoned mail is kept for inspection, in milliseconds: a month.
    static let kept: Int64 = 31 * 24 * 3_600_000

    private let bell = Bell()

    /// Adds a mail, which is sent once the transaction is committed.
    ///
    /// Records that are older than ``kept`` are deleted.
    ///
    /// - Throws: `Refusal` (`.unavailable`) if too many mails are waiting, or if the recipient has no address.
    public func add(_ mail: Mail, at now: Timestamp, in db: Database) throws {
        guard Person.isAddress(mail.recipient) else {
            throw Refusal.unavailable("\(mail.name) has no mail address. Call people.changeEmail to set one.")
        }
        try db.cachedStatement(sql: "DELETE FROM mail WHERE next IS NULL AND made <= ?")
            .execute(arguments: [now.milliseconds - Self.kept])
        let waiting =
            try Int.fetchOne(
                db.cachedStatement(sql: "SELECT count(*) FROM mail WHERE next IS NOT NULL")) ?? 0
        guard waiting < Self.maximumWaiting else {
            throw Refusal.unavailable(
                "\(waiting) mails are waiting to be sent, the maximum. Ask the administrator for help.")
        }
        try db.cachedStatement(
            sql: "INSERT INTO mail (recipient, name, subject, body, made, until, next) VALUES (?, ?, ?, ?, ?, ?, ?)"
        ).execute(arguments: [
            mail.recipient, mail.name, mail.subject, mail.body, now.milliseconds, now.milliseconds + mail.lifetime,
            now.milliseconds,
        ])
        db.afterNextTransaction { [bell] _ in bell.ring() }
    }

    /// Deletes all mails to a person whose account is being removed, both to their address and to an unproven new one.
    package static func forget(_ person: Person, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                DELETE FROM mail
                WHERE recipient = :email OR recipient = (SELECT email FROM new_email WHERE person = :number)
                """
        ).execute(arguments: ["email": person.email, "number": person.number])
    }

    /// Deletes the mails to a person with this name at an address that is no longer theirs, or never was.
    package static func forget(_ address: String, of name: String, in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM mail WHERE recipient = ? AND name IN (?, '')")
            .execute(arguments: [address, name])
    }

    /// Returns a stream with an element whenever mails have been added; one element may stand for several mails.
    ///
    /// Only the most recently returned stream receives elements.
    package func updates() -> AsyncStream<Void> { bell.listen() }
}

/// A signal that wakes the delivery when mails are added.
private final class Bell: Sendable {
    private let listener = Mutex<AsyncStream<Void>.Continuation?>(nil)

    func listen() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        listener.withLock { $0 = continuation }
        return stream
    }

    func ring() { listener.withLock { $0 }?.yield() }
}
