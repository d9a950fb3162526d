#if Companion
import Callers
import GRDB
import RPC
import Service
import Store
import Time

extension PeopleMethods {
    var profiles: [Method<Principal>] {
        [
            .stored(
                "people.profile", "Returns your complete profile.", answers: Profile.shape, right: .person,
                handler: profile),
            .stored(
                "people.get", "Returns what you may see of a person's profile.", Self.person, answers: Profile.shape,
                errors: [.notFound], right: .read, handler: get),
            .stored(
                "people.update",
                "Changes the given fields of your profile; an empty text clears an optional field.",
                ProfileChange.parameter(now: context.now), answers: Profile.shape, errors: [.invalidValue],
                right: .person, handler: update),
            .stored(
                "people.changeEmail", "Mails a code to a new address, with which people.proveEmail makes it yours.",
                Self.email("The new mail address."), answers: Self.mailed, errors: [.invalidValue, .conflict],
                right: .person, handler: changeEmail),
            .stored(
                "people.proveEmail", "Replaces your mail address with the new one, proven by the code mailed to it.",
                Self.code, answers: Self.named("email", "The new mail address."), errors: [.notAllowed, .conflict],
                right: .person, handler: proveEmail),
            .stored(
                "people.remove",
                "Removes your account with everything that you have written and uploaded; the username stays taken, "
                    + "and the sights that you have added stay for others.",
                Parameter<String?>.optional("password", Self.password, "Your password; required if you have one."),
                answers: Self.named("id", "The username."), errors: [.notAllowed], right: .person,
                question:
                    "Remove your account with everything that you have written and uploaded? The sights that you have "
                    + "added stay.",
                handler: remove
            ).conversing(Conversation(session: .ends)),
        ]
    }

    @Sendable private func profile(_ call: Call<Principal>) async throws -> Profile {
        try await store.read { db in try Profile(try caller(call, in: db).id, for: call.viewer, in: db) }
    }

    @Sendable private func get(_ call: Call<Principal>, _ id: String) async throws -> Profile {
        try await store.read { db in try Profile(id, for: call.viewer, in: db) }
    }

    @Sendable private func update(_ call: Call<Principal>, _ change: ProfileChange) async throws -> Profile {
        try await editor.change { db, _ in
            var person = try caller(call, in: db)
            change.apply(to: &person)
            let columns = ["first_name", "last_name", "name_key"] + ProfileField.columns
            let name = [person.firstName, person.lastName, Person.nameKey(person.firstName, person.lastName)]
            let details = ProfileField.allCases.map { person.details[$0] }
            try db.cachedStatement(
                sql: "UPDATE person SET \(columns.map { "\($0) = ?" }.joined(separator: ", ")) WHERE number = ?"
            ).execute(arguments: StatementArguments(name) + StatementArguments(details) + [person.number])
            return try Profile(person.id, for: call.viewer, in: db)
        }
    }

    @Sendable private func changeEmail(_ call: Call<Principal>, to email: String) async throws -> Timestamp {
        let origin = call.caller.origin
        let now = context.now()
        let (text, code) = MailedCode.make(at: now)
        try await editor.decide { [outbox = accounts.outbox] db, _ in
            let person = try caller(call, in: db)
            let check = try AccountQuestion.checking(by: origin, at: now, in: db) {
                try SignUps.refuseTaken(email: email, in: db)
                try RateLimits.countMail(by: origin, to: email, hasAccount: false, now: now, in: db)
            }
            if case .failure = check { return check }
            let before = try String.fetchOne(
                db.cachedStatement(sql: "SELECT email FROM new_email WHERE person = ?"), arguments: [person.number])
            if let before { try Outbox.forget(before, of: person.name, in: db) }
            try db.cachedStatement(
                sql: "INSERT OR REPLACE INTO new_email (person, email, \(MailedCode.columns)) VALUES (?, ?, ?, ?, 0)"
            ).execute(arguments: [person.number, email, code.saltedDigest, code.made.milliseconds])
            try outbox.add(
                .code(text, to: email, name: person.name, for: "make this your mail address"), at: now, in: db)
            return .success(())
        }
        return code.until
    }

    @Sendable private func proveEmail(_ call: Call<Principal>, by code: String) async throws -> String {
        let now = context.now()
        return try await editor.decide { db, _ -> Result<String, Refusal> in
            let person = try caller(call, in: db)
            let row = try NamedRow.fetchOne(
                db.cachedStatement(sql: "SELECT email, \(MailedCode.columns) FROM new_email WHERE person = ?"),
                arguments: [person.number])
            guard let row else {
                return .failure(.notAllowed("No code was mailed to you. Call people.changeEmail first."))
            }
            let email: String = row["email"]
            var mailed = MailedCode(row)
            if let refusal = mailed.refusal(of: code, at: now, another: "people.changeEmail") {
                try db.cachedStatement(sql: "UPDATE new_email SET code_tries = ? WHERE person = ?")
                    .execute(arguments: [mailed.tries, person.number])
                return .failure(refusal)
            }
            try SignUps.refuseTaken(email: email, in: db)
            try db.cachedStatement(sql: "DELETE FROM new_email WHERE person = ?").execute(arguments: [person.number])
            try Outbox.forget(person.email, of: person.name, in: db)
            try db.cachedStatement(sql: "UPDATE person SET email = ?, proven = ? WHERE number = ?")
                .execute(arguments: [email, now.milliseconds, person.number])
            return .success(email)
        }
    }

    @Sendable private func remove(_ call: Call<Principal>, password given: String?) async throws -> String {
        let (number, kept) = try await store.read { db in
            let person = try caller(call, in: db)
            return (person.number, try Self.password(of: person.number, in: db))
        }
        if kept != nil {
            guard let given else { throw Refusal.notAllowed("Your account has a password. Give it as password.") }
            try await verify(given, of: number, for: call)
        }
        let (id, users) = try await editor.change { db, _ in
            let person = try caller(call, in: db)
            guard person.number == number else { throw Self.wrongPassword }
            let users = try Sessions.unlink(number, in: db)
            try People.remove(person, in: db)
            db.afterNextTransaction { [administrators = accounts.administrators] _ in
                administrators.remove(person.id)
            }
            return (person.id, users)
        }
        accounts.connections.unlink(users)
        accounts.connections.end { $1.person == id }
        call.caller.identity = nil
        return id
    }
}
#endif
