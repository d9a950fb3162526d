#if Companion
import Callers
import GRDB
import Glibc
import RPC
import Service
import Store
import Time

extension PeopleMethods {
    /// The methods that link users of the machine to people and unlink them.
    var users: [Method<Principal>] {
        [
            .stored(
                "people.linkUser", "Lets the calling user of the machine act as you from now on.",
                answers: Self.user, errors: [.conflict], right: .person, handler: linkUser),
            .stored(
                "people.unlinkUser", "Stops a user of the machine from acting as you.",
                Parameter<Int64?>.optional(
                    "user", .integer(in: 0...Int64(uid_t.max)), "The user's number, that of the caller by default."
                )
                .map { $0.map { uid_t(truncatingIfNeeded: $0) } },
                answers: Self.user, errors: [.notFound], right: .person, handler: unlinkUser),
        ]
    }

    private static let user = AnswerShape<uid_t>.object { Member("user", .integer, "The number of the user.") { $0 } }

    @Sendable private func linkUser(_ call: Call<Principal>) async throws -> uid_t {
        let user = try call.user()
        let now = context.now()
        let person = try await editor.change { db, _ in
            let person = try caller(call, in: db)
            let other = try Int64.fetchOne(
                db.cachedStatement(sql: "SELECT person FROM person_user WHERE user = ?"), arguments: [Int64(user)])
            guard other == nil || other == person.number else {
                throw Refusal.conflict(
                    "The user \(user) acts as another person, who must call people.unlinkUser first.")
            }
            try db.cachedStatement(sql: "INSERT OR IGNORE INTO person_user (user, person, since) VALUES (?, ?, ?)")
                .execute(arguments: [Int64(user), person.number, now.milliseconds])
            return person.id
        }
        accounts.connections.link(user, to: person)
        return user
    }

    @Sendable private func unlinkUser(_ call: Call<Principal>, _ given: uid_t?) async throws -> uid_t {
        let user = try given ?? call.user()
        try await editor.change { db, _ in
            let person = try caller(call, in: db)
            try db.cachedStatement(sql: "DELETE FROM person_user WHERE user = ? AND person = ?")
                .execute(arguments: [Int64(user), person.number])
            guard db.changesCount > 0 else {
                throw Refusal.notFound("The user \(user) does not act as \(person.id).")
            }
        }
        accounts.connections.unlink([user])
        return user
    }
}
#endif
