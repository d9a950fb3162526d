import FeatureSupport
import GRDB
import RPC
import Store
import Testing

@testable import Service

/// Copies, links, levels and requests show nobody more of a plan than its level and its items' levels allow.
@Suite struct PlanLevelTests {
    private let core: CoreFixture

    init() throws {
        core = try CoreFixture()
        try core.people("ada", "bob", "cai")
        // Bob and Cai are friends of Ada, and of each other.
        try core.befriendEverybody()
    }

    private func plan(_ level: JSONValue, of person: String = "ada") async throws -> JSONValue {
        try #require(try await core.call(as: person, "plans.create", ["title": "Rome", "level": level])["id"])
    }

    private func location(_ plan: JSONValue, _ name: JSONValue, _ level: JSONValue) async throws -> JSONValue {
        let parameters: JSONObject = ["plan": plan, "name": name, "level": level, "lat": 52, "lon": 5]
        return try #require(try await core.call(as: "ada", "locations.add", parameters)["id"])
    }

    private func join(_ person: String, _ plan: JSONValue, edits: Bool = false) async throws {
        try await core.call(
            as: "ada", "members.ask", ["plan": plan, "person": .string(person), "edits": .bool(edits)])
        try await core.call(as: person, "members.confirm", ["plan": plan])
    }

    private func names(_ person: String, _ plan: JSONValue) async throws -> [String] {
        let answer = try await core.call("locations.list", ["plan": plan], from: CoreFixture.connection(as: person))
        return answer["locations"].elements.compactMap { $0["name"].text }
    }

    @Test(arguments: [("me", "me"), ("members", "members"), ("friends", "friends"), ("everyone", "friends")])
    func aCopyOfOnesOwnPlanIsNoMoreVisible(_ level: String, _ expected: String) async throws {
        let plan = try await plan(.string(level))
        for own in ["me", "members", "everyone"] { _ = try await location(plan, .string(own), .string(own)) }
        let copy = try await core.call(as: "ada", "plans.copy", ["plan": plan])
        #expect(copy["level"] == .string(expected))
        let id = try #require(copy["id"])
        #expect(try await names("ada", id) == ["me", "members", "everyone"])
        guard expected == "friends" else { return }
        #expect(try await names("bob", id) == ["everyone"])
    }

    @Test(arguments: [("members", "me"), ("friends", "me"), ("everyone", "friends")])
    func aCopyOfAnothersPlanIsForItsOwnerUnlessThePlanWasPublished(_ level: String, _ expected: String) async throws {
        let plan = try await plan(.string(level))
        try await join("bob", plan)
        _ = try await location(plan, "Members only", "members")
        let copy = try await core.call(as: "bob", "plans.copy", ["plan": plan])
        #expect(copy["level"] == .string(expected))
        let id = try #require(copy["id"])
        #expect(try await names("bob", id) == ["Members only"])
        guard expected == "friends" else {
            #expect(try await core.error(as: "cai", "locations.list", ["plan": id])?.code == .notFound)
            return
        }
        #expect(try await names("cai", id) == [])
    }

    @Test func aLinkShowsNoMoreThanThePersonWhoMadeItMaySee() async throws {
        let plan = try await plan("friends")
        let hut = try await location(plan, "Hut", "members")
        try await join("bob", plan, edits: true)
        func link(_ parameters: JSONObject) async throws -> JSONValue {
            try #require(try await core.call(as: "bob", "links.create", parameters)["link"])
        }
        let links = [try await link(["plan": plan]), try await link(["plan": plan, "location": hut, "confirm": true])]
        func opened() async throws -> [Bool] {
            var open: [Bool] = []
            for link in links {
                let error = try await core.error("links.open", ["link": link], from: CoreFixture.connection())
                #expect(error == nil || error?.code == .notFound)
                open.append(error == nil)
            }
            return open
        }
        #expect(try await opened() == [true, true])
        try await core.call(as: "ada", "locations.update", ["location": hut, "level": "me"])
        #expect(try await opened() == [true, false])
        try await core.call(as: "ada", "locations.update", ["location": hut, "level": "members"])
        #expect(try await opened() == [true, true])
        try await core.call(as: "ada", "members.change", ["plan": plan, "person": "bob", "edits": false])
        #expect(try await opened() == [false, false])
        try await core.call(as: "ada", "members.change", ["plan": plan, "person": "bob", "edits": true])
        try await core.call(as: "ada", "members.remove", ["plan": plan, "person": "bob"])
        #expect(try await opened() == [false, false])
    }

