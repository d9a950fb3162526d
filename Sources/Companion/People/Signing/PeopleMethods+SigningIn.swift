#if Companion
import Callers
import Foundation
import GRDB
import RPC
import Service
import Store
import Time

extension PeopleMethods {
    var signingIn: [Method<Principal>] {
        [
            .stored(
                "people.sendCode", "Mails a code to sign in with, which replaces the previous one.", Self.account,
                answers: Self.mailed, errors: [.notFound, .notAllowed], right: .read, handler: sendCode),
            .stored(
                "people.signIn", "Signs you in with your password or a mailed code.", Self.account, Proof.parameter,
                answers: SignInResult.shape, errors: [.notFound, .notAllowed, .invalidValue], right: .read,
                handler: signIn
            ).conversing(
                Conversation(
                    session: .begins,
                    asks: { isGiven, _ in isGiven("password") || isGiven("code") ? [] : ["password"] })),
            .stored(
                "people.resume", "Resumes a session on this connection.",
                Parameter<String>.required(
                    "token", .string(length: 1...64), "The session's token, as returned when you signed in."),
                answers: SignInResult.shape, errors: [.notAllowed], right: .read, handler: resume
            ).conversing(Conversation(session: .begins)),
        ]
    }

    private static let account = Parameter<String>.required(
        "account", .string(length: 1...PersonalText.longestEmail), "The username or the mail address.")

    /// The proof that somebody signs in with.
    private enum Proof: Sendable {
        case password(String)
        case code(String)

        static let parameter = Parameter<Proof>([
            .optional("password", PeopleMethods.password, "The password."),
            .optional("code", PeopleMethods.codeSchema, "The most recently mailed code, in place of the password."),
        ]) { members throws(Refusal) in
            let (password, code): (String?, String?) = (try members.value("password"), try members.value("code"))
            switch (password, code) {
            case (let password?, nil): return .password(password)
            case (nil, let code?): return .code(code)
            case (nil, nil): throw Refusal.invalid("password", "is missing; give either password or code")
            case (_?, _?): throw Refusal.invalid("code", "must be omitted if password is given")
            }
        }
    }

    /// The answer to somebody who has signed in.
    struct SignInResult: Answerable, Sendable {
        var person: Person
        var session: Int64
        var token: String

        static let shape = AnswerShape<SignInResult>.object {
            Member("person", .text, "The username of the signed-in person.") { $0.person.id }
            Member("token", .text, "The session's token, for people.resume.") { $0.token }
            Member("complete", .boolean, "Whether the profile is complete.") { $0.person.missing.isEmpty }
            Member(
                "missing", .array(of: .text), "The names of the profile fields that are empty; people.update sets them."
            ) {
                $0.person.missing
            }
        }
    }

    @Sendable private func sendCode(_ call: Call<Principal>, to account: String) async throws -> Timestamp {
        let origin = call.caller.origin
        let now = context.now()
        let (text, code) = MailedCode.make(at: now)
        let asked = try await ask(call, about: account)
        let refusal = try await editor.change { db, _ -> Refusal? in
            guard case .person(let number) = asked.account, let person = try People.find(number: number, in: db) else {
                guard asked.question.wait != nil else { return asked.account.refusal }
                // The answer does not tell that no account has the name.
                try RateLimits.countRequest(by: origin, of: asked.name, now: now, in: db)
                return nil
            }
            try RateLimits.countMail(by: origin, to: person.email, hasAccount: true, now: now, in: db)
            try db.cachedStatement(
                sql:
                    "INSERT OR REPLACE INTO sign_in_code (person, caller, \(MailedCode.columns)) VALUES (?, ?, ?, ?, 0)"
            ).execute(arguments: [person.number, origin.host, code.saltedDigest, code.made.milliseconds])
            try accounts.outbox.add(
                .code(text, to: person.email, name: person.name, for: "sign in"), at: now, in: db)
            try asked.question.giveBack(in: db)
            return nil
        }
        if let refusal { throw refusal }
        return code.until
    }

