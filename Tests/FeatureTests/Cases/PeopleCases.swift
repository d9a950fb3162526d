import FeatureSupport
import GRDB
import RPC
import Store
import Testing

@testable import People
@testable import Service
@testable import SocketServer

/// Signs up as a guest and returns the ticket, with the mailed code or a wrong one.
private func ticket(
    rightCode: Bool? = nil, meanwhile: @escaping @Sendable (CoreFixture) async throws -> Void = { _ in }
) -> MethodCase.Preparation {
    { core in
        let answer = try await core.call("people.signUp", CoreFixture.ada, from: CoreFixture.guest)
        try await meanwhile(core)
        var parameters: JSONObject = ["ticket": try #require(answer["ticket"])]
        if let rightCode {
            let code = try rightCode ? core.code(to: "ada@example.com") : core.wrongCode(to: "ada@example.com")
            parameters["code"] = .string(code)
        }
        return parameters
    }
}

/// Makes calls of people.
private func after(_ calls: (String, String, JSONObject)...) -> MethodCase.Preparation {
    { core in
        for (person, method, parameters) in calls { try await core.call(as: person, method, parameters) }
        return [:]
    }
}

/// Gives ada a password.
private let withPassword = after(
    ("ada", "people.setPassword", ["new": "correct horse", "again": "correct horse"]))

extension MethodCase {
    /// The cases of accounts, of relations between people, and of mails.
    static let people: [MethodCase] = accounts + admission + profiles + circles + lists + friends + crew + mails

    private static func signUp(_ change: (inout JSONObject) -> Void) -> JSONObject {
        var parameters = CoreFixture.ada
        change(&parameters)
        return parameters
    }

    private static let accounts: [MethodCase] = [
        .good("people.signUp", as: .guest, CoreFixture.ada),
        .bad(
            .conflict, nil, "people.signUp", as: .guest,
            signUp {
                $0["email"] = "BOB@example.org"; $0["email_again"] = nil
            }),
        .bad(.conflict, nil, "people.signUp", as: .guest, signUp { $0["username"] = "Bob" }),
        .bad(.invalidValue, "terms", "people.signUp", as: .guest, signUp { $0["terms"] = false }),
        .good(
            "people.signUp", as: .guest,
            signUp {
                for name in ["username", "password", "password_again"] { $0[name] = nil }
                $0["form"] = "code"
            }),
        .bad(
            .invalidValue, "username", "people.signUp", as: .guest,
            signUp {
                $0["username"] = nil; $0["form"] = "password"
            }),
        .good("people.prove", as: .guest, after: ticket(rightCode: true)),
        .bad(.notAllowed, nil, "people.prove", as: .guest, after: ticket(rightCode: false)),
        .bad(.notFound, nil, "people.prove", as: .guest, ["ticket": "none", "code": "123456"]),
        .bad(
            .conflict, nil, "people.prove", as: .guest,
            after: ticket(rightCode: true) { core in
                // Meanwhile another person has proven the username.
                try await core.admit(
                    signUp {
                        $0["email"] = "other@example.com"; $0["email_again"] = nil
                    })
            }),
        .good("people.correct", as: .guest, ["email": "ada@example.net"], after: ticket()),
        .bad(.notFound, nil, "people.correct", as: .guest, ["ticket": "none", "email": "ada@example.net"]),
        .bad(.conflict, nil, "people.correct", as: .guest, ["email": "bob@example.org"], after: ticket()),
        .bad(.invalidValue, "email", "people.correct", as: .guest, ["email": "ada"], after: ticket()),
        .good("people.resend", as: .guest, after: ticket()),
        .bad(.notFound, nil, "people.resend", as: .guest, ["ticket": "none"]),
    ]

    private static let admission: [MethodCase] = [
        .good("people.sendCode", as: .guest, ["account": "ada"]),
        .bad(.notFound, nil, "people.sendCode", as: .guest, ["account": "nobody@example.org"]),
        .bad(.notAllowed, nil, "people.sendCode", as: .guest, ["account": "ada@example.com"]) { core in
            try await core.call("people.signUp", CoreFixture.ada)
            return [:]
        },
        .good("people.signIn", as: .guest, ["account": "ada", "password": "correct horse"], after: withPassword),
        .bad(.notFound, nil, "people.signIn", as: .guest, ["account": "nobody", "password": "correct horse"]),
        .bad(
            .notAllowed, nil, "people.signIn", as: .guest, ["account": "ada", "password": "wrong"], after: withPassword),
        .bad(.notAllowed, nil, "people.signIn", as: .guest, ["account": "ada", "password": "none is set"]),
        .bad(.notAllowed, nil, "people.signIn", as: .guest, ["account": "ada", "code": "123456"]),
        .bad(.invalidValue, "password", "people.signIn", as: .guest, ["account": "ada"]),
        .bad(.invalidValue, "code", "people.signIn", as: .guest, ["account": "ada", "code": "1", "password": "2"]),
        .good("people.resume", as: .guest) { core in ["token": .string(try await core.admit().token)] },
        .bad(.notAllowed, nil, "people.resume", as: .guest, ["token": "none"]),
        .good("people.whoami", as: .guest),
        .good("people.sessions", as: .person("ada")),
        .good("people.signOut", as: .person("ada"), after: withPassword),
        .bad(.conflict, nil, "people.signOut", as: .person("ada")),
        .good("people.setPassword", as: .person("ada"), ["new": "correct horse", "again": "correct horse"]),
        .bad(
            .notAllowed, nil, "people.setPassword", as: .person("ada"),
            ["new": "battery staple", "again": "battery staple"],
            after: withPassword),
        .bad(
            .notAllowed, nil, "people.setPassword", as: .person("ada"),
            ["new": "battery staple", "again": "battery staple", "current": "wrong"], after: withPassword),
        .bad(
            .invalidValue, "again", "people.setPassword", as: .person("ada"),
            ["new": "battery staple", "again": "battery"]),
        .bad(.invalidValue, "new", "people.setPassword", as: .person("ada"), ["new": "short", "again": "short"]),
        .bad(.notFound, nil, "people.endSession", as: .person("ada"), ["id": "7"]),
        .good("people.endSession", as: .person("ada")) { core in
            try await core.store.write { db in
                let number = try People.get("ada", in: db).number
                let session = try Sessions.open(
                    for: number, in: BrowserName(userAgent: nil), at: core.clock.time, in: db)
                return ["id": .string(String(session.number))]
            }
        },
        .good("people.linkUser", as: .person("ada")),
        .bad(.conflict, nil, "people.linkUser", as: .person("ada"), after: after(("bob", "people.linkUser", [:]))),
        .good("people.unlinkUser", as: .person("ada"), after: after(("ada", "people.linkUser", [:]))),
        .bad(.notFound, nil, "people.unlinkUser", as: .person("ada"), after: after(("bob", "people.linkUser", [:]))),
        .good("people.admin", as: .admin, ["person": "ada"]),
        .bad(.notAllowed, nil, "people.admin", as: .person("ada"), ["person": "ada"]),
        .bad(.notFound, nil, "people.admin", as: .admin, ["person": "nobody"]),
        .bad(.notFound, nil, "people.admin", as: .admin, ["person": "ada", "remove": true]),
        .bad(.conflict, nil, "people.admin", as: .admin, ["person": "ada"]) { core in
            try await core.store.write { db in
                for number in 1...100 {
                    try People.add(
                        "admin\(number)", firstName: "A", lastName: "", email: "admin\(number)@example.org",
                        password: nil, joined: core.clock.time, at: core.clock.time, in: db)
                }
                try db.execute(sql: "INSERT INTO administrator SELECT number, 0 FROM person WHERE id LIKE 'admin%'")
            }
            return [:]
        },
        .good("people.admins", as: .admin),
        .bad(.notAllowed, nil, "people.admins", as: .person("ada")),
    ]

    private static let profiles: [MethodCase] = [
        .good("people.profile", as: .person("ada")),
        .good("people.get", as: .guest, ["person": "ada"]),
        .bad(.notFound, nil, "people.get", as: .person("ada"), ["person": "nobody"]),
        .good("people.update", as: .person("ada"), ["phone": "+31 20 555 0100"]),
        .bad(.invalidValue, "born", "people.update", as: .person("ada"), ["born": "2001-02-29"]),
        .bad(.invalidValue, "phone", "people.update", as: .person("ada"), ["phone": "call me"]),
        .bad(.invalidValue, "gender", "people.update", as: .person("ada"), ["gender": "robot"]),
        .bad(.invalidValue, "website", "people.update", as: .person("ada"), ["website": "javascript:alert(1)"]),
        .bad(.invalidValue, "first_name", "people.update", as: .person("ada"), ["first_name": " "]),
        .good("people.changeEmail", as: .person("ada"), ["email": "ada@example.net"]),
        .bad(.invalidValue, "email", "people.changeEmail", as: .person("ada"), ["email": "@example.net"]),
        .bad(.conflict, nil, "people.changeEmail", as: .person("ada"), ["email": "bob@example.org"]),
        .good("people.proveEmail", as: .person("ada")) { core in
            try await core.call(as: "ada", "people.changeEmail", ["email": "ada@example.net"])
            return ["code": .string(try core.code(to: "ada@example.net"))]
        },
        .bad(.notAllowed, nil, "people.proveEmail", as: .person("ada"), ["code": "123456"]),
        .bad(.conflict, nil, "people.proveEmail", as: .person("ada")) { core in
            try await core.call(as: "ada", "people.changeEmail", ["email": "ada@example.com"])
            let code = try core.code(to: "ada@example.com")
            try await core.admit()
            return ["code": .string(code)]
        },
        .good("people.remove", as: .person("ada")),
        .bad(.notAllowed, nil, "people.remove", as: .person("ada"), ["password": "wrong"], after: withPassword),
        .good("people.invitation", as: .person("ada"), ["for": "sms"]),
        .bad(.unavailable, nil, "people.invitation", as: .person("ada"), ["for": "link"]),
        .good("people.help", as: .guest),
    ]

    private static let circles: [MethodCase] =
        [
            .good("people.search", as: .guest, ["text": "ADA"]),
            .bad(.notAllowed, nil, "people.search", as: .guest, ["among": "friends"]),
            .bad(.invalidValue, "after", "people.search", as: .guest, ["after": "x"]),
            .good("people.follow", as: .person("ada"), ["person": "bob"]),
            .bad(.notFound, nil, "people.follow", as: .person("ada"), ["person": "nobody"]),
            .bad(.invalidValue, "person", "people.follow", as: .person("ada"), ["person": "ada"]),
            .good("people.unfollow", as: .person("ada"), ["person": "bob"]),
            .bad(.notFound, nil, "people.unfollow", as: .person("ada"), ["person": "nobody"]),
            .good("people.followMany", as: .person("ada"), ["people": ["bob", "cai"]]),
            .bad(.notFound, nil, "people.followMany", as: .person("ada"), ["people": ["bob", "nobody"]]),
            .bad(.invalidValue, "people", "people.followMany", as: .person("ada"), ["people": ["bob", "ada"]]),
            .good("people.suggested", as: .person("ada")),
        ]

    private static let lists: [MethodCase] = ["people.following", "people.followers"].flatMap(cases(of:))

    private static func cases(of list: String) -> [MethodCase] {
        [
            .good(list, as: .guest, ["person": "bob"]),
            .bad(.notFound, nil, list, as: .guest, ["person": "nobody"]),
            .bad(.notAllowed, nil, list, as: .guest),
            .bad(.invalidValue, "after", list, as: .person("ada"), ["after": "x"]),
        ]
    }

    /// Invites with bob's code and returns the form of a guest, or only the code.
    private static func invited(_ more: JSONObject = [:], by guest: Bool = true) -> MethodCase.Preparation {
        { core in
            let code = try #require(try await core.call(as: "bob", "people.invite")["code"])
            var form: JSONObject = guest ? CoreFixture.joining : [:]
            form["code"] = code
            for name in more.names { form[name] = more[name] }
            return form
        }
    }

    private static let crew: [MethodCase] = [
        .good("people.invite", as: .person("ada"), ["days": 3, "uses": 4]),
        .bad(.notFound, nil, "people.invite", as: .person("ada"), ["device": "none"]),
        .bad(.invalidValue, "uses", "people.invite", as: .person("ada"), ["uses": 101]),
        .bad(.unavailable, nil, "people.invite", as: .person("ada")) { core in
            for _ in 0..<Invitation.maximumCount { try await core.call(as: "ada", "people.invite") }
            return [:]
        },
        .good("people.invitations", as: .person("ada"), after: after(("ada", "people.invite", [:]))),
        .good(
            "people.revokeInvitation", as: .person("ada"), ["number": 1], after: after(("ada", "people.invite", [:]))),
        .bad(
            .notFound, nil, "people.revokeInvitation", as: .person("ada"), ["number": 1],
            after: after(("bob", "people.invite", [:]))),
        .good("people.previewInvitation", as: .guest, after: invited(by: false)),
        .bad(.notFound, nil, "people.previewInvitation", as: .guest, ["code": "abcd-efgh-jkmn-pqrs"]),
        .good("people.join", as: .guest, after: invited()),
        .good("people.join", as: .person("ada"), after: invited(by: false)),
        .bad(.notFound, nil, "people.join", as: .guest, after: invited(["code": "abcd-efgh-jkmn-pqrs"])),
        .bad(.conflict, nil, "people.join", as: .guest, after: invited(["username": "ada"])),
        .bad(.conflict, nil, "people.join", as: .person("bob"), after: invited(by: false)),
        .bad(.invalidValue, "first_name", "people.join", as: .guest, after: invited(by: false)),
        .bad(.invalidValue, "terms", "people.join", as: .guest, after: invited(["terms": false])),
        .bad(.invalidValue, "password_again", "people.join", as: .guest, after: invited(["password_again": "other"])),
    ]

    private static let friends: [MethodCase] = [
        .good("friends.list", as: .person("ada")),
        .bad(.notFound, nil, "friends.list", as: .person("ada"), ["person": "nobody"]),
        .bad(.notFound, nil, "friends.list", as: .person("ada"), ["person": "bob"]),
        .bad(.invalidValue, "after", "friends.list", as: .person("ada"), ["after": "x"]),
        .good("friends.requests", as: .person("ada"), ["direction": "out"]),
        .bad(.invalidValue, "direction", "friends.requests", as: .person("ada"), ["direction": "up"]),
        .good("friends.request", as: .person("ada"), ["person": "bob"]),
        .bad(.notFound, nil, "friends.request", as: .person("ada"), ["person": "nobody"]),
        .bad(.invalidValue, "person", "friends.request", as: .person("ada"), ["person": "ada"]),
        .bad(
            .conflict, nil, "friends.request", as: .person("ada"), ["person": "bob"],
            after: after(("ada", "friends.request", ["person": "bob"]))),
        .bad(
            .conflict, nil, "friends.request", as: .person("ada"), ["person": "bob"],
            after: after(("bob", "friends.request", ["person": "ada"]))),
        .bad(
            .conflict, nil, "friends.request", as: .person("ada"), ["person": "bob"],
            after: after(
                ("bob", "friends.request", ["person": "ada"]), ("ada", "friends.confirm", ["person": "bob"]))),
        .good(
            "friends.cancel", as: .person("ada"), ["person": "bob"],
            after: after(("ada", "friends.request", ["person": "bob"]))),
        .bad(
            .notFound, nil, "friends.cancel", as: .person("ada"), ["person": "bob"],
            after: after(("bob", "friends.request", ["person": "ada"]))),
        .good(
            "friends.confirm", as: .person("ada"), ["person": "bob"],
            after: after(("bob", "friends.request", ["person": "ada"]))),
        .bad(
            .notFound, nil, "friends.confirm", as: .person("ada"), ["person": "bob"],
            after: after(("ada", "friends.request", ["person": "bob"]))),
        .good(
            "friends.decline", as: .person("ada"), ["person": "bob"],
            after: after(("bob", "friends.request", ["person": "ada"]))),
        .bad(
            .notFound, nil, "friends.decline", as: .person("ada"), ["person": "bob"],
            after: after(("ada", "friends.request", ["person": "bob"]))),
        .good(
            "friends.remove", as: .person("ada"), ["person": "bob"],
            after: after(
                ("bob", "friends.request", ["person": "ada"]), ("ada", "friends.confirm", ["person": "bob"]))),
        .bad(.notFound, nil, "friends.remove", as: .person("ada"), ["person": "bob"]),
    ]

    private static let mails: [MethodCase] = [
        .good("mail.list", as: .admin),
        .bad(.invalidValue, "after", "mail.list", as: .admin, ["after": "x"]),
    ]
}