    @Test(arguments: ["members", "friends", "me"])
    func `a link to a location of a narrower level needs a confirmation and is announced`(_ level: String) async throws
    {
        let plan = try await plan("friends")
        for person in ["bob", "cai"] { try await join(person, plan, edits: person == "bob") }
        let maker = level == "me" ? "ada" : "bob"
        let hut = try await location(plan, "Hut", .string(level))
        func links() async throws -> Int {
            try await core.call(as: "ada", "links.list", ["plan": plan])["links"].elements.count
        }
        func told(_ person: String) async throws -> [String] {
            try await core.call(as: person, "notifications.list", ["kind": "plan"])["notifications"].elements
                .compactMap { $0["text"].text }.filter { $0.contains("link") }
        }
        var parameters: JSONObject = ["plan": plan, "location": hut]
        let error = try await core.error(as: maker, "links.create", parameters)
        #expect(error?.code == .conflict)
        #expect(error?.data?["reason"] == "level")
        #expect(error?.data?["level"] == .string(level))
        #expect(try await links() == 0)
        parameters["confirm"] = true
        let link = try #require(try await core.call(as: maker, "links.create", parameters)["link"])
        try await core.call("links.open", ["link": link], from: CoreFixture.connection())
        #expect(try await told(maker) == [])
        let expected =
            level == "me"
            ? [] : ["<b>Bob Test</b> made a link that shows <b>Hut</b> to everyone who has the link."]
        #expect(try await told(maker == "bob" ? "ada" : "bob") == expected)
        #expect(try await told("cai") == expected)
    }

