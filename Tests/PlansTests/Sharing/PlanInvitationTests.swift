import Callers
import FeatureSupport
import GRDB
import RPC
import Store
import Testing
import Time

@testable import People
@testable import Service

/// Invitations by which people join a plan.
@Suite struct PlanInvitationTests {
    private let core: CoreFixture

    init() throws {
        core = try CoreFixture()
        try core.people("ada", "bob", "cai")
    }

    private func plan(level: String = "members") async throws -> String {
        let fields: JSONObject = [
            "title": "Rome", "start": "2026-05-01", "end": "2026-05-03", "level": .string(level),
        ]
        return try #require(try await core.call(as: "ada", "plans.create", fields)["id"].text)
    }

    private func invite(
        to plan: String, as person: String = "ada", _ more: JSONObject = [:]
    ) async throws -> JSONValue {
        var parameters: JSONObject = ["plan": .string(plan)]
        for name in more.names { parameters[name] = more[name] }
        return try #require(try await core.call(as: person, "members.invite", parameters)["code"])
    }

    /// Returns the members of a plan as `name:state:edits`.
    private func members(_ plan: String) async throws -> [String] {
        try await core.call(as: "ada", "members.list", ["plan": .string(plan)])["members"].elements.map {
            "\($0["id"].text ?? ""):\($0["state"].text ?? ""):\($0["role"].text ?? "")"
        }
    }

    @Test func aStrangerSignsUpBefriendsAndJoinsInOneCall() async throws {
        let plan = try await plan()
        let code = try await invite(to: plan)
        let shown = try await core.call("people.previewInvitation", ["code": code], from: CoreFixture.guest)
        #expect(shown["person"].text == "ada")
        #expect(shown["title"].text == "Rome")
        #expect(shown["begins"].text == "2026-05-01")
        #expect(shown["ends"].text == "2026-05-03")
        #expect(shown["subject"].text == "plan/\(plan)")
        #expect(shown["device"] == nil)
        let connection = CoreFixture.connection()
        var form = CoreFixture.joining
        form["code"] = code
        let joined = try await core.call("people.join", form, from: connection)
        #expect(joined["subject"].text == "plan/\(plan)")
        #expect(try await members(plan) == ["ada:member:owner", "dora-deckhand:member:reader"])
        #expect(try await core.call(as: "ada", "friends.list")["people"].elements.ids == ["dora-deckhand"])
        let seen = try await core.call("plans.get", ["plan": .string(plan)], from: connection)
        #expect(seen["title"].text == "Rome")
    }

    @Test func whoIsAMemberOrAskedJoinsWithoutAConflict() async throws {
        let plan = try await plan()
        try await core.call(as: "ada", "friends.request", ["person": "bob"])
        try await core.call(as: "bob", "friends.confirm", ["person": "ada"])
        try await core.call(as: "ada", "members.ask", ["plan": .string(plan), "person": "bob", "edits": true])
        let code = try await invite(to: plan)
        try await core.call(as: "bob", "people.join", ["code": code])
        #expect(try await members(plan) == ["ada:member:owner", "bob:member:editor"])
        // The request is answered, so nothing asks any more.
        let told = try await core.call(as: "bob", "notifications.list")["notifications"].elements
        #expect(!told.contains { $0["text"].text?.contains("asks you to join") ?? false })
        try await core.call(as: "bob", "people.join", ["code": code])
        #expect(try await members(plan) == ["ada:member:owner", "bob:member:editor"])
    }

    @Test func whoLeftComesBackAsTheInvitationSays() async throws {
        let plan = try await plan()
        try await core.call(as: "bob", "people.join", ["code": try await invite(to: plan, ["edits": true])])
        #expect(try await members(plan) == ["ada:member:owner", "bob:member:editor"])
        try await core.call(as: "bob", "members.remove", ["plan": .string(plan), "person": "bob"])
        try await core.call(as: "bob", "people.join", ["code": try await invite(to: plan)])
        #expect(try await members(plan) == ["ada:member:owner", "bob:member:reader"])
    }

    @Test func anInvitationEndsWithTheRightsOfItsMaker() async throws {
        let plan = try await plan()
        try await core.call(as: "bob", "people.join", ["code": try await invite(to: plan, ["edits": true])])
        let code = try await invite(to: plan, as: "bob")
        #expect(
            try await core.error(as: "bob", "members.invite", ["plan": .string(plan), "edits": true])?.code
                == .notAllowed)
        // Bob may no longer change the plan.
        try await core.call(as: "ada", "members.change", ["plan": .string(plan), "person": "bob", "edits": false])
        #expect(
            try await core.error("people.previewInvitation", ["code": code], from: CoreFixture.guest)?.code == .notFound
        )
        var form = CoreFixture.joining
        form["code"] = code
        #expect(try await core.error("people.join", form, from: CoreFixture.connection())?.code == .notFound)
        #expect(try core.accounts().people == 3)
        // A refused invitation is not used up.
        let used = try await core.call(as: "bob", "people.invitations")["invitations"].elements.first?["used"].number
        #expect(used == 0)
    }

    @Test func nobodyJoinsAPlanThatIsGoneOrTheOwnersAlone() async throws {
        let (hidden, gone) = (try await plan(), try await plan())
        let codes = [try await invite(to: hidden), try await invite(to: gone)]
        try await core.call(as: "ada", "plans.update", ["plan": .string(hidden), "level": "me"])
        try await core.call(as: "ada", "plans.remove", ["plan": .string(gone)])
        for code in codes {
            #expect(try await core.error(as: "bob", "people.join", ["code": code])?.code == .notFound)
        }
        #expect(try await core.call(as: "bob", "friends.list")["people"].elements.isEmpty)
    }

    @Test func aLinkIsAtTheGivenServerAndDrawn() async throws {
        let plan = try await plan()
        let parameters: JSONObject = ["plan": .string(plan), "server": "https://van.example:8470", "image": true]
        let made = try await core.call(as: "ada", "members.invite", parameters)
        #expect(made["link"].text == "https://van.example:8470/join/\(made["code"].text ?? "")")
        #expect(made["image"]?["path"].text?.hasPrefix("M") == true)
        let listed = try await core.call(as: "ada", "people.invitations")["invitations"].elements
        #expect(listed.map { $0["subject"].text } == ["plan/\(plan)"])
        #expect(listed.map { $0["edits"] } == [false])
    }
}
