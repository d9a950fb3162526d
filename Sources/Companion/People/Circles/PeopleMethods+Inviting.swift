#if Companion
import Callers
import GRDB
import RPC
import Service
import Store
import Time

extension PeopleMethods {
    var inviting: [Method<Principal>] {
        [
            .stored(
                "people.invite",
                "Creates a code with which people sign up, become your friends and travel with a device, in one step.",
                Parameter<String?>.optional(
                    "device", .deviceName,
                    "The device that will carry them; by default, the device that carries you if there is only one."),
                InvitationExtent.parameter, InvitationLink.parameter,
                answers: NewInvitation.shape, errors: [.notFound, .invalidValue, .unavailable], right: .person,
                handler: invite
            ).conversing(NewInvitation.conversation),
            .stored(
                "people.invitations", "Lists your unexpired invitations, and how often each was used.",
                answers: .object {
                    Member("invitations", .array(of: Invitation.shape), "The invitations, oldest first.") { $0 }
                },
                right: .person
            ) { call in
                let now = context.now()
                return try await store.read { db in
                    try Invitations.list(of: try caller(call, in: db).number, at: now, in: db)
                }
            },
            .stored(
                "people.revokeInvitation", "Revokes one of your invitations; people who have used it already stay.",
                Parameter<Int64>.required("number", .integer(in: 1...1_000_000_000), "The invitation's number."),
                answers: AnswerShape<Int64>.object { Member("number", .integer, "The invitation's number.") { $0 } },
                errors: [.notFound],
                right: .person
            ) { call, number in
                try await editor.change { db, _ in
                    try Invitations.revoke(number, of: try caller(call, in: db).number, in: db)
                    return number
                }
            },
            .stored(
                "people.previewInvitation",
                "Shows to whoever has the code of an invitation who invites them, and what they will join.",
                Parameter<String>.required("code", .string(length: 1...300), "The invitation's code or link."),
                answers: ShownInvitation.shape, errors: [.notFound], right: .read
            ) { call, code in
                let now = context.now()
                return try await store.read { db in
                    let invitation = try Invitations.find(code, at: now, in: db)
                    return ShownInvitation(
                        inviter: try inviter(of: invitation, in: db), invitation: invitation,
                        subject: try shownSubject(of: invitation, in: db))
                }
            },
            .stored(
                "people.join",
                """
                Accepts an invitation: makes you the inviter's friend and a member of the plan that it names, after \
                signing you up and in if necessary.
                """,
                Parameter<String>.required("code", .string(length: 1...300), "The invitation's code or link."),
                JoiningForm.parameter, answers: JoinResult.shape,
                errors: [.notFound, .conflict, .invalidValue, .unavailable], right: .read, handler: join
            ).conversing(
                // A signed-in person has an account already.
                Conversation(
                    session: .begins,
                    asks: { _, isSignedIn in
                        isSignedIn ? [] : ["first_name", "last_name", "password", "password_again", "terms"]
                    })),
        ]
    }

    /// The result of accepting an invitation.
    private struct JoinResult: Answerable, Sendable {
        var person: String
        var friend: String
        var device: String?
        var subject: SubjectID?
        var token: String?

        static let shape = AnswerShape<JoinResult>.object {
            Member("person", .text, "The username of the person who accepted.") { $0.person }
            Member("friend", .text, "The username of the inviter.") { $0.friend }
            Member.optional("device", .text, "The device that carries them now; absent if there is none.") {
                $0.device
            }
            Member.optional("subject", .text, "What they have joined, such as plan/ID; absent if there is nothing.") {
                $0.subject?.description
            }
            Member.optional(
                "token", .text, "The session's token, for people.resume; absent if you were signed in already."
            ) { $0.token }
        }
    }

    @Sendable private func invite(
        _ call: Call<Principal>, device: String?, extent: InvitationExtent, link: InvitationLink
    ) async throws -> NewInvitation {
        let (viewer, now) = (call.viewer, context.now())
        return try await editor.change { db, _ in
            let person = try caller(call, in: db)
            if let device,
                try !Devices.all(in: db).contains(where: { $0.name == device })
                    || !DeviceAccess(for: viewer, in: db).sees(device)
            {
                throw Refusal.notFound("There is no device \(device). devices.list lists the devices.")
            }
            let own = try String.fetchAll(
                db.cachedStatement(sql: "SELECT device FROM carried WHERE person = ?"), arguments: [person.number])
            let device = device ?? (own.count == 1 ? own.first : nil)
            return try Invitations.create(
                by: person.number, device: device, for: extent, link: link.at(context.webAddress()), at: now, in: db)
        }
    }