    @Test func `narrowing the level of a location ends the links to it`() async throws {
        let plan = try await plan("friends")
        let (hut, lake) = (try await location(plan, "Hut", "everyone"), try await location(plan, "Lake", "everyone"))
        var secrets: [JSONValue] = []
        for place in [hut, lake] {
            let parameters: JSONObject = ["plan": plan, "location": place]
            secrets.append(try #require(try await core.call(as: "ada", "links.create", parameters)["link"]))
        }
        try await core.call(as: "ada", "locations.update", ["location": hut, "name": "The hut"])
        try await core.call("links.open", ["link": secrets[0]], from: CoreFixture.connection())
        try await core.call(as: "ada", "locations.update", ["location": hut, "level": "members"])
        let error = try await core.error("links.open", ["link": secrets[0]], from: CoreFixture.connection())
        #expect(error?.code == .notFound)
        try await core.call(as: "ada", "locations.update", ["location": hut, "level": "everyone"])
        let later = try await core.error("links.open", ["link": secrets[0]], from: CoreFixture.connection())
        #expect(later?.code == .notFound)
        try await core.call("links.open", ["link": secrets[1]], from: CoreFixture.connection())
    }

    @Test func aPlanWithMembersIsNotHiddenFromThem() async throws {
        let hidden = try await plan("me")
        let ask: JSONObject = ["plan": hidden, "person": "bob"]
        #expect(try await core.error(as: "ada", "members.ask", ask)?.code == .conflict)
        // Publishing shows it to all, so people can join; afterwards it is for them too.
        try await core.call(as: "ada", "plans.publish", ["plan": hidden, "published": true])
        try await core.call(as: "ada", "members.ask", ask)
        let hide: JSONObject = ["plan": hidden, "level": "me"]
        #expect(try await core.error(as: "ada", "plans.update", hide)?.code == .conflict)
        try await core.call(as: "bob", "members.confirm", ["plan": hidden])
        #expect(try await core.error(as: "ada", "plans.update", hide)?.code == .conflict)
        let level = try await core.call(as: "ada", "plans.publish", ["plan": hidden, "published": false])["level"]
        #expect(level == "members")
        try await core.call(as: "bob", "members.remove", ["plan": hidden, "person": "bob"])
        #expect(try await core.call(as: "ada", "plans.update", hide)["level"] == "me")
    }

    @Test func theDebtOfARemovedAccountCanBeSettled() async throws {
        let plan = try await plan("friends")
        try await join("bob", plan)
        try await core.call(as: "ada", "expenses.add", ["plan": plan, "title": "Fuel", "amount": "10"])
        try await core.call(as: "bob", "people.remove")
        let transfers = try await core.call(as: "ada", "expenses.balances", ["plan": plan])["transfers"].elements
        #expect(transfers.count == 1)
        let giver = try #require(transfers.first?["from"])
        #expect(giver["person"] == nil)
        let number = try #require(giver["member"])
        let repayment: JSONObject = ["plan": plan, "from": number, "to": "ada", "amount": "5.00"]
        try await core.call(as: "ada", "repayments.add", repayment)
        let left = try await core.call(as: "ada", "expenses.balances", ["plan": plan])["transfers"].elements
        #expect(left.isEmpty)
        // A number names nobody who has an account.
        let own = try await core.call(as: "ada", "members.list", ["plan": plan])["members"].elements.first?["member"]
        let wrong: JSONObject = ["plan": plan, "from": try #require(own), "to": "ada", "amount": "5.00"]
        #expect(try await core.error(as: "ada", "repayments.add", wrong)?.code == .invalidValue)
    }

    @Test func anEvenSplitHasNoShares() async throws {
        let plan = try await plan("friends")
        let expense: JSONObject = [
            "plan": plan, "title": "Fuel", "amount": "10", "shares": [["person": "ada", "share": "3"]],
        ]
        let error = try await core.error(as: "ada", "expenses.add", expense)
        #expect(error?.code == .invalidValue && error?.data?["field"] == "shares")
    }

    /// The texts of a person's notifications that have a button which was not pressed.
    private func asking(_ person: String) async throws -> [String] {
        try await core.call(as: person, "notifications.list")["notifications"].elements
            .filter { $0["action"] != nil && $0["action"]?["done"] == nil }.compactMap { $0["text"].text }
    }

    @Test func anAnsweredRequestLeavesNoNotificationThatAsks() async throws {
        let plan = try await plan("friends")
        let ask: JSONObject = ["plan": plan, "person": "bob"]
        for answer in ["members.confirm", "members.decline", "members.remove", "plans.remove"] {
            try await core.call(as: "ada", "members.ask", ask)
            #expect(try await asking("bob").count == 1, "\(answer)")
            switch answer {
            case "members.remove": try await core.call(as: "ada", answer, ask)
            case "plans.remove": try await core.call(as: "ada", answer, ["plan": plan])
            default: try await core.call(as: "bob", answer, ["plan": plan])
            }
            #expect(try await asking("bob").isEmpty, "\(answer)")
            if answer == "members.confirm" { try await core.call(as: "ada", "members.remove", ask) }
        }
        try await core.call(as: "ada", "friends.remove", ["person": "bob"])
        for answer in ["friends.decline", "friends.confirm"] {
            try await core.call(as: "ada", "friends.request", ["person": "bob"])
            #expect(try await asking("bob").count == 1, "\(answer)")
            try await core.call(as: "bob", answer, ["person": "ada"])
            #expect(try await asking("bob").isEmpty, "\(answer)")
        }
    }
}
