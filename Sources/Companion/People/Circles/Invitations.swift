import Foundation
package import GRDB
import Phones
package import RPC
package import Service
import Store
package import Time

/// An invitation to travel along, or to join a subject such as a plan.
///
/// Somebody who has its code can sign up with it, becomes a friend of the inviter, is carried by the inviter's device,
/// and joins the subject.
package struct Invitation: Sendable {
    var number: Int64
    /// The number of the inviter in the table `person`.
    var person: Int64
    /// The device that carries the people who accept, or `nil` for none.
    var device: String?
    /// The subject that the people who accept join, or `nil` for none.
    var subject: SubjectID?
    /// Whether the people who accept may change the subject.
    var edits: Bool
    var expires: Timestamp
    /// How often the invitation may be accepted.
    var uses: Int
    /// How often the invitation was accepted.
    var used: Int

    /// The default validity of an invitation, in days.
    package static let defaultDays = 7
    /// The maximum validity of an invitation, in days.
    package static let maximumDays: Int64 = 30
    /// The default number of times that an invitation may be accepted.
    package static let defaultUses = 10
    /// The maximum for the number of times that an invitation may be accepted: the passengers of a coach.
    package static let maximumUses: Int64 = 100
    /// The maximum number of unexpired invitations of one person.
    static let maximumCount = 20

    /// What the inviter offers to the people who join the subject.
    var terms: InvitationTerms { InvitationTerms(inviter: person, edits: edits) }
}

