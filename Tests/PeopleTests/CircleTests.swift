import FeatureSupport
import GRDB
import RPC
import Store
import TestSupport
import Testing
import Tracking

@testable import People
@testable import Service
@testable import SocketServer

@Suite struct CircleTests {
    private let core: CoreFixture

    init() throws {
        var settings = AccountSettings()
        settings.invitation = "https://example.org/join"
        core = try CoreFixture(accounts: settings)
        try core.people("ada", "bob", "cai", "dee", "eve")
    }

    private func list(
        _ method: String, as person: String = "ada", _ parameters: JSONObject = [:]
    ) async throws -> [String] {
        try await core.call(as: person, method, parameters)["people"].elements.ids
    }

    @Test func aFriendRequestIsSentAndConfirmed() async throws {
        try await core.call(as: "ada", "friends.request", ["person": "bob"])
        #expect(try await list("friends.requests", ["direction": "out"]) == ["bob"])
        #expect(try await list("friends.requests", as: "bob") == ["ada"])
        #expect(try await list("friends.list").isEmpty)
        let told = core.liveState.told
        #expect(told.map(\.recipient) == ["bob"])
        #expect(told.map(\.type) == ["notification"])
        try await core.call(as: "bob", "friends.confirm", ["person": "ada"])
        #expect(try await list("friends.list") == ["bob"])
        #expect(try await list("friends.list", as: "bob") == ["ada"])
        #expect(try await list("friends.requests", as: "bob").isEmpty)
        #expect(core.liveState.told.map(\.recipient) == ["bob", "ada"])
        try await core.call(as: "ada", "friends.remove", ["person": "bob"])
        #expect(try await list("friends.list", as: "bob").isEmpty)
    }

    @Test func aFriendRequestIsCancelledOrDeclined() async throws {
        try await core.call(as: "ada", "friends.request", ["person": "bob"])
        #expect(try await core.call(as: "bob", "notifications.list")["notifications"].elements.count == 1)
        try await core.call(as: "ada", "friends.cancel", ["person": "bob"])
        #expect(try await core.error(as: "bob", "friends.confirm", ["person": "ada"])?.code == .notFound)
        // The notification that asks for the confirmation is deleted, with its button.
        #expect(try await core.call(as: "bob", "notifications.list")["notifications"].elements.isEmpty)
        try await core.call(as: "ada", "friends.request", ["person": "bob"])
        try await core.call(as: "bob", "friends.decline", ["person": "ada"])
        #expect(try await list("friends.requests", ["direction": "out"]).isEmpty)
        #expect(try await list("friends.list").isEmpty)
    }

    @Test func friendRequestsToOnePersonAreLimited() async throws {
        for _ in 0..<RateLimit.friendship.maximum {
            try await core.call(as: "ada", "friends.request", ["person": "bob"])
            try await core.call(as: "ada", "friends.cancel", ["person": "bob"])
        }
        #expect(try await core.error(as: "ada", "friends.request", ["person": "bob"])?.code == .unavailable)
        try await core.call(as: "ada", "friends.request", ["person": "cai"])
    }