    /// What a caller has asked about an account, as counted.
    private struct Asked: Sendable {
        /// The name of the account as it is compared.
        var name: String
        var account: FoundAccount
        var question: AccountQuestion
    }

    /// Counts a question about an account, and looks the account up.
    private func ask(_ call: Call<Principal>, about account: String) async throws -> Asked {
        let (origin, now) = (call.caller.origin, context.now())
        return try await editor.change { db, _ in
            Asked(
                name: Self.compared(account), account: try look(for: account, in: db),
                question: try AccountQuestion(by: origin, at: now, in: db))
        }
    }

    /// How long a caller who has failed often waits for the answer to a wrong guess, however long the guess took.
    private static let pause = Duration.seconds(2)

    /// Answers a guess; after many failures, every refusal is the same and comes after the same time.
    private func answering<Value: Sendable>(
        _ question: AccountQuestion, _ body: () async throws -> Value
    ) async throws -> Value {
        guard let wait = question.wait else { return try await body() }
        let clock = accounts.clock
        async let pause: Void? = try? clock.sleep(for: Self.pause)
        do {
            return try await body()
        } catch is Refusal {
            _ = await pause
            throw AccountQuestion.refusal(after: wait)
        }
    }

    @Sendable private func signIn(
        _ call: Call<Principal>, to account: String, by proof: Proof
    ) async throws -> SignInResult {
        switch proof {
        case .password(let password): try await signIn(call, account, password: password)
        case .code(let code): try await signIn(call, account, code: code)
        }
    }

    private func signIn(_ call: Call<Principal>, _ account: String, code: String) async throws -> SignInResult {
        let origin = call.caller.origin
        let now = context.now()
        let asked = try await ask(call, about: account)
        return try await answering(asked.question) {
            try await admit(call) { db, _ in
                guard case .person(let number) = asked.account, let person = try People.find(number: number, in: db)
                else { return .failure(asked.account.refusal ?? Self.wrongPassword) }
                if let refusal = try Self.spend(code, of: number, by: origin, at: now, in: db) {
                    return .failure(refusal)
                }
                try asked.question.giveBack(in: db)
                return .success(person)
            }
        }
    }

    /// Consumes a code that was mailed to the signed-in person.
    ///
    /// - Throws: `Refusal` (`.notAllowed`) if the code is wrong or too old, or if none was mailed.
    func useCode(_ code: String, of number: Int64, for call: Call<Principal>) async throws {
        let (origin, now) = (call.caller.origin, context.now())
        // The transaction must commit to count a wrong code, so the closure returns the refusal instead of throwing it.
        let refusal = try await editor.change { db, _ in
            try Self.spend(code, of: number, by: origin, at: now, in: db)
        }
        if let refusal { throw refusal }
    }

