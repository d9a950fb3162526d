#if Companion
import Callers
import GRDB
import RPC
import Service
import Store
import Time

extension PeopleMethods {
    var signingUp: [Method<Principal>] {
        [
            .stored(
                "people.signUp", "Begins a sign-up, and mails a code that proves the mail address.",
                SignUpForm.parameter, answers: PendingSignUp.shape, errors: [.conflict, .invalidValue], right: .read,
                handler: signUp
            ).conversing(
                Conversation(
                    session: .waits,
                    next: { _ in "A code was mailed to you. \"waymark people prove CODE\" signs you in with it." },
                    // Given the address twice, no password is needed.
                    asks: { isGiven, _ in isGiven("email_again") ? [] : ["password", "password_again"] })),
            .stored(
                "people.prove", "Proves the mail address with the mailed code, creates the account and signs you in.",
                Self.ticket,
                Self.code, answers: SignInResult.shape, errors: [.notFound, .notAllowed, .conflict], right: .read,
                handler: prove
            ).conversing(Conversation(session: .begins)),
            .stored(
                "people.correct", "Corrects the mail address of a sign-up, and mails a new code to it.", Self.ticket,
                Self.email("The correct mail address."), answers: Self.mailed,
                errors: [.notFound, .conflict, .invalidValue], right: .read
            ) { try await mailAgain($0, $1, to: $2) },
            .stored(
                "people.resend", "Mails a new code for a sign-up, which replaces the previous one.", Self.ticket,
                answers: Self.mailed,
                errors: [.notFound], right: .read
            ) { try await mailAgain($0, $1, to: nil) },
        ]
    }

    private static let ticket = Parameter<String>.required(
        "ticket", .string(length: 1...64), "The ticket that people.signUp returned.")

    /// The shape of an answer that says until when a mailed code is valid.
    static let mailed = AnswerShape<Timestamp>.object {
        Member("until", .time, "The time at which the mailed code expires.") { $0 }
    }

    /// The answer to a sign-up.
    private struct PendingSignUp: Answerable, Sendable {
        var id: String
        var ticket: String
        var until: Timestamp

        static let shape = AnswerShape<PendingSignUp>.object {
            Member("id", .text, "The username for the account.") { $0.id }
            Member("ticket", .text, "The ticket that identifies the sign-up until the address is proven.") { $0.ticket }
            Member("until", .time, "The time at which the mailed code expires.") { $0.until }
        }
    }

    @Sendable private func signUp(_ call: Call<Principal>, _ form: SignUpForm) async throws -> PendingSignUp {
        let now = context.now()
        let origin = call.caller.origin
        // Refuses and counts before hashing, which takes long.
        try await editor.decide { db, _ in
            try AccountQuestion.checking(by: origin, at: now, in: db) {
                try SignUps.refuseTaken(email: form.email, in: db)
                if let id = form.username { try SignUps.refuseTaken(id: id, in: db) }
                try RateLimits.countMail(by: origin, to: form.email, hasAccount: false, now: now, in: db)
                if form.password != nil { try RateLimits.count(.hashing, by: origin.host, now: now, in: db) }
            }
        }
        var kept: String?
        if let password = form.password { kept = try await accounts.passwords.hash(password, for: origin) }
        let (text, code) = MailedCode.make(at: now)
        let (id, ticket) = try await editor.change { [kept, outbox = accounts.outbox] db, _ in
            try SignUps.refuseTaken(email: form.email, in: db)
            if let id = form.username { try SignUps.refuseTaken(id: id, in: db) }
            let id = try form.username ?? SignUps.freeID(for: "\(form.firstName) \(form.lastName)", in: db)
            let signUp = SignUp(
                id: id, isChosen: form.username != nil, firstName: form.firstName, lastName: form.lastName,
                email: form.email, password: kept, made: now, code: code)
            let ticket = try SignUps.add(signUp, by: origin, in: db)
            try outbox.add(.code(text, to: form.email, name: signUp.name, for: "confirm this address"), at: now, in: db)
            return (id, ticket)
        }
        return PendingSignUp(id: id, ticket: ticket, until: code.until)
    }

    @Sendable private func prove(
        _ call: Call<Principal>, _ ticket: String, by text: String
    ) async throws -> SignInResult {
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

    private func mailAgain(_ call: Call<Principal>, _ ticket: String, to email: String?) async throws -> Timestamp {
        let origin = call.caller.origin
        let now = context.now()
        let (text, code) = MailedCode.make(at: now)
        try await editor.decide { [outbox = accounts.outbox] db, _ in
            var signUp = try SignUps.find(ticket, at: now, in: db)
            let address = email ?? signUp.email
            let check = try AccountQuestion.checking(by: origin, at: now, in: db) {
                if email != nil { try SignUps.refuseTaken(email: address, in: db) }
                try RateLimits.countMail(by: origin, to: address, hasAccount: false, now: now, in: db)
            }
            if case .failure = check { return check }
            if address != signUp.email { try Outbox.forget(signUp.email, of: signUp.name, in: db) }
            signUp.email = address
            signUp.code = code
            try SignUps.update(ticket, to: signUp, in: db)
            try outbox.add(
                .code(text, to: signUp.email, name: signUp.name, for: "confirm this address"), at: now, in: db)
            return .success(())
        }
        return code.until
    }
}

extension MailedCode {
    /// When the code expires.
    var until: Timestamp { Timestamp(milliseconds: made.milliseconds + Self.lifetime) }

    /// Judges a code that was entered, and counts a wrong one as a try.
    ///
    /// - Returns: The reason why the code is refused, or `nil` if it is right.
    mutating func refusal(of text: String, at now: Timestamp, another method: String) -> Refusal? {
        switch judge(text, at: now) {
        case .right: return nil
        case .wrong:
            tries += 1
            return .notAllowed("The code is wrong. Use the one that was mailed last.")
        case .spent:
            return .notAllowed("The code has expired or was tried too often. Call \(method) to get a new one.")
        }
    }
}

extension Mail {
    /// Returns a mail with a code.
    package static func code(_ code: String, to recipient: String, name: String, for purpose: String) -> Mail {
        Mail(
            to: recipient, name: name, subject: "Your code",
            body: """
                Hello \(name),

                this is your code to \(purpose):

                    \(code)

                It is valid for \(MailedCode.lifetime / 60_000) minutes. If you did not request it, ignore this mail.
                """,
            lifetime: MailedCode.lifetime)
    }
}
#endif
