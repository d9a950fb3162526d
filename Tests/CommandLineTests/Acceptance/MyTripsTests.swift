#if Companion
import Foundation
import RPC
import TestSupport
import Testing

/// My Trips' people, photos and ranking: rows MT-1, 2, 10, 11, 14 and 15 of its acceptance.
@Suite(.slow) struct MyTripsTests {
    private static func addMill(_ who: Traveller, _ id: String = "mill") throws {
        try who.call(
            "sights.add",
            [
                "id": .string(id), "title": .string("The \(id)"), "description": "Old.", "lat": 52, "lon": 5,
                "radius": 50,
            ])
    }

    @Test(
        "MT-1 an account with e-mail, password, confirmation and terms signs in by e-mail; without terms it is refused")
    func account() async throws {
        try await Town.play { town in
            let ada = try town.traveller()
            var form = Town.form("ada")
            form["terms"] = false
            let refusal = try ada.refusal("people.signUp", form)
            #expect(refusal?.code == 4)
            #expect(refusal?.field == "terms")
            _ = try town.resident("ada")
            try ada.call("people.signIn", ["account": "Ada@Example.org", "password": "correct horse"])
            let picture = try ada.send(TestPicture.png, to: "person/ada")
            #expect(try ada.call("people.get", ["person": "ada"])["picture"]?.text == picture)
        }
    }

    @Test("MT-2 the profile is read and changed; an impossible date is refused; the counts match the lists")
    func profile() async throws {
        try await Town.play { town in
            let (ada, bob) = (try town.resident("ada"), try town.resident("bob"))
            try ada.call("people.update", ["phone": "+31 20 123", "gender": "female", "born": "1990-02-28"])
            let impossible = try ada.refusal("people.update", ["born": "1990-02-30"])
            #expect(impossible?.code == 4)
            #expect(impossible?.field == "born")
            try ada.send(TestPicture.png, to: "person/ada")
            try bob.call("friends.request", ["person": "ada"])
            let profile = try ada.call("people.profile")
            #expect(profile["phone"]?.text == "+31 20 123")
            #expect(profile["gender"]?.text == "female")
            #expect(profile["born"]?.text == "1990-02-28")
            #expect(profile["counts"]?["photos"]?.whole == 1)
            #expect(try ada.call("photos.list", ["person": "ada"])["photos"]?.elements?.count == 1)
            #expect(profile["counts"]?["new_notifications"]?.whole == 1)
            #expect(try ada.call("notifications.badge")["count"]?.whole == 1)
            #expect(profile["counts"]?["trips"]?.whole == 0)
        }
    }

