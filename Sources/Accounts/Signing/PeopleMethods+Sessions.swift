import EventStream
import GRDB
import Glibc
import Positioning
import RPC
import Service
import Store
import TextCoding

extension PeopleMethods {
    var sessions: [Method<Principal>] {
        [
            .stored(
                "people.whoami", "Who acts through this connection, and by what.",
                result: .object([
                    .optional("person", .object(Person.row), "Who; left out for nobody."),
                    .optional("session", .string, "The id of the session; left out where the user is the proof."),
                    .optional(
                        "user", .integer, "The number of the user of the machine; left out where no user of it calls."),
                    .required("admin", .boolean, "Whether the caller is an administrator."),
                ]),
                right: .read, handler: whoami),
            .stored(
                "people.sessions", "Your sessions, and the users of the machine that act as you.",
                result: .object([
                    .required(
                        "sessions",
                        .array(
                            of: .object([
                                .required("id", .string, "The id, for people.endSession."),
                                .required("made", Schema.time, "When it was opened."),
                                .required("used", Schema.time, "When it was last gone on with."),
                                .required("current", .boolean, "Whether it is this connection's."),
                            ])), "The last used first."),
                    .required("users", .array(of: .integer), "The numbers of the users."),
                ]),
                right: .person, handler: list),
            .stored(
                "people.endSession", "Ends a session, and what is done by it, at once.",
                parameters: [.required("id", .string(length: 1...20), "The session's id.")],
                result: .object([.required("id", .string, "The session's id.")]), errors: [.notFound], right: .person,
                handler: endSession),
            .stored(
                "people.signOut", "Ends the session; without a password one could not come back without a mail.",
                parameters: [
                    .optional(
                        "everywhere", .boolean,
                        "True ends all sessions, and no user of the machine acts as one any more."),
                    .optional("generate", .boolean, "True makes a password where there is none, and mails it."),
                ],
                result: .object([.required("ended", .integer, "How many sessions have ended.")]), errors: [.conflict],
                right: .person, handler: signOut),
            .stored(
                "people.setPassword",
                "Sets the password, and ends all other sessions and users' rights to act as one.",
                parameters: [
                    .required("new", Self.password, "The new password, of at least 8 characters."),
                    .required("again", Self.password, "The same again."),
                    .optional("current", Self.password, "The password so far, where there is one."),
                ],
                result: .object([.required("ended", .integer, "How many other sessions have ended.")]),
                errors: [.invalidValue, .notAllowed], right: .person, handler: setPassword),
        ]
    }

    @Sendable private func whoami(_ call: Call<Principal>) async throws -> JSONText {
        let viewer = call.viewer
        let identity = call.caller.identity
        let row = try await store.read { db in
            try identity.flatMap { try People.find($0.person, in: db) }?.row(for: viewer, in: db)
        }
        return .object { json in
            if let row {
                json.key("person")
                json.raw(row.bytes)
            }
            json.member("session", identity?.session)
            json.member("user", call.caller.origin.user)
            json.member("admin", viewer.isAdmin)
        }
    }

