import Callers
import FeatureSupport
import GRDB
import RPC
import Store
import Testing
import Time

@testable import People
@testable import Service

/// Invitation codes with which people join.
@Suite struct InvitationTests {
    private let core: CoreFixture

    init() throws {
        core = try CoreFixture()
        try core.people("ada", "bob")
    }

    private func join(_ code: JSONValue, _ more: JSONObject = [:], from connection: Principal) async throws -> JSONValue
    {
        var form = CoreFixture.joining
        form["code"] = code
        for name in more.names { form[name] = more[name] }
        return try await core.call("people.join", form, from: connection)
    }

    @Test func joiningCreatesAnAccountAFriendshipAndAPlaceOnBoard() async throws {
        try await core.store.write { _ = try Devices.add("van", to: $0) }
        try await core.call(as: "ada", "devices.join", ["device": "van"])
        let invitation = try await core.call(as: "ada", "people.invite")
        #expect(invitation["device"].text == "van")
        // Without an address for browsers, a link would open nothing.
        #expect(invitation["link"] == nil)
        let code = try #require(invitation["code"])
        let connection = CoreFixture.connection()
        let joined = try await join(code, from: connection)
        #expect(joined["person"].text == "dora-deckhand")
        #expect(joined["friend"].text == "ada")
        #expect(joined["device"].text == "van")
        #expect(connection.person == "dora-deckhand")
        #expect(try await core.call(as: "ada", "friends.list")["people"].elements.ids == ["dora-deckhand"])
        let van = try await core.call("devices.list", [:], from: connection)["devices"].elements.first
        #expect(van?["people"].elements.compactMap(String.init(json:)) == ["ada", "dora-deckhand"])
        let told = try await core.call(as: "ada", "notifications.list")["notifications"].elements
        #expect(told.map { $0["text"].text } == ["<b>Dora Deckhand</b> is your friend now."])
        // The password signs in. No code can be mailed, as there is no address.
        let account: JSONObject = ["account": "dora-deckhand", "password": "a long way"]
        #expect(try await core.call("people.signIn", account, from: CoreFixture.connection())["person"].text != nil)
        let mail = try await core.error("people.sendCode", ["account": "dora-deckhand"], from: CoreFixture.guest)
        #expect(mail?.code == .unavailable)
        #expect(try await core.call("people.profile", [:], from: connection)["email"] == nil)
        #expect(try await core.call("mail.list")["mails"].elements.isEmpty)
    }

    @Test func anAddressGivenWhenJoiningIsProvenLater() async throws {
        let code = try #require(try await core.call(as: "ada", "people.invite")["code"])
        let connection = CoreFixture.connection()
        _ = try await join(code, ["email": "dora@example.org", "username": "dora"], from: connection)
        #expect(try await core.call("people.profile", [:], from: connection)["email"] == nil)
        let proof: JSONObject = ["code": .string(try core.code(to: "dora@example.org"))]
        #expect(try await core.call("people.proveEmail", proof, from: connection)["email"].text == "dora@example.org")
        #expect(try await core.call("people.profile", [:], from: connection)["email"].text == "dora@example.org")
    }

    @Test func aCodeEndsAfterItsUsesItsDaysOrItsRevocation() async throws {
        let code = try #require(try await core.call(as: "ada", "people.invite", ["uses": 2, "days": 1])["code"])
        // The code also works as a link, and without its hyphens.
        let link = JSONValue.string("  https://van.example:8470/join/\(String(json: code) ?? "")")
        _ = try await join(link, from: CoreFixture.connection())
        let typed = String(json: code)?.uppercased().replacing("-", with: "") ?? ""
        try await core.call(as: "bob", "people.join", ["code": .string(typed)])
        #expect(try await core.call(as: "ada", "people.invitations")["invitations"].elements.first?["used"].number == 2)
        let spent = try await core.error("people.join", ["code": code], from: CoreFixture.connection(as: "bob"))
        #expect(spent?.code == .notFound)

        let next = try #require(try await core.call(as: "ada", "people.invite", ["days": 1])["code"])
        core.clock.time = core.clock.time.advanced(byMilliseconds: Timestamp.millisecondsPerDay)
        #expect(try await core.error(as: "bob", "people.join", ["code": next])?.code == .notFound)
        #expect(try await core.call(as: "ada", "people.invitations")["invitations"].elements.isEmpty)

        let third = try #require(try await core.call(as: "ada", "people.invite")["code"])
        try await core.call(as: "ada", "people.revokeInvitation", ["number": 3])
        #expect(try await core.error(as: "bob", "people.join", ["code": third])?.code == .notFound)
    }

    @Test func aRefusedFormUsesNoCodeAndCreatesNoAccount() async throws {
        let code = try #require(try await core.call(as: "ada", "people.invite")["code"])
        for (field, value) in [
            ("terms", false), ("password_again", "another one"), ("username", "a/b"), ("email", "bob"),
        ] as [(String, JSONValue)] {
            var form = CoreFixture.joining
            form["code"] = code
            form[field] = value
            let error = try await core.error("people.join", form, from: CoreFixture.guest)
            #expect(error?.data?["field"].text == field)
        }
        #expect(try core.accounts() == (2, 0))
        #expect(try await core.call(as: "ada", "people.invitations")["invitations"].elements.first?["used"].number == 0)
    }

    @Test func codesAreNotStoredInPlainText() async throws {
        let code = try #require(try await core.call(as: "ada", "people.invite")["code"].text)
        let found = try await core.store.read { db in
            try Int.fetchOne(
                db, sql: "SELECT count(*) FROM invitation WHERE instr(CAST(digest AS TEXT), ?) > 0", arguments: [code])
        }
        #expect(found == 0)
    }
}