    @Test("MT-10 several photos with captions: edit one, make one the cover, save, share, delete")
    func photos() async throws {
        try await Town.play { town in
            let (ada, bob) = (try town.resident("ada"), try town.resident("bob"))
            try Self.addMill(ada)
            func list() throws -> JSONValue { try bob.call("photos.list", ["subject": "sight/mill"]) }
            let photos = try (1...3).map {
                try ada.send(TestPicture.png, to: "sight/mill", caption: "Picture \($0)")
            }
            #expect(try list()["count"]?.whole == 3)
            #expect(try list().ids("photos", "caption") == ["Picture 1", "Picture 2", "Picture 3"])
            try ada.call("photos.update", ["photo": .string(photos[0]), "caption": "The door"])
            try ada.call("photos.update", ["photo": .string(photos[1]), "cover": true])
            #expect(try bob.call("photos.get", ["photo": .string(photos[0])])["caption"]?.text == "The door")
            let covers = try list()["photos"]?.elements?.filter { $0["cover"] == .bool(true) } ?? []
            #expect(covers.compactMap { $0["id"]?.text } == [photos[1]])
            let saved: JSONObject = ["subject": .string("photo/\(photos[1])"), "kind": "save", "on": true]
            try bob.call("reactions.set", saved)
            #expect(
                try bob.call("reactions.mine", ["kind": "save"]).ids("subjects", "subject") == ["photo/\(photos[1])"])
            #expect(
                try bob.call("subjects.share", ["subject": "sight/mill"])["text"]?.text?.contains("The mill") == true)
            #expect(try bob.fetch(photos[2]) == TestPicture.png)
            // The test's connections are an administrator's. Even an administrator may not decide about another's
            // metadata.
            let kept: JSONObject = ["photo": .string(photos[0]), "keep_metadata": true]
            #expect(try bob.code("photos.update", kept) == 2)
            for photo in photos { try ada.call("photos.remove", ["photo": .string(photo)]) }
            #expect(try list()["count"]?.whole == 0)
            #expect(try bob.code("photos.get", ["photo": .string(photos[2])]) == 1)
        }
    }

    @Test("MT-11 search people, request, cancel, confirm: both lists follow, and the asked person is notified")
    func friends() async throws {
        try await Town.play { town in
            let (ada, bob) = (try town.resident("ada"), try town.resident("bob"))
            #expect(try ada.call("people.search", ["text": "bob"]).ids("people") == ["bob"])
            try ada.call("friends.request", ["person": "bob"])
            try ada.call("friends.cancel", ["person": "bob"])
            #expect(try bob.code("friends.confirm", ["person": "ada"]) == 1)
            try ada.call("friends.request", ["person": "bob"])
            let told = try bob.call("notifications.list", ["kind": "friend"])["notifications"]?.elements ?? []
            #expect(told.contains { $0["text"]?.text?.contains("Ada Test") == true })
            try bob.call("friends.confirm", ["person": "ada"])
            #expect(try ada.call("friends.list").ids("people") == ["bob"])
            #expect(try bob.call("friends.list").ids("people") == ["ada"])
        }
    }

    @Test("MT-14 and MT-15 the ranking by total, year and month can be searched; a sight has histogram and visits")
    func ranking() async throws {
        let town = try await Town()
        try await Town.play(in: town) { town in
            let ada = try town.resident("ada")
            for id in ["mill", "farm", "barn"] { try Self.addMill(ada, id) }
            let picture = try ada.send(TestPicture.png, to: "sight/mill")
            let people = try ["bob", "cai", "dan"].map { try town.resident($0) }
            for (person, stars) in zip(people, [(5, 3, 1), (5, 4, 1), (4, 4, 2)] as [(Int64, Int64, Int64)]) {
                for (id, rating) in [("mill", stars.0), ("farm", stars.1), ("barn", stars.2)] {
                    try person.call(
                        "reviews.put",
                        ["subject": .string("sight/\(id)"), "rating": .integer(rating), "text": "Said."])
                }
            }
            for period in ["total", "year", "month"] {
                let ranking = try ada.call("sights.ranking", ["period": .string(period)])
                #expect(ranking.ids("sights") == ["mill", "farm", "barn"], "\(period)")
            }
            let best = try ada.call("sights.ranking")["sights"]?.elements?.first
            #expect(best?["picture"]?.text == picture)
            #expect(best?["title"]?.text == "The mill")
            let searched = try ada.call("sights.ranking", ["text": "farm"])
            #expect(searched.ids("sights") == ["farm"])
            #expect(searched["sights"]?.elements?.first?["rank"]?.whole == 2)
            let ratings = try ada.call("sights.ratings", ["id": "mill"])
            let histogram = ratings["histogram"]?.elements?.compactMap(\.whole) ?? []
            #expect(histogram == [0, 0, 0, 1, 2])
            #expect(ratings["count"]?.whole == 3)
            #expect(try ada.call("reviews.list", ["subject": "sight/mill"])["reviews"]?.elements?.count == 3)
        }
        try await town.drive(Town.way(latitude: 52), from: "2026-05-01T10:00:00Z")
        try await Town.play(in: town) { town in
            let visitor = try town.traveller()
            // Log consumers handle the drive after its last event, so the visit may take a moment.
            let end = ContinuousClock.now + RunningDaemon.deadline
            while ContinuousClock.now < end {
                let visits = try visitor.call("sights.visits", ["id": "mill"])["visits"]?.elements ?? []
                guard !visits.isEmpty else { continue }
                #expect(visits.count == 1)
                return
            }
            Issue.record("the visit was not written")
        }
    }
}
#endif
