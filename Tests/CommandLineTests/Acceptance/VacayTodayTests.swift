#if Companion
import Foundation
import RPC
import TestSupport
import Testing

/// VacayToday's system: rows VT-1 to VT-15 of its acceptance.
@Suite(.slow) struct VacayTodayTests {
    private static let rome: JSONObject = [
        "title": "Rome", "description": "Five days.", "zone": "Europe/Rome", "start": "2026-06-01T08:00",
        "end": "2026-06-05", "people": 4, "postal_codes": ["00185", "1012 AB"],
        "cover_url": "https://example.org/rome.jpg", "currency": "EUR",
    ]

    /// Creates a plan and returns its id.
    private static func plan(_ who: Traveller, _ more: JSONObject = [:]) throws -> JSONValue {
        var parameters = rome
        for name in more.names { parameters[name] = more[name] }
        return try who.call("plans.create", parameters)["id"].known
    }

    private static func befriend(_ one: Traveller, _ other: Traveller, _ names: (String, String)) throws {
        try one.call("friends.request", ["person": .string(names.1)])
        try other.call("friends.confirm", ["person": .string(names.0)])
    }

    private static func join(_ owner: Traveller, _ other: Traveller, _ id: String, _ plan: JSONValue) throws {
        try owner.call("members.ask", ["plan": plan, "person": .string(id)])
        try other.call("members.confirm", ["plan": plan])
    }

    @Test("VT-1 sign up, log in, set a picture, log out: rights follow the session; the picture is read back")
    func account() async throws {
        try await Town.play { town in
            let ada = try town.resident("ada")
            let picture = try ada.send(TestPicture.png, to: "person/ada")
            try ada.call("people.signOut")
            #expect(try ada.code("plans.create", Self.rome) == 2)
            let later = try town.traveller()
            #expect(try later.code("people.signIn", ["account": "ada", "password": "a wrong one"]) == 2)
            #expect(try later.code("people.profile") == 2)
            try later.call("people.signIn", ["account": "ada", "password": "correct horse"])
            #expect(try later.call("people.profile")["picture"]?.text == picture)
            #expect(try later.fetch(picture) == TestPicture.png)
            #expect(try later.code("plans.create", Self.rome) == 0)
            #expect(try town.traveller().call("people.get", ["person": "ada"])["picture"]?.text == picture)
            try later.call("people.signOut")
            for (method, parameters) in [
                ("plans.create", Self.rome), ("people.profile", [:]), ("notifications.list", [:]),
            ] as [(String, JSONObject)] {
                #expect(try later.code(method, parameters) == 2, "\(method)")
            }
        }
    }

    @Test("VT-2 create, list, update, delete a plan: it reads back equal, with its creator and time")
    func plans() async throws {
        try await Town.play { town in
            let ada = try town.resident("ada")
            let plan = try Self.plan(ada)
            let read = try ada.call("plans.get", ["plan": plan])
            for name in ["title", "description", "people", "postal_codes", "cover_url", "currency", "zone"] {
                #expect(read[name] == Self.rome[name], "\(name)")
            }
            #expect(read["start"]?["at"]?.text == "2026-06-01T08:00")
            #expect(read["start"]?["time"]?.text == "2026-06-01T06:00:00.000Z")
            #expect(read["end"]?["at"]?.text == "2026-06-05")
            #expect(read["owner"]?["id"]?.text == "ada")
            #expect(read["created"] != nil)
            #expect(try ada.call("plans.list").ids("plans") == [plan.text.known])
            let other = try ada.call("plans.update", ["plan": plan, "title": "Roma", "description": "", "revision": 1])
            #expect(other["title"]?.text == "Roma" && other["description"] == nil && other["revision"]?.whole == 2)
            #expect(try ada.refusal("plans.update", ["plan": plan, "title": "R", "revision": 1])?.code == 3)
            try ada.call("plans.remove", ["plan": plan])
            #expect(try ada.code("plans.get", ["plan": plan]) == 1)
            #expect(try ada.call("plans.list").ids("plans").isEmpty)
        }
    }

