import Foundation
import GRDB
import RPC
import Service
import Store
import Time

/// An invitation to travel along.
///
/// Somebody who has its code can sign up with it, becomes a friend of the inviter, and is carried by the inviter's
/// device.
struct Invitation: Sendable {
    var number: Int64
    /// The number of the inviter in the table `person`.
    var person: Int64
    /// The device that carries the people who accept, or `nil` for none.
    var device: String?
    var expires: Timestamp
    /// How often the invitation may be accepted.
    var uses: Int
    /// How often the invitation was accepted.
    var used: Int

    /// The default validity of an invitation, in days.
    static let defaultDays = 7
    /// The maximum validity of an invitation, in days.
    static let maximumDays: Int64 = 30
    /// The default number of times that an invitation may be accepted.
    static let defaultUses = 10
    /// The maximum for the number of times that an invitation may be accepted: the passengers of a coach.
    static let maximumUses: Int64 = 100
    /// The maximum number of unexpired invitations of one person.
    static let maximumCount = 20
}

/// The invitations in the store.
///
/// All functions run within the caller's transaction.
enum Invitations {
    static let migration = StoreMigration(
        at: 42, name: "companion.invitations.1",
        sql: """
            -- Codes by which people sign up, become friends and come along; the code itself is kept nowhere.
            CREATE TABLE invitation (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
                digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
                device TEXT,
                expires INTEGER NOT NULL,
                uses INTEGER NOT NULL CHECK (uses > 0),
                used INTEGER NOT NULL DEFAULT 0 CHECK (used BETWEEN 0 AND uses)
            ) STRICT;
            CREATE INDEX invitation_by_person ON invitation (person);
            """)

    /// Creates an invitation, and deletes expired ones.
    ///
    /// - Returns: The invitation's code and number.
    /// - Throws: `Refusal` (`.unavailable`) if the person has ``Invitation/most`` invitations already.
    static func create(
        by person: Int64, device: String?, until expires: Timestamp, uses: Int, at now: Timestamp, in db: Database
    ) throws -> (code: String, number: Int64) {
        try db.cachedStatement(sql: "DELETE FROM invitation WHERE expires <= ?").execute(arguments: [now.milliseconds])
        let open = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM invitation WHERE person = ?"), arguments: [person])
        guard open ?? 0 < Invitation.maximumCount else {
            throw Refusal.unavailable(
                "You have \(Invitation.maximumCount) open invitations, the maximum. Call people.revokeInvitation to end one."
            )
        }
        let code = Secret.password()
        try db.cachedStatement(
            sql: "INSERT INTO invitation (person, digest, device, expires, uses) VALUES (?, ?, ?, ?, ?)"
        ).execute(arguments: [person, Secret.digest(code), device, expires.milliseconds, uses])
        return (code, db.lastInsertedRowID)
    }

    /// Returns the unexpired invitations of a person, oldest first, including those that were accepted as often as
    /// allowed.
    static func list(of person: Int64, at now: Timestamp, in db: Database) throws -> [Invitation] {
        try NamedRow.soundList(
            db.cachedStatement(sql: "SELECT * FROM invitation WHERE person = ? AND expires > ? ORDER BY number"),
            arguments: [person, now.milliseconds], Invitation.init)
    }

    /// Returns the invitation with a code.
    ///
    /// The code may have upper-case letters and white space, lack its hyphens, or be the invitation's link.
    ///
    /// - Throws: `Refusal` (`.notFound`) if there is none, or if it has expired or was accepted as often as allowed.
    static func find(_ code: String, at now: Timestamp, in db: Database) throws -> Invitation {
        let code = spelled(code)
        let row = try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT * FROM invitation WHERE digest = ? AND expires > ? AND used < uses"),
            arguments: [Secret.digest(code), now.milliseconds])
        guard let row else {
            throw Refusal.notFound(
                "There is no such invitation: the code is mistyped, or the invitation has expired or was used the "
                    + "maximum number of times. Ask for another one."
            )
        }
        return Invitation(row)
    }

    /// Returns a code as ``create(by:device:until:uses:at:in:)`` returned it, however a person has typed it.
    private static func spelled(_ code: String) -> String {
        // A link ends in the code.
        let characters = (code.lowercased().split(separator: "/join/").last ?? "")
            .filter { $0 != "-" && !$0.isWhitespace }
        return stride(from: 0, to: characters.count, by: 4).map { String(characters.dropFirst($0).prefix(4)) }
            .joined(separator: "-")
    }

    /// Finds an invitation like ``find(_:at:in:)``, and counts that it is accepted once more.
    static func use(_ code: String, at now: Timestamp, in db: Database) throws -> Invitation {
        var invitation = try find(code, at: now, in: db)
        try db.cachedStatement(sql: "UPDATE invitation SET used = used + 1 WHERE number = ?")
            .execute(arguments: [invitation.number])
        invitation.used += 1
        return invitation
    }

    /// Deletes an invitation of a person, which ends it immediately.
    ///
    /// - Throws: `Refusal` (`.notFound`) if the person has no such invitation.
    static func revoke(_ number: Int64, of person: Int64, in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM invitation WHERE number = ? AND person = ?")
            .execute(arguments: [number, person])
        guard db.changesCount > 0 else {
            throw Refusal.notFound("You have no invitation \(number). people.invitations lists your invitations.")
        }
    }
}

extension Invitation {
    init(_ row: NamedRow) {
        number = row["number"]
        person = row["person"]
        device = row["device"]
        expires = Timestamp(milliseconds: row["expires"])
        uses = row["uses"]
        used = row["used"]
    }
}

extension Invitation: Answerable {
    static let shape = Shape<Invitation>.object { members }

    /// The members of an answer that describe an invitation.
    static let members: [Member<Invitation>] = [
        Member("number", .integer, "The invitation's number, for people.revokeInvitation.") { $0.number },
        .optional("device", .text, "The device that will carry the people who accept; absent if there is none.") {
            $0.device
        },
        Member("expires", .time, "The time at which the invitation expires.") { $0.expires },
        Member("uses", .integer, "The maximum number of uses.") { $0.uses },
        Member("used", .integer, "The number of uses so far.") { $0.used },
    ]
}