    @Test func followManyFollowsExactlyTheListedPeople() async throws {
        #expect(try await core.call(as: "ada", "people.followMany", ["people": []])["count"] == 0)
        #expect(try await list("people.following").isEmpty)
        #expect(try await core.call(as: "ada", "people.followMany", ["people": ["bob", "dee", "bob"]])["count"] == 2)
        #expect(try await list("people.following") == ["bob", "dee"])
        #expect(
            try await core.error(as: "ada", "people.followMany", ["people": ["cai", "nobody"]])?.code == .notFound)
        #expect(try await list("people.following") == ["bob", "dee"])
    }

    @Test func followingAndUnfollowingAreIdempotent() async throws {
        for _ in 0..<2 {
            let answer = try await core.call(as: "ada", "people.follow", ["person": "bob"])
            #expect(answer["following"] == true)
            #expect(answer["followers"] == 1)
        }
        #expect(try await list("people.followers", ["person": "bob"]) == ["ada"])
        for _ in 0..<2 {
            let answer = try await core.call(as: "ada", "people.unfollow", ["person": "bob"])
            #expect(answer["following"] == false)
            #expect(answer["followers"] == 0)
        }
    }

    @Test func listsAreSortedByNameAndPagedWithTheTotalCount() async throws {
        let names = ["Zoe", "émile", "Emma", "adam", "Émile", "Bo", "bo", "Ä", "zoe", "F"]
        try await core.store.write { db in
            for (number, name) in names.enumerated() {
                try db.execute(
                    sql: """
                        INSERT INTO person (id, first_name, last_name, name_key, email, joined, proven)
                        VALUES (?, ?, '', ?, ?, 0, 0)
                        """, arguments: ["p\(number)", name, Person.nameKey(name, ""), "p\(number)@example.org"])
            }
        }
        let ids = names.indices.map { JSONValue.string("p\($0)") }
        try await core.call(as: "ada", "people.followMany", ["people": .array(ids)])
        let whole = try await core.call(as: "eve", "people.following", ["person": "ada"])
        #expect(whole["count"].number == 10)
        let order = whole["people"].elements.compactMap { $0["name"].text }
        #expect(order == ["adam", "Ä", "Bo", "bo", "Emma", "émile", "Émile", "F", "Zoe", "zoe"])
        for limit in 1...4 {
            var paged: [String] = []
            var after: JSONValue?
            repeat {
                var parameters: JSONObject = ["person": "ada", "limit": .integer(Int64(limit))]
                parameters["after"] = after
                let page = try await core.call(as: "eve", "people.following", parameters)
                #expect(page["count"].number == 10)
                paged += page["people"].elements.ids
                after = page["next"]
            } while after != nil
            #expect(paged == whole["people"].elements.ids)
        }
        #expect(try await list("people.following", as: "eve", ["person": "ada", "text": "ÉMIL"]).count == 2)
    }

    @Test func aRenamedPersonIsSortedByTheNewName() async throws {
        try await core.call(as: "ada", "people.update", ["first_name": "Édith"])
        #expect(try await list("people.search", as: "bob") == ["bob", "cai", "dee", "eve", "ada"])
    }

    @Test func aNameIsFoundWithAndWithoutItsAccents() async throws {
        try await core.call(as: "ada", "people.update", ["first_name": "Édith"])
        try await core.call(as: "bob", "people.update", ["first_name": "Zoe"])
        for text in ["edith", "ÉDITH", "e\u{301}dith"] {
            #expect(try await list("people.search", ["text": .string(text)]) == ["ada"], "\(text)")
        }
        #expect(try await list("people.search", ["text": "zoé"]) == ["bob"])
    }

    @Test func rowsSayWhetherTheCallerFollowsThePerson() async throws {
        try await core.call(as: "bob", "people.followMany", ["people": ["ada", "cai", "dee"]])
        try await core.call(as: "ada", "people.follow", ["person": "dee"])
        let rows = try await core.call(as: "ada", "people.following", ["person": "bob"])["people"].elements
        #expect(rows.ids == ["ada", "cai", "dee"])
        #expect(rows.map { $0["following"] } == [nil, false, true])
        let guest = try await core.call("people.following", ["person": "bob"], isGuest: true)["people"].elements
        #expect(guest.map { $0["following"] } == [nil, nil, nil])
    }

    @Test func aSearchCoversFollowedPeopleOrEverybody() async throws {
        try await core.call(as: "ada", "people.follow", ["person": "eve"])
        let none = try await core.call(as: "ada", "people.search", ["text": "BO", "among": "following"])
        #expect(none["people"].elements.isEmpty)
        #expect(none["text"].text == "BO")
        #expect(try await list("people.search", ["text": "BO"]) == ["bob"])
        // The people that the caller follows come first, across pages.
        #expect(try await list("people.search") == ["eve", "ada", "bob", "cai", "dee"])
        let pages = try await core.pages("people.search", ["limit": 2], of: "people")
        #expect(pages.map(\.ids) == [["ada", "bob"], ["cai", "dee"], ["eve"]])
        #expect(try await list("people.search", ["text": "%"]).isEmpty)
    }

    @Test func suggestedPeopleAreNotRepeated() async throws {
        for (one, other) in [("ada", "bob"), ("bob", "dee")] {
            try await core.call(as: one, "friends.request", ["person": .string(other)])
            try await core.call(as: other, "friends.confirm", ["person": .string(one)])
        }
        try await core.call(as: "ada", "people.follow", ["person": "bob"])
        try await core.call(as: "bob", "people.follow", ["person": "eve"])
        // First a friend of a friend, then a person followed by a followed person, then the rest by id. Ada and the
        // people that she follows are omitted.
        #expect(try await list("people.suggested") == ["dee", "eve", "cai"])
        let first = try await list("people.suggested", ["limit": 2])
        let not = JSONValue.array(first.map { .string($0) })
        let second = try await list("people.suggested", ["limit": 2, "not": not])
        #expect(first == ["dee", "eve"])
        #expect(second == ["cai"])
        #expect(try await list("people.suggested", ["not": ["dee", "eve", "cai"]]).isEmpty)
    }

    @Test func invitationsNameTheSenderAndTheLink() async throws {
        for kind in ["sms", "email", "link"] {
            let answer = try await core.call(as: "ada", "people.invitation", ["for": .string(kind)])
            #expect(answer["text"].text?.contains("https://example.org/join") == true)
            #expect((answer["subject"] != nil) == (kind == "email"))
        }
    }
}
