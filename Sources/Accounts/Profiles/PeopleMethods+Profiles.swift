import EventStream
import GRDB
import Positioning
import RPC
import Service
import Store
import TextCoding

extension PeopleMethods {
    var profiles: [Method<Principal>] {
        [
            .stored(
                "people.profile", "Your profile, whole.", result: Person.profile, right: .person,
                handler: profile),
            .stored(
                "people.get", "What one may see of a person.", parameters: [Self.person], result: Person.profile,
                errors: [.notFound], right: .read, handler: get),
            .stored(
                "people.update",
                "Changes what is given of one's profile; an empty text takes away what may be missing.",
                parameters: [
                    .optional("first_name", .string(length: 1...PersonalText.longestName), "The first name."),
                    .optional(
                        "last_name", .string(length: 0...PersonalText.longestName),
                        "The last name; empty for who has but one name."),
                    .optional("phone", .string(length: 0...PersonalText.longestPhone), "The telephone number."),
                    .optional(
                        "gender", .string(length: 0...20),
                        "The gender: \(PersonalText.genders.joined(separator: ", "))."),
                    .optional(
                        "born", .string(length: 0...10, format: "date"), "The day of birth, YYYY-MM-DD, no future one."),
                    .optional(
                        "website", .string(length: 0...PersonalText.longestWebsite),
                        "The address of a website, https:// or http://."),
                ],
                result: Person.profile, errors: [.invalidValue], right: .person, handler: update),
            .stored(
                "people.changeEmail", "Mails a code to a new address, by which people.proveEmail makes it yours.",
                parameters: [.required("email", Self.email, "The new address.")], result: Self.mailed,
                errors: [.invalidValue, .conflict], right: .person, handler: changeEmail),
            .stored(
                "people.proveEmail", "Takes a new address in place of the old one, proven by the code mailed to it.",
                parameters: [.required("code", Self.code, "The code that was mailed.")],
                result: .object([.required("email", .string, "The address.")]), errors: [.notAllowed, .conflict],
                right: .person, handler: proveEmail),
            .stored(
                "people.remove",
                "Removes your account with all that is yours; the username stays taken.",
                parameters: [.optional("password", Self.password, "The password, where there is one.")],
                result: .object([.required("id", .string, "The username.")]), errors: [.notAllowed], right: .person,
                question: "Remove your account with everything in it?", handler: remove),
        ]
    }

    @Sendable private func profile(_ call: Call<Principal>) async throws -> JSONText {
        try await store.read { db in try caller(call, in: db).profile(for: call.viewer, in: db) }
    }

    @Sendable private func get(_ call: Call<Principal>) async throws -> JSONText {
        let id: String = try call.value("person")
        return try await store.read { db in try People.get(id, in: db).profile(for: call.viewer, in: db) }
    }

    @Sendable private func update(_ call: Call<Principal>) async throws -> JSONText {
        let now = context.now()
        return try await editor.change { db, _ in
            var person = try caller(call, in: db)
            if let name: String = try call.optional("first_name") {
                person.firstName = try PersonalText.name(name, "first_name")
            }
            if let name: String = try call.optional("last_name") {
                person.lastName = name.isEmpty ? "" : try PersonalText.name(name, "last_name")
            }
            func detail(
                _ field: String, _ path: WritableKeyPath<Person.Details, String?>, _ read: (String) throws -> String
            ) throws {
                guard let text: String = try call.optional(field) else { return }
                person.details[keyPath: path] = text.isEmpty ? nil : try read(text)
            }
            try detail("phone", \.phone, PersonalText.phone)
            try detail("gender", \.gender, PersonalText.gender)
            try detail("born", \.born) { try PersonalText.born($0, now: now) }
            try detail("website", \.website, PersonalText.website)
            try db.cachedStatement(
                sql: """
                    UPDATE person SET first_name = ?, last_name = ?, phone = ?, gender = ?, born = ?, website = ?
                    WHERE number = ?
                    """
            ).execute(arguments: [
                person.firstName, person.lastName, person.details.phone, person.details.gender, person.details.born,
                person.details.website, person.number,
            ])
            return try person.profile(for: call.viewer, in: db)
        }
    }

    @Sendable private func changeEmail(_ call: Call<Principal>) async throws -> JSONText {
        let email = try PersonalText.email(try call.value("email"))
        let origin = call.caller.origin
        let now = context.now()
        let (text, code) = MailedCode.make(at: now)
        try await editor.change { [outbox = accounts.outbox] db, _ in
            let person = try caller(call, in: db)
            try SignUps.refuseTaken(email: email, in: db)
            try RateLimits.countMail(by: origin.key, to: email, now: now, in: db)
            let before = try String.fetchOne(
                db.cachedStatement(sql: "SELECT email FROM new_email WHERE person = ?"), arguments: [person.number])
            if let before { try Outbox.forget(before, of: person.name, in: db) }
            try db.cachedStatement(
                sql: "INSERT OR REPLACE INTO new_email (person, email, \(MailedCode.columns)) VALUES (?, ?, ?, ?, 0)"
            ).execute(arguments: [person.number, email, code.kept, code.made.milliseconds])
            try outbox.add(
                .code(text, to: email, name: person.name, for: "make this your address"), at: now, in: db)
        }
        return .object { $0.member("until", code.until.description) }
    }

    @Sendable private func proveEmail(_ call: Call<Principal>) async throws -> JSONText {
        let code: String = try call.value("code")
        let now = context.now()
        let email = try await editor.decide { db, _ -> Result<String, RPCError> in
            let person = try caller(call, in: db)
            let row = try Row.fetchOne(
                db.cachedStatement(sql: "SELECT email, \(MailedCode.columns) FROM new_email WHERE person = ?"),
                arguments: [person.number])
            guard let row else { return .failure(.notAllowed("No code was mailed; people.changeEmail does that.")) }
            let email: String = row[0]
            var mailed = MailedCode(row, from: 1)
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
        return .object { $0.member("email", email) }
    }

    @Sendable private func remove(_ call: Call<Principal>) async throws -> JSONText {
        let given: String? = try call.optional("password")
        let (number, kept) = try await store.read { db in
            let person = try caller(call, in: db)
            return (person.number, try Self.password(of: person.number, in: db))
        }
        if kept != nil {
            guard let given else { throw RPCError.notAllowed("There is a password; it must be given.") }
            _ = try await verify(given, of: number, for: call)
        }
        let (id, users) = try await editor.change { db, _ in
            let person = try caller(call, in: db)
            guard person.number == number else { throw Self.wrongPassword }
            let users = try Sessions.unlink(number, in: db)
            try People.remove(person, in: db)
            return (person.id, users)
        }
        accounts.connections.unlink(users)
        accounts.connections.end { $1.person == id }
        call.caller.identity = nil
        return .object { $0.member("id", id) }
    }
}