    @Sendable private func list(_ call: Call<Principal>) async throws -> JSONText {
        let (current, now) = (call.caller.identity?.session, context.now())
        return try await store.read { db in
            let person = try caller(call, in: db)
            let rows = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT number, made, used FROM session WHERE person = ? AND used > ?
                        ORDER BY used DESC, number DESC
                        """),
                arguments: [person.number, now.milliseconds - Sessions.lifetime])
            let users = try Sessions.users(of: person.number, in: db)
            return .object { json in
                json.array("sessions") { json in
                    for row in rows {
                        json.object { json in
                            let id = String(row[0] as Int64)
                            json.member("id", id)
                            json.member("made", Timestamp(milliseconds: row[1]).description)
                            json.member("used", Timestamp(milliseconds: row[2]).description)
                            json.member("current", id == current)
                        }
                    }
                }
                json.array("users") { json in
                    for user in users { json.integer(user) }
                }
            }
        }
    }

    @Sendable private func endSession(_ call: Call<Principal>) async throws -> JSONText {
        let id: String = try call.value("id")
        let ended = try await editor.change { db, _ in
            guard let number = Int64(id) else { return Set<String>() }
            return try Sessions.end(of: try caller(call, in: db).number, only: number, in: db)
        }
        guard !ended.isEmpty else { throw RPCError.notFound("There is no session \(id); people.sessions lists them.") }
        endLive(ended)
        return .object { $0.member("id", id) }
    }

    /// Ends what is done by sessions that are ended in the store.
    private func endLive(_ sessions: Set<String>) {
        accounts.connections.end { _, identity in identity.session.map(sessions.contains) ?? false }
    }

    @Sendable private func signOut(_ call: Call<Principal>) async throws -> JSONText {
        let everywhere: Bool = try call.optional("everywhere") ?? false
        let generate: Bool = try call.optional("generate") ?? false
        let session = call.caller.identity?.session.flatMap { Int64($0) }
        let now = context.now()
        let hasPassword = try await store.read { db in
            try Self.password(of: try caller(call, in: db).number, in: db) != nil
        }
        var generated: (text: String, kept: String)?
        if !hasPassword {
            guard generate else {
                throw RPCError.conflict(
                    "There is no password to come back with: set one with people.setPassword, or say generate to be "
                        + "mailed one.",
                    data: ["reason": "no password", "ways": ["people.setPassword", "generate"]])
            }
            let text = Secret.password()
            generated = (text, try await keep(text, for: call))
        }
        let (ended, users) = try await editor.change { [generated, outbox = accounts.outbox] db, _ in
            let person = try caller(call, in: db)
            if let generated, try Self.password(of: person.number, in: db) == nil {
                try Self.setPassword(generated.kept, of: person.number, in: db)
                try outbox.add(.password(generated.text, to: person), at: now, in: db)
            }
            if everywhere {
                return (
                    try Sessions.end(of: person.number, in: db), try Sessions.unlink(person.number, in: db)
                )
            }
            guard let session else { return ([], []) }
            return (try Sessions.end(of: person.number, only: session, in: db), [])
        }
        accounts.connections.unlink(users)
        endLive(ended)
        call.caller.identity = nil
        return .object { $0.member("ended", ended.count) }
    }

    /// What is to be kept of a password; it is counted before it is hashed.
    ///
    /// - Throws: 5 where there are too many, with `data.retry_after`.
    private func keep(_ password: String, for call: Call<Principal>) async throws -> String {
        let (origin, now) = (call.caller.origin, context.now())
        try await editor.change { db, _ in try RateLimits.count(.hashing, by: origin.key, now: now, in: db) }
        return try await accounts.passwords.keep(password, for: origin)
    }

    @Sendable private func setPassword(_ call: Call<Principal>) async throws -> JSONText {
        let new: String = try call.value("new")
        try PersonalText.password(new, "new")
        guard try call.value("again") == new else { throw RPCError.invalid("again", "must be the same password") }
        let number = try await store.read { try caller(call, in: $0).number }
        let before = try await store.read { try Self.password(of: number, in: $0) }
        if before != nil {
            guard let current: String = try call.optional("current") else {
                throw RPCError.notAllowed("There is a password; current must be it.")
            }
            _ = try await verify(current, of: number, for: call)
        }
        let kept = try await keep(new, for: call)
        let session = call.caller.identity?.session.flatMap { Int64($0) }
        let origin = call.caller.origin
        let (ended, users) = try await editor.change { db, _ in
            guard try caller(call, in: db).number == number, try Self.password(of: number, in: db) == before else {
                throw Self.wrongPassword
            }
            try Self.setPassword(kept, of: number, in: db)
            try db.cachedStatement(sql: "DELETE FROM sign_in_code WHERE person = ?").execute(arguments: [number])
            return (
                try Sessions.end(of: number, except: session, in: db),
                try Sessions.unlink(number, except: origin.user, in: db)
            )
        }
        accounts.connections.unlink(users)
        endLive(ended)
        return .object { $0.member("ended", ended.count) }
    }
}

extension Mail {
    /// A mail with a password that was made for someone.
    static func password(_ password: String, to person: Person) -> Mail {
        Mail(
            to: person.email, name: person.name, subject: "Your password",
            body: """
                Hello \(person.name),

                this password was made for you as you signed out without one:

                    \(password)

                Your username is \(person.id). You can choose another password once you have signed in.
                """)
    }
}