    @Sendable private func join(
        _ call: Call<Principal>, by code: String, _ form: JoiningForm?
    ) async throws -> JoinResult {
        let now = context.now()
        guard call.caller.person == nil else {
            return try await editor.change { db, consequences in
                let person = try caller(call, in: db)
                return try redeem(code, by: person, at: now, in: db, &consequences)
            }
        }
        guard let form else {
            throw Refusal.invalid("first_name", "is missing; you are not signed in, so this call signs you up")
        }
        let origin = call.caller.origin
        // Refuses and counts before hashing, which takes long.
        var joined = try await editor.decide { db, _ in
            let invitation = try Invitations.find(code, at: now, in: db)
            // What cannot be joined is refused before the form.
            _ = try shownSubject(of: invitation, in: db)
            let check = try AccountQuestion.checking(by: origin, with: invitation.number, at: now, in: db) {
                if let email = form.email {
                    try SignUps.refuseTaken(email: email, in: db)
                    try RateLimits.countMail(by: origin, to: email, hasAccount: false, now: now, in: db)
                }
                if let id = form.username { try SignUps.refuseTaken(id: id, in: db) }
                try RateLimits.count(.hashing, by: origin.host, now: now, in: db)
            }
            let friend = try People.find(number: invitation.person, in: db)?.id ?? ""
            return check.map {
                JoinResult(person: "", friend: friend, device: invitation.device, subject: invitation.subject)
            }
        }
        let kept = try await accounts.passwords.hash(form.password, for: origin)
        let (text, mailed) = MailedCode.make(at: now)
        let admission = try await admit(call) { [outbox = accounts.outbox] db, consequences in
            if let id = form.username { try SignUps.refuseTaken(id: id, in: db) }
            let id = try form.username ?? SignUps.freeID(for: form.name, in: db)
            try People.add(
                id, firstName: form.firstName, lastName: form.lastName, email: Person.noAddress(of: id),
                password: kept, joined: now, at: now, in: db)
            let person = try People.get(id, in: db)
            if let email = form.email {
                try SignUps.refuseTaken(email: email, in: db)
                try db.cachedStatement(
                    sql: "INSERT INTO new_email (person, email, \(MailedCode.columns)) VALUES (?, ?, ?, ?, 0)"
                ).execute(arguments: [person.number, email, mailed.saltedDigest, mailed.made.milliseconds])
                try outbox.add(
                    .code(text, to: email, name: person.name, for: "make this your mail address"), at: now, in: db)
            }
            _ = try redeem(code, by: person, at: now, in: db, &consequences)
            return .success(person)
        }
        joined.person = admission.person.id
        joined.token = admission.token
        return joined
    }

    /// Accepts an invitation for a person: makes friends with the inviter, and records that the device carries the
    /// person.
    ///
    /// - Throws: `Refusal` (`.notFound`) if the code is not valid or the inviter's account was removed, and `.conflict`
    ///   if the invitation is the person's own or the device carries the maximum number of people.
    private func redeem(
        _ code: String, by person: Person, at now: Timestamp, in db: Database, _ consequences: inout Consequences
    ) throws -> JoinResult {
        let invitation = try Invitations.use(code, at: now, in: db)
        guard invitation.person != person.number else {
            throw Refusal.conflict("You cannot accept your own invitation.")
        }
        let friend = try inviter(of: invitation, in: db)
        try Friends.make(
            person, friend, at: now, key: "joined/\(invitation.number)/\(person.id)", in: db, &consequences)
        if let device = invitation.device { try People.addPassenger(person.number, device, in: db) }
        if let (kind, id) = try joined(by: invitation) {
            try kind.join(id, (person.number, person.id), on: invitation.terms, at: now, in: db, &consequences)
        }
        return JoinResult(
            person: person.id, friend: friend.id, device: invitation.device, subject: invitation.subject)
    }

    private func inviter(of invitation: Invitation, in db: Database) throws -> Person {
        guard let inviter = try People.find(number: invitation.person, in: db) else {
            throw Refusal.notFound("The account of the person who invited you was removed.")
        }
        return inviter
    }

