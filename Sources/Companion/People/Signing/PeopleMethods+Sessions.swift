#if Companion
import Callers
import GRDB
import Glibc
import RPC
import Service
import Store
import Time

extension PeopleMethods {
    var sessions: [Method<Principal>] {
        [
            .stored(
                "people.whoami",
                "Returns who is signed in on this connection, and by which session or user of the machine.",
                answers: Actor.shape, right: .read,
                handler: whoami),
            .stored(
                "people.sessions", "Lists your sessions, and the users of the machine that act as you.",
                answers: ActiveSignIns.shape, right: .person, handler: list),
            .stored(
                "people.endSession", "Ends one of your sessions immediately, and signs out its connections.",
                Parameter<String>.required("id", .string(length: 1...20), "The session's id."),
                answers: Self.named("id", "The session's id."), errors: [.notFound], right: .person,
                handler: endSession),
            .stored(
                "people.signOut", "Ends this session; if you have no password, set one first or use `generate`.",
                .optional(
                    "everywhere", .boolean, default: false,
                    "Whether to end all your sessions and unlink all users of the machine that act as you."),
                .optional(
                    "generate", .boolean, default: false,
                    "Whether to generate a password and mail it to you if you have none."),
                answers: Self.ended("The number of sessions that ended."), errors: [.conflict], right: .person,
                handler: signOut
            ).conversing(Conversation(session: .ends)),
            .stored(
                "people.setPassword",
                "Sets your password, ends your other sessions, and unlinks other users of the machine that act as you.",
                Parameter<String>.required("new", Self.password, "The new password, of at least 8 characters."),
                Parameter<String>.required("again", Self.password, "The new password again."),
                Parameter<String?>.optional(
                    "current", Self.password, "The current password; required if you have one and give no code."),
                Parameter<String?>.optional(
                    "code", .string(length: 1...32),
                    "A code mailed by people.sendCode, if you have forgotten the current password."),
                answers: Self.ended("The number of other sessions that ended."), errors: [.invalidValue, .notAllowed],
                right: .person, handler: setPassword),
        ]
    }

    private static func ended(_ doc: String) -> AnswerShape<Int> { .object { Member("ended", .integer, doc) { $0 } } }

    /// The person who acts through a connection, and the session or user that proves it.
    private struct Actor: Answerable, Sendable {
        var person: PersonRow?
        var session: String?
        var user: UInt32?
        var isAdmin: Bool

        static let shape = AnswerShape<Actor>.object {
            Member.optional("person", PersonRow.shape, "The signed-in person; absent if nobody is signed in.") {
                $0.person
            }
            Member.optional(
                "session", .text, "The id of the session; absent if you are signed in as a user of the machine."
            ) {
                $0.session
            }
            Member.optional(
                "user", .integer, "The number of the user of the machine that calls; absent for other callers."
            ) { $0.user }
            Member("admin", .boolean, "Whether you are an administrator.") { $0.isAdmin }
        }
    }

    @Sendable private func whoami(_ call: Call<Principal>) async throws -> Actor {
        let (viewer, identity) = (call.viewer, call.caller.identity)
        let person = try await store.read { db in
            try People.number(of: viewer, in: db).map { try People.row(of: $0, for: viewer, in: db) }
        }
        return Actor(
            person: person, session: identity?.session, user: call.caller.origin.user, isAdmin: viewer.isAdmin)
    }

    /// The sessions and users of the machine that let somebody act as a person without a password.
    private struct ActiveSignIns: Answerable, Sendable {
        var sessions: [Session]
        var users: [uid_t]

        struct Session: Answerable, Sendable {
            var id: String
            var made: Timestamp
            var used: Timestamp
            var isCurrent: Bool
            var program: String?
            var system: String?

            static let shape = AnswerShape<Session>.object {
                Member("id", .text, "The id, for people.endSession.") { $0.id }
                Member("made", .time, "The time at which the session was opened.") { $0.made }
                Member("used", .time, "The time at which the session was opened or last resumed, to the hour.") {
                    $0.used
                }
                Member("current", .boolean, "Whether this connection uses the session.") { $0.isCurrent }
                Member.optional(
                    "program", .text, "The browser that opened it, such as Firefox; absent if it is unknown."
                ) { $0.program }
                Member.optional("system", .text, "The browser's system, such as Android; absent if it is unknown.") {
                    $0.system
                }
            }
        }