    /// Consumes the code that was mailed to a person last.
    ///
    /// - Returns: The reason why the code is refused, or `nil` if it is right.
    private static func spend(
        _ code: String, of number: Int64, by origin: Origin, at now: Timestamp, in db: Database
    ) throws -> Refusal? {
        let key: StatementArguments = [number, origin.host]
        let row = try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT \(MailedCode.columns) FROM sign_in_code WHERE person = ? AND caller = ?"),
            arguments: key)
        guard let row else { return .notAllowed("No code was mailed to you. Call people.sendCode first.") }
        var mailed = MailedCode(row)
        if let refusal = mailed.refusal(of: code, at: now, another: "people.sendCode") {
            try db.cachedStatement(sql: "UPDATE sign_in_code SET code_tries = ? WHERE person = ? AND caller = ?")
                .execute(arguments: [mailed.tries] + key)
            return refusal
        }
        try db.cachedStatement(sql: "DELETE FROM sign_in_code WHERE person = ? AND caller = ?").execute(arguments: key)
        return nil
    }

    private func signIn(_ call: Call<Principal>, _ account: String, password: String) async throws -> SignInResult {
        let (origin, now) = (call.caller.origin, context.now())
        let asked = try await ask(call, about: account)
        return try await answering(asked.question) {
            let number: Int64? = if case .person(let number) = asked.account { number } else { nil }
            let (kept, attempt) = try await editor.change { db, _ in
                (
                    try number.flatMap { try Self.password(of: $0, in: db) },
                    try PasswordAttempt(at: number, named: asked.name, by: origin, now: now, in: db)
                )
            }
            if let refusal = attempt.refusal { throw refusal }
            guard let number, let kept else {
                // Takes as long as verifying a password. After many failures, the answer comes after a fixed time
                // anyway, and made-up names cost nothing.
                if asked.question.wait == nil { _ = try await accounts.passwords.hash(password, for: origin) }
                throw asked.account.refusal ?? Self.noPassword
            }
            let (isRight, renewed) = try await accounts.passwords.verify(password, against: kept, for: origin)
            guard isRight else { throw Self.wrongPassword }
            return try await admit(call) { db, _ in
                guard let person = try People.find(number: number, in: db),
                    try Self.password(of: number, in: db) == kept
                else { return .failure(Self.wrongPassword) }
                if let renewed { try Self.setPassword(renewed, of: number, in: db) }
                try attempt.forget(in: db)
                try asked.question.giveBack(in: db)
                return .success(person)
            }
        }
    }

    /// Verifies the password of the signed-in person and counts the attempt.
    ///
    /// A right password resets the count.
    ///
    /// - Throws: `Refusal` (`.notAllowed`) if the password is wrong or the account has none, and `.unavailable` after
    ///   too many attempts.
    func verify(_ password: String, of number: Int64, for call: Call<Principal>) async throws {
        let origin = call.caller.origin
        let now = context.now()
        // Counts before verifying, because otherwise simultaneous attempts would pass the limit.
        let (kept, attempt) = try await editor.change { db, _ in
            guard let kept = try Self.password(of: number, in: db) else { throw Self.noPassword }
            return (kept, try PasswordAttempt(at: number, named: "", by: origin, now: now, in: db))
        }
        if let refusal = attempt.refusal { throw refusal }
        let (isRight, _) = try await accounts.passwords.verify(password, against: kept, for: origin)
        guard isRight else { throw Self.wrongPassword }
        try await editor.change { db, _ in try attempt.forget(in: db) }
    }

    private static let noPassword = Refusal.notAllowed(
        "This account has no password. Call people.sendCode to get a code to sign in with.")

    static let wrongPassword = Refusal.notAllowed(
        "The password is wrong. If you have forgotten it, call people.sendCode to get a code.")

    /// The way in which a door recognises people by the token of their session.
    var sessionResumption: SessionResumption {
        let begins = all.filter { $0.conversation.session == .begins }
        return SessionResumption(methods: Set(begins.map(\.name))) { token, caller in
            do {
                _ = try await resume(Call(caller: caller), by: token)
                return true
            } catch let error as Refusal where error.kind == .notAllowed {
                return false
            }
        }
    }

    /// Resumes a session without writing, so that people can read while the store cannot be written.
    ///
    /// That the session is in use is noted later, if that is possible.
    @Sendable private func resume(_ call: Call<Principal>, by token: String) async throws -> SignInResult {
        let (caller, connections, now) = (call.caller, accounts.connections, context.now())
        let ended = Refusal.notAllowed("The session has ended. Call people.signIn to open a new one.")
        guard let session = try await store.read({ try Sessions.find(token, at: now, in: $0) }) else { throw ended }
        let identity = Principal.Identity(person: session.person.id, session: String(session.number))
        connections.signIn(caller, as: identity)
        do {
            // Whoever ends the session from here on finds the connection signed in. Whoever has ended it before has
            // removed it from the store.
            guard try await store.read({ try Sessions.find(token, at: now, in: $0) }) != nil else { throw ended }
        } catch {
            connections.end { $0 === caller && $1 == identity }
            throw error
        }
        if session.used.milliseconds + Sessions.noteInterval <= now.milliseconds {
            await editor.later { db, _ in try Sessions.noteUse(of: session.number, at: now, in: db) }
        }
        return SignInResult(person: session.person, session: session.number, token: token)
    }

    /// Opens a session for the person that `body` returns, who has proven their identity, and signs them in on the
    /// connection.
    func admit(
        _ call: Call<Principal>,
        _ body: @escaping @Sendable (Database, inout Consequences) throws -> Result<Person, Refusal>
    ) async throws -> SignInResult {
        let (now, browser) = (context.now(), BrowserName(userAgent: call.caller.program))
        return try await enter(call) { db, consequences in
            switch try body(db, &consequences) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let person):
                let (number, token) = try Sessions.open(for: person.number, in: browser, at: now, in: db)
                return .success(SignInResult(person: person, session: number, token: token))
            }
        }
    }

    /// Signs in, on the caller's connection, the person of the admission that `body` returns.
    private func enter(
        _ call: Call<Principal>,
        _ body: @escaping @Sendable (Database, inout Consequences) throws -> Result<SignInResult, Refusal>
    ) async throws -> SignInResult {
        let (caller, connections) = (call.caller, accounts.connections)
        return try await editor.decide { db, consequences in
            let result = try body(db, &consequences)
            guard case .success(let admission) = result else { return result }
            let identity = Principal.Identity(person: admission.person.id, session: String(admission.session))
            // Runs within the transaction, so that a later transaction that ends the session finds the connection
            // signed in.
            connections.signIn(caller, as: identity)
            db.afterNextTransaction(
                onCommit: { _ in },
                onRollback: { _ in connections.end { $0 === caller && $1 == identity } })
            return result
        }
    }

    /// The account with a username or a mail address.
    private enum FoundAccount: Sendable {
        case person(Int64)
        /// There is none, for this reason: nobody has signed up with the name, or the address is not proven yet.
        case none(Refusal)

        /// The reason why there is no account; `nil` if there is one.
        var refusal: Refusal? { if case .none(let refusal) = self { refusal } else { nil } }
    }

    /// Returns the name of an account as it is compared.
    private static func compared(_ account: String) -> String {
        account.trimmingCharacters(in: .whitespacesAndNewlines).lowercased().precomposedStringWithCanonicalMapping
    }

    /// Looks for the account with a username or a mail address.
    private func look(for account: String, in db: Database) throws -> FoundAccount {
        let account = Self.compared(account)
        let isAddress = account.contains("@")
        if let person = try isAddress ? People.find(email: account, in: db) : People.find(account, in: db) {
            return .person(person.number)
        }
        guard try !SignUps.isWaiting(account, at: context.now(), in: db) else {
            return .none(.notAllowed("The mail address is not proven yet. Call people.prove with the mailed code."))
        }
        var data: JSONObject = [
            "reason": "unknown account", "account": .string(account), "ways": ["people.signIn", "people.signUp"],
        ]
        data["support"] = accounts.settings.support.map { .string($0) }
        let help = accounts.settings.support.map { " For help, contact \($0)." } ?? ""
        return .none(
            Refusal(
                .notFound, "There is no account \(account). Try again, or call people.signUp to create one.\(help)",
                data: .object(data)))
    }

    /// Returns the stored hash of a person's password, or `nil` if there is none.
    static func password(of number: Int64, in db: Database) throws -> String? {
        try String.fetchOne(
            db.cachedStatement(sql: "SELECT password FROM person WHERE number = ?"), arguments: [number])
    }

    /// Stores the hash of a password.
    static func setPassword(_ kept: String, of number: Int64, in db: Database) throws {
        try db.cachedStatement(sql: "UPDATE person SET password = ? WHERE number = ?").execute(arguments: [
            kept, number,
        ])
    }
}
#endif
