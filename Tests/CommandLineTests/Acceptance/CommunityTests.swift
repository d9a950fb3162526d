#if Companion
import Foundation
import RPC
import TestSupport
import Testing

/// GTIO's community: rows GT-1 to GT-8 of its acceptance.
@Suite(.slow) struct CommunityTests {
    @Test("GT-1 a profile lists missing fields until it is complete; a known e-mail is directed to people.signIn")
    func complete() async throws {
        try await Town.play { town in
            let ada = try town.resident("ada")
            let missing = try ada.call("people.profile")["missing"]?.elements ?? []
            #expect(!missing.isEmpty)
            try ada.send(TestPicture.png, to: "person/ada")
            try ada.call(
                "people.update",
                ["phone": "123456", "gender": "female", "born": "1990-01-01", "website": "https://example.org"])
            let profile = try ada.call("people.profile")
            #expect(profile["missing"]?.elements == [])
            #expect(profile["complete"] == .bool(true))
            var form = Town.form("eve")
            (form["email"], form["email_again"]) = ("ada@example.org", "ada@example.org")
            let refusal = try town.traveller().refusal("people.signUp", form)
            #expect(refusal?.code == 3)
            #expect(refusal?.message.contains("people.signIn") == true)
        }
    }

    @Test("GT-2 without signing in: public reading works; heart and follow are refused; there are no notifications")
    func nobody() async throws {
        try await Town.play { town in
            let ada = try town.resident("ada")
            try ada.call(
                "sights.add", ["id": "mill", "title": "Mill", "description": "Old.", "lat": 52, "lon": 5])
            let nobody = try town.traveller()
            #expect(try nobody.call("sights.get", ["id": "mill"])["title"]?.text == "Mill")
            let heart: JSONObject = ["subject": "sight/mill", "kind": "heart", "on": true]
            #expect(try nobody.code("reactions.set", heart) == 2)
            #expect(try nobody.code("people.follow", ["person": "ada"]) == 2)
            #expect(try nobody.code("notifications.list") == 2)
            #expect(try nobody.code("notifications.badge") == 2)
        }
    }

    @Test("GT-3 quick-add: one call follows exactly the chosen people; an empty choice follows nobody")
    func quickAdd() async throws {
        try await Town.play { town in
            for id in ["bob", "cai", "dan"] { _ = try town.resident(id) }
            let ada = try town.resident("ada")
            #expect(try ada.call("people.followMany", ["people": []])["count"]?.whole == 0)
            #expect(try ada.call("people.following")["count"]?.whole == 0)
            #expect(try ada.call("people.followMany", ["people": ["bob", "dan"]])["count"]?.whole == 2)
            #expect(try ada.call("people.following").ids("people") == ["bob", "dan"])
        }
    }

    @Test("GT-4 follow and unfollow; lists are alphabetical, with the caller's follow state and the count")
    func follow() async throws {
        try await Town.play { town in
            let (bob, cai) = (try town.resident("bob"), try town.resident("cai"))
            let ada = try town.resident("ada")
            try cai.call("people.follow", ["person": "bob"])
            try ada.call("people.follow", ["person": "bob"])
            try ada.call("people.follow", ["person": "cai"])
            let followers = try bob.call("people.followers")
            #expect(followers.ids("people") == ["ada", "cai"])
            #expect(followers["count"]?.whole == 2)
            let seen = try ada.call("people.followers", ["person": "bob"])["people"]?.elements ?? []
            #expect(seen.last?["following"] == .bool(true))
            try ada.call("people.unfollow", ["person": "cai"])
            #expect(try cai.call("people.followers")["count"]?.whole == 0)
            #expect(try cai.call("people.following", ["person": "ada"]).ids("people") == ["bob"])
        }
    }

    @Test("GT-5 filter the people you follow and, if none match, search everybody")
    func filter() async throws {
        try await Town.play { town in
            for id in ["bob", "cai"] { _ = try town.resident(id) }
            let ada = try town.resident("ada")
            try ada.call("people.follow", ["person": "bob"])
            let none = try ada.call("people.search", ["text": "cai", "among": "following"])
            #expect(none["people"]?.elements == [])
            #expect(none["text"]?.text == "cai")
            #expect(try ada.call("people.search", ["text": "cai"]).ids("people") == ["cai"])
        }
    }

    @Test("GT-6 suggestions have neither you nor those you follow; the next set differs while there are others")
    func suggestions() async throws {
        try await Town.play { town in
            for id in ["bob", "cai", "dan", "eve"] { _ = try town.resident(id) }
            let ada = try town.resident("ada")
            try ada.call("people.follow", ["person": "bob"])
            let first = try ada.call("people.suggested", ["limit": 2]).ids("people")
            #expect(first.count == 2)
            let not = JSONValue.array(first.map { .string($0) })
            let second = try ada.call("people.suggested", ["limit": 2, "not": not]).ids("people")
            #expect(Set(first).isDisjoint(with: second))
            #expect(!second.isEmpty)
            #expect(!Set(first + second).contains("ada") && !Set(first + second).contains("bob"))
        }
    }

    @Test("GT-7 the badge is 0 after listing; the states new, unread and read survive a restart")
    func badge() async throws {
        let folder = try TemporaryFolder()
        let town = try await Town(in: folder)
        try await Town.play(in: town) { town in
            let (ada, bob, cai) = (try town.resident("ada"), try town.resident("bob"), try town.resident("cai"))
            try bob.call("friends.request", ["person": "ada"])
            try cai.call("friends.request", ["person": "ada"])
            #expect(try ada.call("notifications.badge")["count"]?.whole == 2)
            let listed = try ada.call("notifications.list")
            #expect(listed["notifications"]?.elements?.count == 2)
            #expect(try ada.call("notifications.badge")["count"]?.whole == 0)
            let id = try #require(listed.ids("notifications").first)
            #expect(try ada.call("notifications.get", ["notification": .string(id)])["state"]?.text == "unread")
            try ada.call("notifications.open", ["notification": .string(id)])
        }
        #expect(try await town.daemon.stop() == .exit(0))
        try await Town.play(in: Town(in: folder)) { town in
            let ada = try town.traveller()
            try ada.call("people.signIn", ["account": "ada", "password": "correct horse"])
            #expect(try ada.call("notifications.badge")["count"]?.whole == 0)
            let states = try ada.call("notifications.list").ids("notifications", "state")
            #expect(states == ["read", "unread"])
        }
    }

    @Test("GT-8 a notification keeps emphasis but no other markup; its button works once and stays visible")
    func act() async throws {
        try await Town.play { town in
            let ada = try town.resident("ada")
            let eve = try town.traveller()
            var form = Town.form("eve")
            form["first_name"] = "<script>Eve</script>"
            let ticket = try eve.call("people.signUp", form)["ticket"].known
            try eve.call("people.prove", ["ticket": ticket, "code": .string(town.code(for: "eve"))])
            try eve.call("friends.request", ["person": "ada"])
            let told = try #require(try ada.call("notifications.list")["notifications"]?.elements?.first)
            let text = try #require(told["text"]?.text)
            #expect(text.contains("<b>"))
            #expect(!text.contains("<script>"))
            #expect(told["destination"]?.text?.hasPrefix("waymark://") == true)
            #expect(told["action"]?["title"]?.text != nil)
            let id = told["id"].known
            try ada.call("notifications.act", ["notification": id])
            #expect(try ada.call("friends.list").ids("people") == ["eve"])
            #expect(try ada.code("notifications.act", ["notification": id]) == 3)
            #expect(try ada.call("notifications.get", ["notification": id])["action"] != nil)
        }
    }
}
#endif