    @Test("VT-3 create, list, update, delete in each of five tabs; itinerary is the default; tabs do not mix")
    func tabs() async throws {
        try await Town.play { town in
            let ada = try town.resident("ada")
            let plan = try Self.plan(ada)
            var ids: [String: String] = [:]
            for tab in ["itinerary", "transport", "lodging", "food", "places"] {
                let added = try ada.call("activities.add", ["plan": plan, "title": .string(tab), "tab": .string(tab)])
                ids[tab] = added["id"]?.text
            }
            for (tab, id) in ids {
                let list = try ada.call("activities.list", ["plan": plan, "tab": .string(tab)])
                #expect(list.ids("activities") == [id])
                try ada.call("activities.update", ["activity": .string(id), "title": "Changed"])
                #expect(try ada.call("activities.get", ["activity": .string(id)])["title"]?.text == "Changed")
            }
            #expect(try ada.call("activities.list", ["plan": plan]).ids("activities") == [ids["itinerary"].known])
            for id in ids.values { try ada.call("activities.remove", ["activity": .string(id)]) }
            #expect(try ada.call("plans.itinerary", ["plan": plan])["days"]?.elements?.isEmpty == true)
        }
    }

    @Test("VT-4 and VT-6 every field of an activity is read as it was written; values out of range are refused")
    func activity() async throws {
        try await Town.play { town in
            let ada = try town.resident("ada")
            let plan = try Self.plan(ada)
            let common: JSONObject = [
                "title": "Title", "description": "Description", "location": "Place", "address": "Street 1",
                "contact": "+39 1", "booked": true, "booking_code": "ABC", "booking_url": "https://example.org/b",
                "thumbnail_url": "https://example.org/t", "url": "https://example.org/u", "note": "Note", "lat": 41.5,
                "lon": 12.25, "level": "friends", "people": ["ada"],
            ]
            let own: [String: JSONObject] = [
                "transport": ["mode": "train", "departure": "Milano", "arrival": "Roma"],
                "food": ["rating": 0, "recommendation": "Pizza"], "lodging": [:],
            ]
            for (tab, more) in own {
                var parameters = common
                for name in more.names { parameters[name] = more[name] }
                var given = parameters
                given["plan"] = plan
                given["tab"] = .string(tab)
                given["from"] = "2026-06-01T22:00"
                given["to"] = "2026-06-02T02:10"
                let id = try ada.call("activities.add", given)["id"].known
                let read = try ada.call("activities.get", ["activity": id])
                for name in parameters.names { #expect(read[name] == parameters[name], "\(name)") }
                #expect(read["from"]?["at"]?.text == "2026-06-01T22:00")
                #expect(read["to"]?["zone"]?.text == "Europe/Rome")
                #expect(read["until"]?.text == "until 02:10 next day")
                let early = try ada.refusal("activities.update", ["activity": id, "to": "2026-06-01T21:00"])
                #expect(early?.code == 4 && early?.field == "to")
            }
            for rating in [6, -1] as [JSONValue] {
                let refusal = try ada.refusal(
                    "activities.add", ["plan": plan, "title": "A", "tab": "food", "rating": rating])
                #expect(refusal?.code == 4 && refusal?.field == "rating")
            }
        }
    }

    @Test("VT-5 the itinerary lists activities by day and time, and one across midnight once")
    func itinerary() async throws {
        try await Town.play { town in
            let ada = try town.resident("ada")
            let plan = try Self.plan(ada)
            for (title, tab, from, to) in [
                ("breakfast", "food", "2026-06-02T08:00", ""),
                ("bus", "transport", "2026-06-01T23:30", "2026-06-02T00:40"),
                ("hotel", "lodging", "2026-06-01", "2026-06-03"), ("forum", "places", "2026-06-01T10:00", ""),
            ] {
                try ada.call(
                    "activities.add",
                    [
                        "plan": plan, "title": .string(title), "tab": .string(tab), "from": .string(from),
                        "to": .string(to),
                    ])
            }
            let days = try ada.call("plans.itinerary", ["plan": plan])["days"]?.elements ?? []
            #expect(days.compactMap { $0["day"]?.text } == ["2026-06-01", "2026-06-02"])
            #expect(days.map { $0.ids("items", "title") } == [["hotel", "forum", "bus"], ["breakfast"]])
            let bus = days[0]["items"]?.elements?.last.known
            #expect(bus?["until"]?.text == "until 00:40 next day")
        }
    }

    @Test("VT-7 and VT-8 sums are exact to the cent, with who paid for whom; payers must be members")
    func money() async throws {
        try await Town.play { town in
            let (ada, bob) = (try town.resident("ada"), try town.resident("bob"))
            _ = try town.resident("cai")
            try Self.befriend(ada, bob, ("ada", "bob"))
            let plan = try Self.plan(ada)
            try Self.join(ada, bob, "bob", plan)
            let pizza = try ada.call("activities.add", ["plan": plan, "title": "Pizza", "tab": "food"])["id"].known
            let expense = try ada.call(
                "expenses.add", ["plan": plan, "title": "Pizza", "amount": "20.01", "activity": pizza])
            #expect(expense["shares"]?.elements?.compactMap { $0["amount"]?.text } == ["10.00", "10.01"])
            #expect(expense["payers"]?.elements?.compactMap { $0["person"]?.text } == ["ada"])
            try ada.call(
                "expenses.add",
                [
                    "plan": plan, "title": "Taxi", "amount": "1000", "currency": "JPY", "rate": "0.0061",
                    "payers": [["person": "bob", "amount": "1000"]], "shares": [["person": "ada"]],
                ])
            func sums() throws -> JSONValue { try bob.call("expenses.sums", ["plan": plan]) }
            #expect(try sums()["total"]?.text == "26.11")
            #expect(try sums()["tabs"]?.elements?.compactMap { $0["amount"]?.text } == ["20.01"])
            let balances = try bob.call("expenses.balances", ["plan": plan])
            #expect(balances["balances"]?.elements?.compactMap { $0["balance"]?.text } == ["3.91", "-3.91"])
            #expect(balances["transfers"]?.elements?.compactMap { $0["amount"]?.text } == ["3.91"])
            try ada.call("expenses.update", ["expense": expense["id"].known, "amount": "30.00"])
            #expect(try sums()["total"]?.text == "36.10")
            try ada.call("activities.remove", ["activity": pizza])
            #expect(try sums()["total"]?.text == "6.10")
            let foreign = try ada.refusal(
                "expenses.add",
                ["plan": plan, "title": "A", "amount": "1", "payers": [["person": "cai", "amount": "1"]]])
            #expect(foreign?.code == 4 && foreign?.field == "payers")
            for (amount, field) in [("NaN", "amount"), ("1,5", "amount"), ("-1", "amount"), ("1.234", "amount")] {
                let refusal = try ada.refusal("expenses.add", ["plan": plan, "title": "A", "amount": .string(amount)])
                #expect(refusal?.code == 4 && refusal?.field == field)
            }
        }
    }

    @Test("VT-9 a friend may edit one plan, until the permission is withdrawn; a friend without permission may not")
    func permission() async throws {
        try await Town.play { town in
            let (ada, bob, cai) = (try town.resident("ada"), try town.resident("bob"), try town.resident("cai"))
            try Self.befriend(ada, bob, ("ada", "bob"))
            try Self.befriend(ada, cai, ("ada", "cai"))
            let (plan, other) = (try Self.plan(ada), try Self.plan(ada, ["title": "Milan"]))
            try ada.call("members.allow", ["plan": plan, "person": "bob", "edits": true])
            try bob.call("plans.update", ["plan": plan, "title": "Roma"])
            #expect(try ada.call("plans.get", ["plan": plan])["title"]?.text == "Roma")
            #expect(try bob.code("plans.update", ["plan": other, "title": "Milano"]) == 2)
            #expect(try cai.code("plans.update", ["plan": plan, "title": "Rom"]) == 2)
            #expect(try bob.code("expenses.sums", ["plan": plan]) == 2)
            try ada.call("members.allow", ["plan": plan, "person": "bob", "edits": false])
            #expect(try bob.code("plans.update", ["plan": plan, "title": "Rom"]) == 2)
        }
    }

    @Test("VT-10, VT-12 and VT-13 a plan is found, liked and saved only while it is published")
    func publishing() async throws {
        try await Town.play { town in
            let (ada, eve) = (try town.resident("ada"), try town.resident("eve"))
            let plan = try Self.plan(ada)
            let id = plan.text.known
            func isFound() throws -> Bool { try eve.call("plans.explore").ids("plans").contains(id) }
            #expect(try !isFound())
            #expect(try eve.code("plans.get", ["plan": plan]) == 1)
            try ada.call("plans.publish", ["plan": plan, "published": true])
            #expect(try isFound())
            let subject = JSONValue.string("plan/\(id)")
            for on in [true, true] as [JSONValue] {
                try eve.call("reactions.set", ["subject": subject, "kind": "like", "on": on])
            }
            #expect(try eve.call("plans.get", ["plan": plan])["likes"]?.whole == 1)
            #expect(try eve.call("plans.get", ["plan": plan])["liked"] == true)
            try eve.call("reactions.set", ["subject": subject, "kind": "save", "on": true])
            #expect(try eve.call("plans.list", ["of": "saved"]).ids("plans") == [id])
            for tab in ["itinerary", "transport", "lodging", "food", "places"] {
                #expect(try eve.code("activities.list", ["plan": plan, "tab": .string(tab)]) == 0)
            }
            #expect(try eve.code("activities.add", ["plan": plan, "title": "A"]) == 2)
            try eve.call("reactions.set", ["subject": subject, "kind": "like", "on": false])
            #expect(try ada.call("plans.get", ["plan": plan])["likes"]?.whole == 0)
            try ada.call("plans.publish", ["plan": plan, "published": false])
            #expect(try !isFound())
            #expect(try eve.call("plans.list", ["of": "saved"]).ids("plans").isEmpty)
            #expect(try eve.code("plans.get", ["plan": plan]) == 1)
        }
    }

    @Test("VT-11 explore by text, postal code, dates and people; by likes, newest and start")
    func exploring() async throws {
        try await Town.play { town in
            let (ada, eve) = (try town.resident("ada"), try town.resident("eve"))
            let titles = ["Alps", "Köln", "Rome"]
            for (index, title) in titles.enumerated() {
                let plan = try Self.plan(
                    ada,
                    [
                        "title": .string(title), "start": .string("2026-0\(9 - index)-01"),
                        "end": .string("2026-0\(9 - index)-05"), "people": .integer(Int64(index + 1)),
                        "postal_codes": [.string("\(index)000")], "level": "everyone",
                    ])
                if title == "Köln" {
                    try eve.call(
                        "reactions.set",
                        ["subject": .string("plan/\(plan.text.known)"), "kind": "like", "on": true])
                }
            }
            func explore(_ parameters: JSONObject) throws -> [String] {
                try eve.call("plans.explore", parameters).ids("plans", "title")
            }
            #expect(try explore(["order": "newest"]) == ["Rome", "Köln", "Alps"])
            #expect(try explore(["order": "start"]) == ["Rome", "Köln", "Alps"])
            #expect(try explore(["order": "likes"]).first == "Köln")
            #expect(try explore(["text": "KOLN"]) == ["Köln"])
            #expect(try explore(["postal_code": "2000"]) == ["Rome"])
            #expect(try explore(["people": 1]) == ["Alps"])
            #expect(try explore(["from": "2026-08-03T00:00:00Z", "to": "2026-08-20T00:00:00Z"]) == ["Köln"])
        }
    }

    @Test("VT-14 and VT-15 a published plan is a template; activities link to other tabs")
    func template() async throws {
        try await Town.play { town in
            let (ada, eve) = (try town.resident("ada"), try town.resident("eve"))
            let plan = try Self.plan(ada, ["level": "everyone"])
            let food = try ada.call(
                "activities.add",
                [
                    "plan": plan, "title": "Pizza", "tab": "food", "booked": true, "contact": "+39",
                    "from": "2026-06-03T19:00",
                ])["id"].known
            let item = try ada.call("activities.add", ["plan": plan, "title": "Day three", "links": [food]])["id"].known
            try ada.call("expenses.add", ["plan": plan, "title": "Fuel", "amount": "10"])
            let copy = try eve.call("plans.copy", ["plan": plan, "start": "2027-06-01"])
            #expect(copy["owner"]?["id"]?.text == "eve" && copy["published"] == nil)
            #expect(copy["members"]?.elements?.compactMap { $0["id"]?.text } == ["eve"])
            let own = copy["id"].known
            let pizza = try eve.call("activities.list", ["plan": own, "tab": "food"])["activities"]?.elements?.first
            #expect(pizza?["from"]?["at"]?.text == "2027-06-03T19:00")
            #expect(pizza?["booked"] == false && pizza?["contact"] == nil)
            #expect(try eve.call("expenses.sums", ["plan": own])["total"]?.text == "0.00")
            #expect(try eve.call("plans.itinerary", ["plan": own])["days"]?.elements?.count == 2)
            #expect(try ada.call("activities.get", ["activity": item])["links"] == [food])
            try ada.call("activities.remove", ["activity": food])
            #expect(try ada.call("activities.get", ["activity": item])["links"] == [])
        }
    }
    @Test(
        "VT-15 photos of a plan and its locations, with captions and covers, are seen by a stranger once it is published"
    )
    func photos() async throws {
        try await Town.play { town in
            let (ada, eve) = (try town.resident("ada"), try town.resident("eve"))
            let plan = try Self.plan(ada)
            func location(_ name: String, _ level: String) throws -> String {
                try ada.call(
                    "locations.add", ["plan": plan, "name": .string(name), "level": .string(level)])["id"]?.text ?? ""
            }
            let (forum, hut) = (try location("Forum", "everyone"), try location("Hut", "members"))
            let subject = "plan/\(plan.text.known)"
            let pictures = [
                try ada.send(TestPicture.png, to: subject, caption: "The hills"),
                try ada.send(TestPicture.png, to: subject, caption: "The sea"),
                try ada.send(TestPicture.png, to: "location/\(forum)", caption: "The arch"),
            ]
            let hidden = try ada.send(TestPicture.png, to: "location/\(hut)", caption: "The hut")
            for picture in pictures + [hidden] { #expect(try eve.code("photos.get", ["photo": .string(picture)]) == 1) }
            try ada.call("photos.update", ["photo": .string(pictures[1]), "cover": true])
            try ada.call("plans.publish", ["plan": plan, "published": true])
            let shown = try eve.call("photos.list", ["subject": .string(subject)])
            #expect(shown.ids("photos", "caption") == ["The hills", "The sea"])
            for picture in pictures { #expect(try eve.fetch(picture) == TestPicture.png) }
            let row = try eve.call("plans.explore")["plans"]?.elements?.first
            #expect(row?["picture"]?.text == pictures[1])
            #expect(try eve.call("plans.get", ["plan": plan])["photos"]?.whole == 2)
            let place = try eve.call("locations.get", ["location": .string(forum)])
            #expect(place["photos"]?.whole == 1 && place["picture"]?.text == pictures[2])
            #expect(try eve.code("photos.get", ["photo": .string(hidden)]) == 1)
            #expect(try eve.code("photos.list", ["subject": .string("location/\(hut)")]) == 1)
            try ada.call("plans.publish", ["plan": plan, "published": false])
            for picture in pictures { #expect(try eve.code("photos.read", ["photo": .string(picture)]) == 1) }
        }
    }
}
#endif
