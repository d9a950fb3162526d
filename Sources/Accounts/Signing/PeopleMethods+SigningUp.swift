import EventStream
import GRDB
import Positioning
import RPC
import Service
import Store
import TextCoding

extension PeopleMethods {
    var signingUp: [Method<Principal>] {
        let name = Schema.string(length: 1...PersonalText.longestName)
        let ticket = Field.required("ticket", .string(length: 1...64), "What people.signUp has answered.")
        return [
            .stored(
                "people.signUp", "Begins an account, whose mail address is then to be proven by a mailed code.",
                parameters: [
                    .required("first_name", name, "The first name."),
                    .required("last_name", name, "The last name."),
                    .required("email", Self.email, "The mail address."),
                    .required("terms", .boolean, "Whether the terms are accepted; nothing is made where not."),
                    .optional(
                        "username", .string(length: 1...PersonalText.longestUsername),
                        "Letters, digits, ., _ and -; small letters are made of it. Made from the name if left out."),
                    .optional("email_again", Self.email, "The address again, where a form asks for it twice."),
                    .optional(
                        "password", Self.password, "A password of at least 8 characters; left out, there is none yet."),
                    .optional("password_again", Self.password, "The password again, where there is one."),
                ],
                result: .object([
                    .required("id", .string, "The username that it is to have."),
                    .required("ticket", .string, "What the account is known by until the address is proven."),
                    .required("until", Schema.time, "How long the mailed code holds."),
                ]),
                errors: [.conflict, .invalidValue], right: .read, handler: signUp),
            .stored(
                "people.prove", "Proves the mail address, which makes the account and signs in.",
                parameters: [ticket, .required("code", Self.code, "The code that was mailed.")],
                result: Self.admission, errors: [.notFound, .notAllowed, .conflict], right: .read, handler: prove),
            .stored(
                "people.correct", "Corrects the address to be proven, and mails a new code there.",
                parameters: [ticket, .required("email", Self.email, "The right address.")],
                result: Self.mailed, errors: [.notFound, .conflict, .invalidValue], right: .read, handler: correct),
            .stored(
                "people.resend", "Mails a new code in place of the last one.", parameters: [ticket],
                result: Self.mailed, errors: [.notFound], right: .read, handler: resend),
        ]
    }

    static let mailed = Schema.object([
        .required("until", Schema.time, "How long the mailed code holds.")
    ])

    @Sendable private func signUp(_ call: Call<Principal>) async throws -> JSONText {
        let firstName = try PersonalText.name(try call.value("first_name"), "first_name")
        let lastName = try PersonalText.name(try call.value("last_name"), "last_name")
        let chosen: String? = try call.optional("username").map(PersonalText.username)
        let email = try PersonalText.email(try call.value("email"))
        if let again: String = try call.optional("email_again"), (try? PersonalText.email(again)) != email {
            throw RPCError.invalid("email_again", "must be the same address")
        }
        let password = try newPassword(call)
        guard try call.value("terms") else { throw RPCError.invalid("terms", "must be accepted") }
        let now = context.now()
        let origin = call.caller.origin
        // Refused and counted before the long work.
        try await editor.change { db, _ in
            try SignUps.refuseTaken(email: email, in: db)
            if let chosen { try SignUps.refuseTaken(id: chosen, in: db) }
            try RateLimits.countMail(by: origin.key, to: email, now: now, in: db)
            if password != nil { try RateLimits.count(.hashing, by: origin.key, now: now, in: db) }
        }
        var kept: String?
        if let password { kept = try await accounts.passwords.keep(password, for: origin) }
        let (text, code) = MailedCode.make(at: now)
        let (id, ticket) = try await editor.change { [kept, outbox = accounts.outbox] db, _ in
            try SignUps.refuseTaken(email: email, in: db)
            if let chosen { try SignUps.refuseTaken(id: chosen, in: db) }
            let id = try chosen ?? SignUps.freeID(for: "\(firstName) \(lastName)", in: db)
            let signUp = SignUp(
                id: id, isChosen: chosen != nil, firstName: firstName, lastName: lastName, email: email,
                password: kept, made: now, code: code)
            let ticket = try SignUps.add(signUp, by: origin, in: db)
            try outbox.add(.code(text, to: email, name: signUp.name, for: "prove this address"), at: now, in: db)
            return (id, ticket)
        }
        return .object { json in
            json.member("id", id)
            json.member("ticket", ticket)
            json.member("until", code.until.description)
        }
    }