    private func shownSubject(of invitation: Invitation, in db: Database) throws -> InvitedSubject? {
        try joined(by: invitation).map { try $0.shown($1, on: invitation.terms, in: db) }
    }

    /// Returns what people join by an invitation, as its kind and its id, or `nil` if that is nothing.
    private func joined(by invitation: Invitation) throws -> (kind: any JoinableKind, id: String)? {
        guard let subject = invitation.subject else { return nil }
        // A store of a later version may have invitations to more.
        guard let kind = context.joinable[subject.kind] else {
            throw Refusal.notFound("This version cannot accept invitations to a \(subject.kind).")
        }
        return (kind, subject.id)
    }
}

/// What an invitation shows to whoever has its code.
private struct ShownInvitation: Answerable, Sendable {
    var inviter: Person
    var invitation: Invitation
    var subject: InvitedSubject?

    static let shape = AnswerShape<ShownInvitation>.object {
        Member("person", .text, "The username of the inviter.") { $0.inviter.id }
        Member("name", .text, "The name of the inviter.") { $0.inviter.name }
        Member.optional("device", .text, "The device that will carry you; absent if there is none.") {
            $0.invitation.device
        }
        Member.optional("subject", .text, "What you will join, such as plan/ID; absent if there is nothing.") {
            $0.invitation.subject?.description
        }
        Member.optional("title", .text, "Its title; absent if there is nothing to join.") { $0.subject?.title }
        Member.optional("begins", .text, "Its first day, as 2026-05-01; absent if it has none.") { $0.subject?.begins }
        Member.optional("ends", .text, "Its last day; absent if it has none.") { $0.subject?.ends }
        Member.optional("edits", .boolean, "Whether you may change it; absent if there is nothing to join.") {
            $0.invitation.subject == nil ? nil : $0.invitation.edits
        }
        Member("expires", .time, "The time at which the invitation expires.") { $0.invitation.expires }
    }
}

/// The validated fields of somebody without an account who accepts an invitation.
private struct JoiningForm: Sendable {
    let firstName: String
    let lastName: String
    let username: String?
    /// The mail address, which is not proven yet, or `nil` if the person gives none.
    let email: String?
    let password: String

    var name: String { "\(firstName) \(lastName)" }

    /// The fields as one parameter.
    ///
    /// Its value is `nil` if no field is given, as when a signed-in person calls.
    static let parameter = Parameter<JoiningForm?>([
        .optional(
            "first_name", .string(length: 1...PersonalText.longestName),
            "The first name; this and the following fields are for people without an account."),
        .optional("last_name", .string(length: 1...PersonalText.longestName), "The last name."),
        .optional("password", PeopleMethods.password, "A password of at least 8 characters."),
        .optional("password_again", PeopleMethods.password, "The password again."),
        .optional("terms", .boolean, "Whether you accept the terms, without which no account is created."),
        .optional(
            "username", .string(length: 1...PersonalText.longestUsername),
            "The username, of letters, digits, ., _ and -; made from the name by default."),
        .optional(
            "email", PeopleMethods.emailSchema,
            "A mail address, to which a code for people.proveEmail is mailed; none by default."),
    ]) { members throws(Refusal) in
        let names = ["first_name", "last_name", "password", "password_again", "terms", "username", "email"]
        return names.contains { members[$0] != nil } ? try JoiningForm(members) : nil
    }

    private init(_ members: JSONObject) throws(Refusal) {
        func text(_ name: String) throws(Refusal) -> String {
            guard let text: String = try members.value(name) else { throw Refusal.invalid(name, "is missing") }
            return text
        }
        firstName = try PersonalText.name(try text("first_name"), "first_name")
        lastName = try PersonalText.name(try text("last_name"), "last_name")
        let username: String? = try members.value("username")
        self.username = if let username { try PersonalText.username(username) } else { nil }
        let email: String? = try members.value("email")
        self.email = if let email { try PersonalText.email(email) } else { nil }
        password = try text("password")
        try Passwords.check(password, "password")
        guard try text("password_again") == password else {
            throw Refusal.invalid("password_again", "must be the same password")
        }
        guard try members.value("terms") ?? false else { throw Refusal.invalid("terms", "must be accepted") }
    }
}
#endif