/// The invitations in the store.
///
/// All functions run within the caller's transaction.
package enum Invitations {
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
    static let subjectMigration = StoreMigration(
        at: 80, name: "companion.invitations.2",
        sql: """
            -- The subject that people who accept join, as KIND/ID, and whether they may change it.
            ALTER TABLE invitation ADD COLUMN subject TEXT CHECK (subject LIKE '_%/_%');
            ALTER TABLE invitation ADD COLUMN edits INTEGER NOT NULL DEFAULT 0 CHECK (edits IN (0, 1));
            """)

    /// Creates an invitation, and deletes expired ones.
    ///
    /// - Parameters:
    ///   - subject: What the people who accept join. The caller has checked that the person may invite people to it.
    ///   - link: How the answer links to the door for browsers.
    /// - Throws: `Refusal` (`.unavailable`) if the person has ``Invitation/maximumCount`` invitations already.
    package static func create(
        by person: Int64, device: String? = nil, to subject: SubjectID? = nil, edits: Bool = false,
        for extent: InvitationExtent, link: InvitationLink, at now: Timestamp, in db: Database
    ) throws -> NewInvitation {
        try db.cachedStatement(sql: "DELETE FROM invitation WHERE expires <= ?").execute(arguments: [now.milliseconds])
        let open = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM invitation WHERE person = ?"), arguments: [person])
        guard open ?? 0 < Invitation.maximumCount else {
            throw Refusal.unavailable(
                "You have \(Invitation.maximumCount) open invitations, the maximum. Call people.revokeInvitation to end one."
            )
        }
        let code = Secret.password()
        let expires = now.advanced(byMilliseconds: Int64(extent.days) * Timestamp.millisecondsPerDay)
        try db.cachedStatement(
            sql: """
                INSERT INTO invitation (person, digest, device, subject, edits, expires, uses)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            person, Secret.digest(code), device, subject?.description, edits, expires.milliseconds, extent.uses,
        ])
        return NewInvitation(
            code: code, link: link,
            invitation: Invitation(
                number: db.lastInsertedRowID, person: person, device: device, subject: subject, edits: edits,
                expires: expires, uses: extent.uses, used: 0))
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

    /// Returns a code as ``create(by:device:to:edits:for:link:at:in:)`` returned it, however a person has typed it.
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
        subject = (row["subject"] as String?).flatMap(SubjectID.init)
        edits = row["edits"]
        expires = Timestamp(milliseconds: row["expires"])
        uses = row["uses"]
        used = row["used"]
    }
}

extension Invitation: Answerable {
    package static let shape = AnswerShape<Invitation>.object { members }

    /// The members of an answer that describe an invitation.
    static let members: [Member<Invitation>] = [
        Member("number", .integer, "The invitation's number, for people.revokeInvitation.") { $0.number },
        .optional("device", .text, "The device that will carry the people who accept; absent if there is none.") {
            $0.device
        },
        .optional("subject", .text, "What the people who accept join, such as plan/ID; absent if there is nothing.") {
            $0.subject?.description
        },
        .optional("edits", .boolean, "Whether they may change it; absent if there is no subject.") {
            $0.subject == nil ? nil : $0.edits
        },
        Member("expires", .time, "The time at which the invitation expires.") { $0.expires },
        Member("uses", .integer, "The maximum number of uses.") { $0.uses },
        Member("used", .integer, "The number of uses so far.") { $0.used },
    ]
}

/// The answer with a new invitation.
///
/// It is the only one that contains the code.
package struct NewInvitation: Answerable, Sendable {
    var code: String
    var link: InvitationLink
    var invitation: Invitation

    package static let shape = AnswerShape<NewInvitation>.object {
        Member("code", .text, "The code to give to the people you invite; only this answer contains it.") {
            $0.code
        }
        Member.optional(
            "link", .text, "The address at which a browser accepts the invitation; absent if none is configured."
        ) { $0.link.url(of: $0.code) }
        Member.optional("image", QRCode.shape, "The link as a QR code; absent unless it was asked for.") { answer in
            answer.link.hasImage ? answer.link.url(of: answer.code).flatMap { QRCode($0) } : nil
        }
        Invitation.members.of { $0.invitation }
    }

    /// What a command says after it has made an invitation.
    package static let conversation = Conversation(next: { answer in
        guard case .string(let code)? = answer["code"] else { return nil }
        let byCode = "they join with \"waymark people join \(code)\"."
        guard case .string(let link)? = answer["link"] else {
            return "Give the code to those who come along; \(byCode)"
        }
        let advice = "Send the address \(link) to those who come along. Without a browser, \(byCode)"
        guard let code = QRCode(link) else { return advice }
        return "\(code.terminalText(colors: false))\nLet them scan this with their phones. \(advice)"
    })
}

/// How long, and how often, an invitation can be accepted.
package struct InvitationExtent: Sendable {
    var days: Int
    var uses: Int

    /// The parameters of methods that make invitations.
    package static let parameter = Parameter<InvitationExtent>([
        .optional(
            "days", .integer(in: 1...Invitation.maximumDays),
            "The validity of the code in days, \(Invitation.defaultDays) by default."),
        .optional(
            "uses", .integer(in: 1...Invitation.maximumUses),
            "The number of times that the code can be used, \(Invitation.defaultUses) by default."),
    ]) { members throws(Refusal) in
        InvitationExtent(
            days: try members.value("days") ?? Invitation.defaultDays,
            uses: try members.value("uses") ?? Invitation.defaultUses)
    }
}

/// How the answer with a new invitation links to the door for browsers.
package struct InvitationLink: Sendable {
    /// The address of the door for browsers; `nil` if none is known that others reach.
    var server: String?
    /// Whether the answer has the link as a QR code.
    var hasImage: Bool

    /// The parameters of methods that make invitations.
    package static let parameter = Parameter<InvitationLink>([
        .optional(
            "server", .string(length: 1...ServerAddress.longest),
            "The address at which people reach the daemon, such as https://van.example; by default that of web.listen."),
        .optional("image", .boolean, "Whether the answer has the QR code of the link, to be drawn; false by default."),
    ]) { members throws(Refusal) in
        let server: String? = try members.value("server")
        if let server { try ServerAddress.check(server) }
        return InvitationLink(server: server, hasImage: try members.value("image") ?? false)
    }

    /// Returns the link with a server's address if it has none, unless that address reaches this machine alone.
    package func at(_ address: String) -> InvitationLink {
        let address = address == ServiceContext.defaultWebAddress ? nil : address
        return InvitationLink(server: server ?? address, hasImage: hasImage)
    }

    /// Returns the address at which a browser accepts the invitation with a code.
    fileprivate func url(of code: String) -> String? { server.map { "\($0)/join/\(code)" } }
}