    /// The password that is chosen, given twice; nil where none is.
    private func newPassword(_ call: Call<Principal>) throws -> String? {
        let password: String? = try call.optional("password")
        let again: String? = try call.optional("password_again")
        guard password != nil || again != nil else { return nil }
        guard let password else { throw RPCError.invalid("password", "is missing, for password_again is given") }
        try PersonalText.password(password, "password")
        guard let again else { throw RPCError.invalid("password_again", "is missing, for password is given") }
        guard again == password else { throw RPCError.invalid("password_again", "must be the same password") }
        return password
    }

    @Sendable private func prove(_ call: Call<Principal>) async throws -> JSONText {
        let ticket: String = try call.value("ticket")
        let text: String = try call.value("code")
        let now = context.now()
        return try await admit(call) { db, _ in
            var signUp = try SignUps.find(ticket, at: now, in: db)
            if let refusal = signUp.code.refusal(of: text, at: now, another: "people.resend") {
                try SignUps.update(ticket, to: signUp, in: db)
                return .failure(refusal)
            }
            return .success(try SignUps.makeAccount(ticket, signUp, at: now, in: db))
        }
    }

    @Sendable private func correct(_ call: Call<Principal>) async throws -> JSONText {
        try await mailAgain(call, to: try PersonalText.email(try call.value("email")))
    }

    @Sendable private func resend(_ call: Call<Principal>) async throws -> JSONText {
        try await mailAgain(call, to: nil)
    }

    private func mailAgain(_ call: Call<Principal>, to email: String?) async throws -> JSONText {
        let ticket: String = try call.value("ticket")
        let origin = call.caller.origin
        let now = context.now()
        let (text, code) = MailedCode.make(at: now)
        try await editor.change { [outbox = accounts.outbox] db, _ in
            var signUp = try SignUps.find(ticket, at: now, in: db)
            if let email, email != signUp.email { try Outbox.forget(signUp.email, of: signUp.name, in: db) }
            signUp.email = email ?? signUp.email
            signUp.code = code
            if email != nil { try SignUps.refuseTaken(email: signUp.email, in: db) }
            try RateLimits.countMail(by: origin.key, to: signUp.email, now: now, in: db)
            try SignUps.update(ticket, to: signUp, in: db)
            try outbox.add(
                .code(text, to: signUp.email, name: signUp.name, for: "prove this address"), at: now, in: db)
        }
        return .object { $0.member("until", code.until.description) }
    }
}

extension MailedCode {
    /// How long the code holds.
    var until: Timestamp { Timestamp(milliseconds: made.milliseconds + Self.lifetime) }

    /// Why a code that is given is refused, which counts as a try; nil where it is right.
    mutating func refusal(of text: String, at now: Timestamp, another method: String) -> RPCError? {
        switch judge(text, at: now) {
        case .right: return nil
        case .wrong:
            tries += 1
            return .notAllowed("This is not the code that was mailed last.")
        case .spent:
            return .notAllowed("The code is too old, or was tried too often; \(method) mails another.")
        }
    }
}

extension Mail {
    /// A mail with a code.
    package static func code(_ code: String, to recipient: String, name: String, for purpose: String) -> Mail {
        Mail(
            to: recipient, name: name, subject: "Your code",
            body: """
                Hello \(name),

                this is your code to \(purpose):

                    \(code)

                It holds for \(MailedCode.lifetime / 60_000) minutes. If you have not asked for it, nothing needs to be done.
                """,
            lifetime: MailedCode.lifetime)
    }
}
