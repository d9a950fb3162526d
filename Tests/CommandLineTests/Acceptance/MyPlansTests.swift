#if Companion
import Foundation
import GRDB
import RPC
import TestSupport
import Testing

/// My Trips' plans: rows MT-3 to 5, 7 to 9, 12 and 13 of its acceptance, except for what needs a journey.
@Suite(.slow) struct MyPlansTests {
    private static func befriend(_ one: Traveller, _ other: Traveller, _ names: (String, String)) throws {
        try one.call("friends.request", ["person": .string(names.1)])
        try other.call("friends.confirm", ["person": .string(names.0)])
    }

    private static func location(
        _ who: Traveller, _ plan: JSONValue, _ name: String, level: String = "everyone"
    ) throws
        -> JSONValue
    {
        try who.call(
            "locations.add",
            ["plan": plan, "name": .string(name), "lat": 41.9, "lon": 12.5, "level": .string(level)])["id"].known
    }

    @Test("MT-3, MT-4 and MT-5 a plan with members is listed, pinned and found by name, and so are its locations")
    func plans() async throws {
        try await Town.play { town in
            let ada = try town.resident("ada")
            let plan = try ada.call(
                "plans.create",
                [
                    "title": "Rome", "description": "Days", "destination": "Roma", "lat": 41.9, "lon": 12.5,
                    "start": "2026-06-01", "end": "2026-06-05",
                ])["id"].known
            let early: JSONObject = ["title": "A", "start": "2026-06-02", "end": "2026-06-01"]
            #expect(try ada.refusal("plans.create", early)?.field == "end")
            let members = try ada.call("plans.get", ["plan": plan])["members"]?.elements ?? []
            #expect(members.map { $0["id"]?.text } == ["ada"])
            _ = try Self.location(ada, plan, "Forum")
            let row = try ada.call("plans.list", ["text": "rom"])["plans"]?.elements?.first
            #expect(row?["first_location"]?.text == "Forum" && row?["start"]?["at"]?.text == "2026-06-01")
            #expect(row?["lat"]?.real == 41.9 && row?["lon"]?.real == 12.5)
            let found = try ada.call("locations.list", ["plan": plan, "text": "FOR"])["locations"]?.elements ?? []
            #expect(found.map { $0["lat"]?.real } == [41.9])
        }
    }

    @Test("MT-7 and MT-8 a plan is rated, shared and deleted; locations are paged through in order")
    func locations() async throws {
        try await Town.play { town in
            let (ada, eve) = (try town.resident("ada"), try town.resident("eve"))
            let plan = try ada.call("plans.create", ["title": "Rome", "level": "everyone"])["id"].known
            let subject = JSONValue.string("plan/\(plan.text.known)")
            try eve.call("reviews.put", ["subject": subject, "rating": 5, "text": "Good."])
            #expect(try ada.code("reviews.put", ["subject": subject, "rating": 5]) == 2)
            #expect(try ada.call("plans.get", ["plan": plan])["rating"]?["count"]?.whole == 1)
            #expect(try eve.call("subjects.share", ["subject": subject])["title"]?.text == "Rome")
            let ids = try ["A", "B", "C"].map { try Self.location(ada, plan, $0) }
            try ada.call("locations.move", ["location": ids[2], "before": ids[0]])
            let order = [ids[2], ids[0], ids[1]]
            for (index, id) in order.enumerated() {
                let location = try eve.call("locations.get", ["location": id])
                #expect(location["previous"]?.text == (index == 0 ? nil : order[index - 1].text))
                #expect(location["next"]?.text == (index == 2 ? nil : order[index + 1].text))
            }
            try ada.call("locations.update", ["location": ids[0], "name": "A2"])
            try ada.send(TestPicture.png, to: "location/\(ids[0].text.known)")
            #expect(try ada.call("locations.get", ["location": ids[0]])["photos"]?.whole == 1)
            try ada.call("plans.remove", ["plan": plan])
            #expect(try eve.code("locations.get", ["location": ids[0]]) == 1)
            // What belongs to the plan is in the bin with it, where nobody else finds it.
            for method in ["photos.list", "reviews.list", "subjects.share"] {
                #expect(try eve.code(method, ["subject": subject]) == 1, "\(method)")
                #expect(try ada.code(method, ["subject": subject]) == 1, "\(method)")
            }
        }
    }

