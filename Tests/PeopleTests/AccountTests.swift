import Callers
import FeatureSupport
import GRDB
import RPC
import Store
import Testing
import Time

@testable import People
@testable import Service

@Suite struct AccountTests {
    private let core: CoreFixture

    init() throws {
        var settings = AccountSettings()
        settings.support = "help@example.org"
        core = try CoreFixture(accounts: settings)
        try core.people("bob")
    }

    private func changed(_ change: (inout JSONObject) -> Void) -> JSONObject {
        var parameters = CoreFixture.ada
        change(&parameters)
        return parameters
    }

    private func refusal(
        _ method: String, _ parameters: JSONObject, from connection: Principal? = nil
    ) async throws -> RPCError? {
        try await core.error(method, parameters, from: connection ?? CoreFixture.connection())
    }

    @Test(
        arguments: [
            ("first_name", nil), ("first_name", ""), ("first_name", " \n"), ("first_name", "A\u{202E}da"),
            ("last_name", nil), ("last_name", " "), ("email", nil), ("email", "ada"), ("email", "a b@example.com"),
            ("email", "ada@example.com\nBcc: all@example.com"), ("email_again", "ada@example.net"),
            ("password", nil), ("password", "short"), ("password_again", nil), ("password_again", "another one"),
            ("username", "a/b"), ("username", "..."), ("username", "ada lovelace"), ("terms", nil),
        ] as [(String, String?)])
    func aBadFieldIsNamedAndNoAccountIsCreated(_ field: String, _ value: String?) async throws {
        let error = try await refusal("people.signUp", changed { $0[field] = value.map { .string($0) } })
        #expect(error?.code == .invalidValue)
        #expect(error?.data?["field"].text == field)
        #expect(try core.accounts() == (1, 0))
        #expect(try await core.call("mail.list")["mails"].elements.isEmpty)
    }

    /// TourGuide's form has a username and a password twice, Vote's form has the address twice.
    @Test(
        arguments: [
            ("password", "username"), ("password", "password"), ("code", "email_again"), (nil, "password"),
        ])
    func eachFormRequiresItsFields(_ form: String?, _ field: String) async throws {
        let error = try await refusal(
            "people.signUp",
            changed {
                $0["form"] = form.map { .string($0) }
                if field == "password" { $0["password_again"] = nil }
                // The repeated address would be enough.
                if form == nil { $0["email_again"] = nil }
                $0[field] = nil
            })
        #expect(error?.code == .invalidValue)
        #expect(error?.data?["field"].text == field)
        #expect(try core.accounts() == (1, 0))
    }

    @Test(arguments: ["password", "code", nil])
    func aCompleteFormSignsUp(_ form: String?) async throws {
        try await core.call(
            "people.signUp",
            changed {
                $0["form"] = form.map { .string($0) }
                if form == "password" { $0["email_again"] = nil }
                if form == "code" { for name in ["username", "password", "password_again"] { $0[name] = nil } }
            })
        #expect(try core.accounts() == (1, 1))
    }

    @Test func termsMustBeAccepted() async throws {
        let error = try await refusal("people.signUp", changed { $0["terms"] = false })
        #expect(error?.data?["field"].text == "terms")
        #expect(try core.accounts() == (1, 0))
    }

    @Test func anUnprovenSignUpIsNotSignedInAndCanDoNothing() async throws {
        let connection = CoreFixture.connection()
        let answer = try await core.call("people.signUp", CoreFixture.ada, from: connection)
        #expect(answer["id"].text == "ada.l")
        #expect(connection.person == nil)
        #expect(try core.accounts() == (1, 1))
        for (method, parameters) in [
            ("people.profile", [:]), ("people.signIn", ["account": "ada.l", "password": "analytical engine"]),
            ("people.sendCode", ["account": "ada@example.com"]), ("friends.request", ["person": "bob"]),
        ] as [(String, JSONObject)] {
            #expect(try await refusal(method, parameters, from: connection)?.code == .notAllowed, "\(method)")
        }
        #expect(try await refusal("people.get", ["person": "ada.l"])?.code == .notFound)
        #expect(try await core.call("people.search", ["text": "lovelace"])["people"].elements.isEmpty)
    }

    @Test func theRightCodeCreatesTheAccountAndSignsIn() async throws {
        let (connection, token) = try await core.admit()
        #expect(connection.person == "ada.l")
        #expect(try await core.call("people.whoami", [:], from: connection)["person"]?["name"].text == "Ada Lovelace")
        let again = CoreFixture.connection()
        let resumed = try await core.call("people.resume", ["token": .string(token)], from: again)
        #expect(resumed["person"].text == "ada.l")
        #expect(again.person == "ada.l")
        #expect(try core.accounts() == (2, 0))
    }

