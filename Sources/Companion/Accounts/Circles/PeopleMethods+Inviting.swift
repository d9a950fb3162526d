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
                Parameter<Int>.optional(
                    "days", .integer(in: 1...Invitation.maximumDays), default: Invitation.defaultDays,
                    "The validity of the code in days, \(Invitation.defaultDays) by default."),
                Parameter<Int>.optional(
                    "uses", .integer(in: 1...Invitation.maximumUses), default: Invitation.defaultUses,
                    "The number of times that the code can be used, \(Invitation.defaultUses) by default."),
                answers: NewInvitation.shape, errors: [.notFound, .invalidValue, .unavailable], right: .person,
                handler: invite
            ).conversing(
                Conversation(next: { answer in
                    guard case .string(let code)? = answer["code"] else { return nil }
                    let byCode = "they join with \"waymark people join \(code)\"."
                    guard case .string(let link)? = answer["link"] else {
                        return "Give the code to those who come along; \(byCode)"
                    }
                    return "Send the address \(link) to those who come along. Without a browser, \(byCode)"
                })),
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
                answers: Shape<Int64>.object { Member("number", .integer, "The invitation's number.") { $0 } },
                errors: [.notFound],
                right: .person
            ) { call, number in
                try await editor.change { db, _ in
                    try Invitations.revoke(number, of: try caller(call, in: db).number, in: db)
                    return number
                }
            },
            .stored(
                "people.join",
                "Accepts an invitation and makes you the inviter's friend, after signing you up and in if necessary.",
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

    /// The answer with a new invitation.
    ///
    /// It is the only one that contains the code.
    private struct NewInvitation: Answerable, Sendable {
        var code: String
        /// The address of the browser's door; `nil` if the configuration has none.
        var server: String?
        var invitation: Invitation

        static let shape = Shape<NewInvitation>.object {
            Member("code", .text, "The code to give to the people you invite; only this answer contains it.") {
                $0.code
            }
            Member.optional(
                "link", .text, "The address at which a browser accepts the invitation; absent if none is configured."
            ) { answer in answer.server.map { "\($0)/join/\(answer.code)" } }
            Invitation.members.of { $0.invitation }
        }
    }

    /// The result of accepting an invitation.
    private struct JoinResult: Answerable, Sendable {
        var person: String
        var friend: String
        var device: String?
        var token: String?

        static let shape = Shape<JoinResult>.object {
            Member("person", .text, "The username of the person who accepted.") { $0.person }
            Member("friend", .text, "The username of the inviter.") { $0.friend }
            Member.optional("device", .text, "The device that carries them now; absent if there is none.") {
                $0.device
            }
            Member.optional(
                "token", .text, "The session's token, for people.resume; absent if you were signed in already."
            ) { $0.token }
        }
    }

    @Sendable private func invite(
        _ call: Call<Principal>, device: String?, days: Int, uses: Int
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
            let expires = now.advanced(byMilliseconds: Int64(days) * Timestamp.millisecondsPerDay)
            let (code, number) = try Invitations.create(
                by: person.number, device: device, until: expires, uses: uses, at: now, in: db)
            let server = context.webAddress()
            return NewInvitation(
                code: code, server: server == ServiceContext.defaultWebAddress ? nil : server,
                invitation: Invitation(
                    number: number, person: person.number, device: device, expires: expires, uses: uses, used: 0))
        }
    }

    @Sendable private func join(
        _ call: Call<Principal>, by code: String, _ form: JoiningForm?
    ) async throws -> JoinResult {
        let now = context.now()
        guard call.caller.person == nil else {
            return try await editor.change { db, consequences in
                let person = try caller(call, in: db)
                return try take(code, by: person, at: now, in: db, &consequences)
            }
        }
        guard let form else {
            throw Refusal.invalid("first_name", "is missing; you are not signed in, so this call signs you up")
        }
        let origin = call.caller.origin
        // Refuses and counts before hashing, which takes long.
        var joined = try await editor.decide { db, _ in
            let invitation = try Invitations.find(code, at: now, in: db)
            let check = try AccountQuestion.checking(by: origin, with: invitation.number, at: now, in: db) {
                if let email = form.email {
                    try SignUps.refuseTaken(email: email, in: db)
                    try RateLimits.countMail(by: origin, to: email, hasAccount: false, now: now, in: db)
                }
                if let id = form.username { try SignUps.refuseTaken(id: id, in: db) }
                try RateLimits.count(.hashing, by: origin.host, now: now, in: db)
            }
            let friend = try People.find(number: invitation.person, in: db)?.id ?? ""
            return check.map { JoinResult(person: "", friend: friend, device: invitation.device) }
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
            _ = try take(code, by: person, at: now, in: db, &consequences)
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
    private func take(
        _ code: String, by person: Person, at now: Timestamp, in db: Database, _ consequences: inout Consequences
    ) throws -> JoinResult {
        let invitation = try Invitations.use(code, at: now, in: db)
        guard invitation.person != person.number else {
            throw Refusal.conflict("You cannot accept your own invitation.")
        }
        guard let friend = try People.find(number: invitation.person, in: db) else {
            throw Refusal.notFound("The account of the person who invited you was removed.")
        }
        try Friends.make(
            person, friend, at: now, key: "joined/\(invitation.number)/\(person.id)", in: db, &consequences)
        if let device = invitation.device { try People.addPassenger(person.number, device, in: db) }
        return JoinResult(person: person.id, friend: friend.id, device: invitation.device)
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
        try PersonalText.password(password, "password")
        guard try text("password_again") == password else {
            throw Refusal.invalid("password_again", "must be the same password")
        }
        guard try members.value("terms") ?? false else { throw Refusal.invalid("terms", "must be accepted") }
    }
}