    @Test("MT-9 and MT-13 owner, member, friend and stranger each get the locations that their level allows")
    func privacy() async throws {
        try await Town.play { town in
            let (ada, bob) = (try town.resident("ada"), try town.resident("bob"))
            let (cai, eve) = (try town.resident("cai"), try town.resident("eve"))
            try Self.befriend(ada, bob, ("ada", "bob"))
            try Self.befriend(ada, cai, ("ada", "cai"))
            let plan = try ada.call("plans.create", ["title": "Rome", "level": "everyone"])["id"].known
            try ada.call("members.ask", ["plan": plan, "person": "bob"])
            try bob.call("members.confirm", ["plan": plan])
            let levels = ["me", "members", "friends", "everyone"]
            let ids = try levels.map { try Self.location(ada, plan, $0, level: $0) }
            for (person, count) in [(ada, 4), (bob, 3), (cai, 2), (eve, 1)] {
                let seen = Array(levels.suffix(count))
                #expect(try person.call("locations.list", ["plan": plan]).ids("locations", "name") == seen)
                for (level, id) in zip(levels, ids) {
                    #expect(try person.code("locations.get", ["location": id]) == (seen.contains(level) ? 0 : 1))
                    let subject = JSONValue.string("location/\(id.text.known)")
                    #expect(try person.code("subjects.share", ["subject": subject]) == (seen.contains(level) ? 0 : 1))
                }
                let row = try person.call("plans.list", ["person": "ada"])["plans"]?.elements?.first
                #expect(row?["first_location"]?.text == seen.first)
                let gpx = try person.call("plans.gpx", ["plan": plan])["gpx"]?.text ?? ""
                for level in levels { #expect(gpx.contains("<name>\(level)</name>") == seen.contains(level)) }
            }
            let page = try cai.call("plans.get", ["plan": plan])
            #expect(page["members"]?.elements?.compactMap { $0["id"]?.text } == ["ada", "bob"])
        }
    }

    @Test("MT-12 a tagged friend finds the plan in their requests, is a member after accepting, not after declining")
    func members() async throws {
        try await Town.play { town in
            let (ada, bob, cai) = (try town.resident("ada"), try town.resident("bob"), try town.resident("cai"))
            try Self.befriend(ada, bob, ("ada", "bob"))
            try Self.befriend(ada, cai, ("ada", "cai"))
            let plan = try ada.call("plans.create", ["title": "Rome"])["id"].known
            for (person, id) in [(bob, "bob"), (cai, "cai")] {
                try ada.call("members.ask", ["plan": plan, "person": .string(id)])
                #expect(try person.call("plans.list", ["of": "asked"]).ids("plans") == [plan.text.known])
                #expect(try person.call("plans.list").ids("plans").isEmpty)
                let told = try person.call("notifications.list")["notifications"]?.elements ?? []
                #expect(told.contains { $0["text"]?.text?.contains("asks you to join") == true })
            }
            try bob.call("members.confirm", ["plan": plan])
            try cai.call("members.decline", ["plan": plan])
            let list = try ada.call("members.list", ["plan": plan])
            #expect(list.ids("members") == ["ada", "bob"])
            #expect(try bob.call("plans.list").ids("plans") == [plan.text.known])
            #expect(try cai.call("plans.list", ["of": "asked"]).ids("plans").isEmpty)
            #expect(try cai.code("expenses.sums", ["plan": plan]) == 2)
        }
    }
}
#endif