        static let shape = AnswerShape<ActiveSignIns>.object {
            Member("sessions", .array(of: Session.shape), "Your sessions, most recently used first.") { $0.sessions }
            Member("users", .array(of: .integer), "The numbers of the users of the machine that act as you.") {
                $0.users
            }
        }
    }

    @Sendable private func list(_ call: Call<Principal>) async throws -> ActiveSignIns {
        let (current, now) = (call.caller.identity?.session, context.now())
        return try await store.read { db in
            let person = try caller(call, in: db)
            let sessions = try NamedRow.soundList(
                db.cachedStatement(
                    sql: """
                        SELECT number, made, used, program, system FROM session WHERE person = ? AND used > ?
                        ORDER BY used DESC, number DESC
                        """),
                arguments: [person.number, now.milliseconds - Sessions.lifetime]
            ) { row in
                let id = String(row["number"] as Int64)
                return ActiveSignIns.Session(
                    id: id, made: Timestamp(milliseconds: row["made"]), used: Timestamp(milliseconds: row["used"]),
                    isCurrent: id == current, program: row["program"], system: row["system"])
            }
            return ActiveSignIns(sessions: sessions, users: try Sessions.users(of: person.number, in: db))
        }
    }

    @Sendable private func endSession(_ call: Call<Principal>, _ id: String) async throws -> String {
        let ended = try await editor.change { db, _ in
            guard let number = Int64(id) else { return Set<String>() }
            return try Sessions.end(of: try caller(call, in: db).number, only: number, in: db)
        }
        guard !ended.isEmpty else {
            throw Refusal.notFound("You have no session \(id). people.sessions lists your sessions.")
        }
        endLive(ended)
        return id
    }

    /// Signs out the connections of sessions that were deleted from the store.
    private func endLive(_ sessions: Set<String>) {
        accounts.connections.end { _, identity in identity.session.map(sessions.contains) ?? false }
    }

    @Sendable private func signOut(
        _ call: Call<Principal>, everywhere: Bool, generate: Bool
    ) async throws -> Int {
        let session = call.caller.identity?.session.flatMap { Int64($0) }
        let now = context.now()
        let hasPassword = try await store.read { db in
            try Self.password(of: try caller(call, in: db).number, in: db) != nil
        }
        var generated: (text: String, kept: String)?
        if !hasPassword {
            guard generate else {
                throw Refusal.conflict(
                    "You have no password to sign in with later. Call people.setPassword to set one, or set generate "
                        + "to true to get one by mail.",
                    data: ["reason": "no password", "ways": ["people.setPassword", "generate"]])
            }
            let text = Secret.password()
            generated = (text, try await hashPassword(text, for: call))
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
        return ended.count
    }

    /// Hashes a password, and counts it before hashing.
    ///
    /// - Throws: `Refusal` (`.unavailable`) with `data.retry_after` after too many passwords.
    private func hashPassword(_ password: String, for call: Call<Principal>) async throws -> String {
        let (origin, now) = (call.caller.origin, context.now())
        try await editor.change { db, _ in try RateLimits.count(.hashing, by: origin.host, now: now, in: db) }
        return try await accounts.passwords.hash(password, for: origin)
    }

    @Sendable private func setPassword(
        _ call: Call<Principal>, to new: String, again: String, current: String?, code: String?
    ) async throws -> Int {
        try Passwords.check(new, "new")
        guard again == new else { throw Refusal.invalid("again", "must be the same password") }
        let number = try await store.read { try caller(call, in: $0).number }
        let before = try await store.read { try Self.password(of: number, in: $0) }
        if let code {
            try await useCode(code, of: number, for: call)
        } else if before != nil {
            guard let current else {
                throw Refusal.notAllowed(
                    "You have a password. Give it as current, or give a code that people.sendCode mailed.")
            }
            try await verify(current, of: number, for: call)
        }
        let kept = try await hashPassword(new, for: call)
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
        return ended.count
    }
}

extension Mail {
    /// Returns a mail with a generated password.
    static func password(_ password: String, to person: Person) -> Mail {
        Mail(
            to: person.email, name: person.name, subject: "Your password",
            body: """
                Hello \(person.name),

                this password was generated for you because you signed out without having one:

                    \(password)

                Your username is \(person.id). You can choose another password once you have signed in.
                """)
    }
}
#endif