    @Test func aWrongExpiredOrForeignCodeIsRefused() async throws {
        let connection = CoreFixture.connection()
        let ticket = try #require(try await core.call("people.signUp", CoreFixture.ada, from: connection)["ticket"])
        let other = changed {
            $0["username"] = "eve"
            $0["email"] = "eve@example.com"
            $0["email_again"] = nil
        }
        try await core.call("people.signUp", other, from: connection)
        let first = try core.code(to: "ada@example.com")
        var refused = [try core.wrongCode(to: "ada@example.com")]
        if try core.code(to: "eve@example.com") != first { refused.append(try core.code(to: "eve@example.com")) }
        for code in refused {
            let error = try await refusal("people.prove", ["ticket": ticket, "code": .string(code)], from: connection)
            #expect(error?.code == .notAllowed)
        }
        // Replaced by a newer code.
        try await core.call("people.resend", ["ticket": ticket], from: connection)
        let second = try core.code(to: "ada@example.com")
        if second != first {
            let old = try await refusal("people.prove", ["ticket": ticket, "code": .string(first)], from: connection)
            #expect(old?.code == .notAllowed)
        }
        // One millisecond too old.
        core.clock.time = Timestamp(milliseconds: core.clock.time.milliseconds + MailedCode.lifetime)
        let late = try await refusal("people.prove", ["ticket": ticket, "code": .string(second)], from: connection)
        #expect(late?.code == .notAllowed)
        core.clock.time = Timestamp(milliseconds: core.clock.time.milliseconds - 1)
        #expect(connection.person == nil)
        try await core.call("people.prove", ["ticket": ticket, "code": .string(second)], from: connection)
        #expect(connection.person == "ada.l")
        // Already used.
        #expect(try await refusal("people.prove", ["ticket": ticket, "code": .string(second)])?.code == .notFound)
    }

    @Test func afterTooManyTriesANewCodeIsNeeded() async throws {
        let ticket = try #require(try await core.call("people.signUp", CoreFixture.ada)["ticket"])
        let right = try core.code(to: "ada@example.com")
        let wrong = try core.wrongCode(to: "ada@example.com")
        for _ in 0..<MailedCode.maximumTries {
            #expect(try await refusal("people.prove", ["ticket": ticket, "code": .string(wrong)])?.code == .notAllowed)
        }
        #expect(try await refusal("people.prove", ["ticket": ticket, "code": .string(right)])?.code == .notAllowed)
        try await core.call("people.resend", ["ticket": ticket])
        let code = try core.code(to: "ada@example.com")
        try await core.call("people.prove", ["ticket": ticket, "code": .string(code)], from: CoreFixture.connection())
    }

    @Test func theAddressCanBeCorrectedBeforeItIsProven() async throws {
        let ticket = try #require(try await core.call("people.signUp", CoreFixture.ada)["ticket"])
        let old = try core.code(to: "ada@example.com")
        try await core.call("people.correct", ["ticket": ticket, "email": "Ada@Example.NET"])
        let new = try core.code(to: "ada@example.net")
        if old != new {
            #expect(try await refusal("people.prove", ["ticket": ticket, "code": .string(old)])?.code == .notAllowed)
        }
        let connection = CoreFixture.connection()
        try await core.call("people.prove", ["ticket": ticket, "code": .string(new)], from: connection)
        #expect(try await core.call("people.profile", [:], from: connection)["email"].text == "ada@example.net")
    }

    @Test func unprovenSignUpsReserveNeitherNameNorAddress() async throws {
        for _ in 0..<3 { try await core.call("people.signUp", CoreFixture.ada) }
        #expect(try core.accounts() == (1, 3))
        try await core.admit()
        // The other sign-ups with that address are deleted, with their tickets.
        #expect(try core.accounts() == (2, 0))
        let error = try await refusal("people.signUp", CoreFixture.ada)
        #expect(error?.code == .conflict)
        #expect(error?.data?["account"].text == "ada@example.com")
        #expect(error?.data?["ways"].elements.first == "people.signIn")
        // The next sign-up deletes the expired ones.
        try await core.call(
            "people.signUp",
            changed {
                $0["email"] = "x@example.com"; $0["email_again"] = nil; $0["username"] = nil
            })
        core.clock.time = Timestamp(milliseconds: core.clock.time.milliseconds + SignUps.lifetime)
        try await core.call(
            "people.signUp",
            changed {
                $0["email"] = "y@example.com"; $0["email_again"] = nil; $0["username"] = nil
            })
        #expect(try core.accounts() == (2, 1))
    }

    @Test func aUsernameIsMadeFromTheNameIfNoneIsChosen() async throws {
        var names: [String?] = []
        for number in 0..<3 {
            let (connection, _) = try await core.admit(
                changed {
                    $0["username"] = nil
                    $0["first_name"] = "Élise"
                    $0["last_name"] = "d’Arc"
                    $0["email"] = .string("e\(number)@example.com")
                    $0["email_again"] = nil
                })
            names.append(connection.person)
        }
        #expect(names == ["élise-d-arc", "élise-d-arc-2", "élise-d-arc-3"])
        #expect(
            try await refusal("people.signUp", changed { $0["username"] = "E\u{301}LISE-D-ARC" })?.code == .conflict)
    }

    @Test func anUnknownAccountIsReportedWithAlternatives() async throws {
        for parameters in [
            ["account": "nobody", "password": "x"], ["account": "nobody@example.org", "code": "1"],
        ] as [JSONObject] {
            let error = try await refusal("people.signIn", parameters)
            #expect(error?.code == .notFound)
            #expect(error?.data?["reason"].text == "unknown account")
            #expect(error?.data?["ways"].elements == ["people.signIn", "people.signUp"])
            #expect(error?.data?["support"].text == "help@example.org")
        }
    }

    @Test(arguments: ["ada.l", "ADA.L", "ada@example.com", "ADA@Example.com"])
    func signingInAcceptsUsernameOrAddressInAnyCase(_ account: String) async throws {
        try await core.admit()
        let connection = CoreFixture.connection()
        let parameters: JSONObject = ["account": .string(account), "password": "analytical engine"]
        let answer = try await core.call("people.signIn", parameters, from: connection)
        #expect(answer["person"].text == "ada.l")
        #expect(answer["complete"] == false)
        #expect(answer["missing"].elements == ["phone", "gender", "born", "website"])
        #expect(connection.person == "ada.l")
    }

    @Test func aMailedCodeSignsInOnce() async throws {
        let connection = CoreFixture.connection()
        try await core.call("people.sendCode", ["account": "bob"], from: connection)
        let code = try core.code(to: "bob@example.org")
        let parameters: JSONObject = [
            "account": "bob@example.org", "code": .string("\(code.prefix(3)) \(code.suffix(3))"),
        ]
        try await core.call("people.signIn", parameters, from: connection)
        #expect(connection.person == "bob")
        #expect(try await refusal("people.signIn", parameters)?.code == .notAllowed)
    }

    @Test func oneUsersFailuresDoNotLockOutAnother() async throws {
        try await core.admit()
        let (own, foreign) = (CoreFixture.connection(), CoreFixture.connection(user: 1001))
        let wrong: JSONObject = ["account": "ada.l", "password": "difference engine"]
        let right: JSONObject = ["account": "ada.l", "password": "analytical engine"]
        for _ in 0..<RateLimit.password.maximum {
            #expect(try await refusal("people.signIn", wrong, from: foreign)?.code == .notAllowed)
        }
        let error = try await refusal("people.signIn", right, from: foreign)
        #expect(error?.code == .unavailable)
        #expect(error?.data?["retry_after"] == .integer(RateLimit.password.span / 1000))
        try await core.call("people.signIn", right, from: own)
        // A person's codes are neither replaced nor used up by another user of the machine.
        try await core.call("people.sendCode", ["account": "ada.l"], from: own)
        let code = try core.code(to: "ada@example.com")
        try await core.call("people.sendCode", ["account": "ada.l"], from: foreign)
        for _ in 0...MailedCode.maximumTries {
            _ = try await refusal("people.signIn", ["account": "ada.l", "code": "x"], from: foreign)
        }
        try await core.call("people.signIn", ["account": "ada.l", "code": .string(code)], from: own)
        // After the span, the other user may try again.
        core.clock.time = Timestamp(milliseconds: core.clock.time.milliseconds + RateLimit.password.span)
        try await core.call("people.signIn", right, from: foreign)
    }

    @Test func mailedCodesAreRateLimited() async throws {
        for _ in 0..<RateLimit.mail.maximum { try await core.call("people.sendCode", ["account": "bob"]) }
        #expect(try await refusal("people.sendCode", ["account": "bob"])?.code == .unavailable)
        core.clock.time = Timestamp(milliseconds: core.clock.time.milliseconds + RateLimit.mail.span)
        try await core.call("people.sendCode", ["account": "bob"])
    }

    @Test func aPasswordWithOutdatedParametersIsRehashed() async throws {
        let cheap = try PasswordText("analytical engine", .init(logRounds: 2, blockSize: 8, parallelism: 1)).text
        try await core.store.write { db in
            try PeopleMethods.setPassword(cheap, of: try People.get("bob", in: db).number, in: db)
        }
        let parameters: JSONObject = ["account": "bob", "password": "analytical engine"]
        for _ in 0..<2 { try await core.call("people.signIn", parameters, from: CoreFixture.connection()) }
        let kept = try await core.store.read { db in
            try PeopleMethods.password(of: try People.get("bob", in: db).number, in: db)
        }
        #expect(kept?.hasPrefix("$scrypt$ln=4,r=8,p=1$") == true)
    }
}
