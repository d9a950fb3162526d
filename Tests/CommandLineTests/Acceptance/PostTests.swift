#if Companion
import Foundation
import GRDB
import RPC
import TestSupport
import Testing

/// GTIO's posts: rows GT-9 to GT-15 of its acceptance, and the part of GT-2 about posts.
@Suite(.slow) struct PostTests {
    private static let coat: JSONObject = [
        "name": "Trench coat", "brand": "Burberry", "price": "1290.00", "currency": "EUR",
        "link": "https://shop.example/coat?size=m",
    ]

    /// Returns a town in which the van has stopped at 52° N 5° E.
    private static func town() async throws -> Town {
        let town = try await Town()
        try await town.drive(Array(repeating: (lat: 52.0, lon: 5.0), count: 20), from: "2026-05-01T10:00:00Z")
        return town
    }

    /// Returns a signed-in caller who has joined the van.
    private static func passenger(_ town: Town, _ id: String) throws -> Traveller {
        let traveller = try town.resident(id)
        try traveller.call("devices.join", ["device": "van"])
        return traveller
    }

    /// Posts an outfit or a product and returns the post's id.
    private static func show(_ who: Traveller, _ more: JSONObject = [:], product: Bool = false) throws -> JSONValue {
        try who.call(product ? "posts.addProduct" : "posts.add", more)["id"].known
    }

    private static func subject(_ post: JSONValue, _ kind: String = "post") -> JSONValue {
        .string("\(kind)/\(post.text.known)")
    }

    private static func feed(_ who: Traveller) throws -> [String] { try who.call("posts.feed").ids("posts") }

    @Test("GT-2 public posts are read without signing in; hearts, reviews, verdicts, flags and lists are refused")
    func nobody() async throws {
        try await Town.play(in: Self.town()) { town in
            let ada = try Self.passenger(town, "ada")
            let (open, shut) = (try Self.show(ada, ["voting": true]), try Self.show(ada, ["level": "friends"]))
            let nobody = try town.traveller()
            #expect(try nobody.call("posts.get", ["post": open])["author"]?["name"]?.text == "Ada Test")
            #expect(try nobody.code("posts.get", ["post": shut]) == 1)
            #expect(try nobody.call("posts.list", ["person": "ada"]).ids("posts") == [open.text.known])
            #expect(try nobody.call("posts.here", ["lat": 52, "lon": 5]).ids("posts") == [open.text.known])
            for (method, parameters) in [
                ("reactions.set", ["subject": Self.subject(open), "kind": "heart", "on": true]),
                ("reviews.put", ["subject": Self.subject(open), "rating": 5]),
                ("posts.judge", ["post": open, "choice": "wear"]), ("subjects.flag", ["subject": Self.subject(open)]),
                ("posts.add", ["lat": 52, "lon": 5]), ("posts.feed", [:]), ("shopping.list", [:]),
            ] as [(String, JSONObject)] {
                #expect(try nobody.code(method, parameters) == 2, "\(method)")
            }
        }
    }

    @Test("GT-9 open a post: name, location, picture, description, brands, counts, and the photo whole and square")
    func open() async throws {
        try await Town.play(in: Self.town()) { town in
            let (ada, bob) = (try Self.passenger(town, "ada"), try town.resident("bob"))
            let portrait = try ada.send(TestPicture.png, to: "person/ada")
            let post = try Self.show(ada, ["text": "For the opera", "brands": ["Levi's", "Bally"]])
            let photo = try ada.send(TestPicture.png, to: "post/\(post.text.known)")
            try bob.call("reactions.set", ["subject": Self.subject(post), "kind": "heart", "on": true])
            try bob.call("reviews.put", ["subject": Self.subject(post), "rating": 5, "text": "Well done"])
            let seen = try bob.call("posts.get", ["post": post])
            #expect(seen["author"]?["name"]?.text == "Ada Test" && seen["author"]?["picture"]?.text == portrait)
            #expect(seen["lat"]?.real == 52 && seen["lon"]?.real == 5)
            #expect(seen["text"]?.text == "For the opera" && seen["brands"] == ["Levi's", "Bally"])
            #expect(seen["hearts"]?.whole == 1 && seen["reviews"]?.whole == 1)
            #expect(seen["kind"]?.text == "outfit" && seen["photo"]?.text == photo)
            #expect(try bob.fetch(photo) == TestPicture.png)
            let square = try bob.fetch(photo, size: "square")
            #expect(square.prefix(3) == [0xFF, 0xD8, 0xFF])
            let places = try bob.call("posts.here", ["lat": 52.001, "lon": 5]).ids("posts")
            #expect(places == [post.text.known])
            #expect(try bob.call("posts.here", ["lat": 52.02, "lon": 5]).ids("posts") == [])
        }
    }

    @Test("GT-10 heart and unheart a post: the count, and the list of people with follow states")
    func hearts() async throws {
        try await Town.play(in: Self.town()) { town in
            let ada = try Self.passenger(town, "ada")
            let (bob, cai) = (try town.resident("bob"), try town.resident("cai"))
            for product in [false, true] {
                let post = try Self.show(ada, product ? Self.coat : [:], product: product)
                let subject = Self.subject(post)
                func heart(_ who: Traveller, _ on: Bool) throws {
                    try who.call("reactions.set", ["subject": subject, "kind": "heart", "on": .bool(on)])
                }
                try bob.call("people.follow", ["person": "cai"])
                for who in [bob, cai, cai] { try heart(who, true) }
                #expect(try bob.call("posts.get", ["post": post])["hearts"]?.whole == 2)
                let people = try bob.call("reactions.list", ["subject": subject, "kind": "heart"])["people"]?.elements
                #expect(people?.compactMap { $0["person"]?["id"]?.text } == ["cai", "bob"])
                #expect(people?.first?["person"]?["following"] == .bool(true))
                #expect(people?.last?["person"]?["following"] == nil)
                try heart(cai, false)
                let seen = try cai.call("posts.get", ["post": post])
                #expect(seen["hearts"]?.whole == 1 && seen["loved"] == .bool(false))
                #expect(try bob.call("posts.get", ["post": post])["loved"] == .bool(true))
            }
        }
    }

    @Test("GT-11 judge a post once: the answer has the verdict; a second time, or without voting, it is refused")
    func verdict() async throws {
        try await Town.play(in: Self.town()) { town in
            let ada = try Self.passenger(town, "ada")
            let (bob, cai) = (try town.resident("bob"), try town.resident("cai"))
            let (asking, quiet) = (try Self.show(ada, ["voting": true]), try Self.show(ada))
            #expect(try bob.call("posts.get", ["post": asking])["verdict"] == nil)
            let answer = try bob.call("posts.judge", ["post": asking, "choice": "change"])
            #expect(answer["verdict"]?.text == "change it" && answer["changes"]?.whole == 1)
            #expect(answer["wears"]?.whole == 0)
            #expect(try bob.code("posts.judge", ["post": asking, "choice": "wear"]) == 3)
            #expect(try bob.code("posts.judge", ["post": quiet, "choice": "wear"]) == 2)
            #expect(try ada.code("posts.judge", ["post": asking, "choice": "wear"]) == 2)
            for who in [cai, try town.traveller()] {
                let seen = try who.call("posts.get", ["post": asking])
                #expect(seen["verdict"] == nil && seen["changes"] == nil && seen["voting"] == .bool(true))
            }
            #expect(try ada.call("posts.get", ["post": asking])["verdict"]?.text == "change it")
        }
    }

    @Test("GT-12 the author may remove but not flag or suggest; others may flag but not remove; both may share")
    func roles() async throws {
        try await Town.play(in: Self.town()) { town in
            let ada = try Self.passenger(town, "ada")
            let (bob, cai) = (try town.resident("bob"), try town.resident("cai"))
            try bob.call("people.follow", ["person": "ada"])
            try ada.call("people.follow", ["person": "bob"])
            let post = try Self.show(ada, ["text": "For the opera"])
            let photo = try ada.send(TestPicture.png, to: "post/\(post.text.known)")
            let subject: JSONObject = ["subject": Self.subject(post)]
            #expect(try ada.code("subjects.flag", subject) == 2)
            #expect(try ada.code("suggestions.send", ["subject": Self.subject(post), "to": "bob"]) == 2)
            // The test's connections are an administrator's and may remove any post; PostsTests covers those that may
            // not.
            #expect(try bob.code("posts.update", ["post": post, "text": "No"]) == 2)
            try bob.call("subjects.flag", subject)
            for who in [ada, bob, cai] {
                let text = try who.call("subjects.share", subject)["text"]?.text
                #expect(text?.contains("An outfit of ada") == true)
                #expect(text?.contains("waymark://post/\(post.text.known)") == true)
            }
            #expect(try Self.feed(bob) == [post.text.known])
            try ada.call("posts.remove", ["post": post])
            #expect(try Self.feed(bob) == [])
            for (who, method, parameters) in [
                (ada, "posts.get", ["post": post]), (bob, "photos.get", ["photo": .string(photo)]),
                (bob, "reviews.list", subject),
            ] as [(Traveller, String, JSONObject)] {
                #expect(try who.code(method, parameters) == 1, "\(method)")
            }
        }
    }

    @Test("GT-12 and GT-13 the command line asks before flagging; without a yes nothing is flagged")
    func question() async throws {
        let town = try await Self.town()
        let post = try await offThePool { try Self.show(Self.passenger(town, "ada")).text.known }
        let told = try await Command.run("subjects", "flag", "post/\(post)", "--socket", town.daemon.socket)
        #expect(told.status != 0)
        try await Town.play(in: town) { town in
            let flags = try town.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM flag") }
            #expect(flags == 0)
        }
    }

    @Test("GT-13 reviews, agreements and flags count once per person, on outfit and product posts")
    func reviews() async throws {
        try await Town.play(in: Self.town()) { town in
            let ada = try Self.passenger(town, "ada")
            let (bob, cai) = (try town.resident("bob"), try town.resident("cai"))
            for product in [false, true] {
                let post = try Self.show(ada, product ? Self.coat : [:], product: product)
                let subject = Self.subject(post)
                #expect(try ada.code("reviews.put", ["subject": subject, "rating": 5]) == 2)
                let review = try bob.call(
                    "reviews.put", ["subject": subject, "rating": 4, "text": "Shorter!"])["id"].known
                try bob.call("reviews.put", ["subject": subject, "rating": 3, "text": "Shorter sleeves!"])
                #expect(try cai.call("posts.get", ["post": post])["reviews"]?.whole == 1)
                for _ in 0..<2 {
                    let agreed = try cai.call("reviews.agree", ["review": review, "agree": true])
                    #expect(agreed["agrees"]?.whole == 1)
                    #expect(try cai.call("reviews.flag", ["review": review])["flagged"] == .bool(true))
                    try cai.call("subjects.flag", ["subject": subject])
                }
                let list = try ada.call("reviews.list", ["subject": subject])
                #expect(list.ids("reviews", "text") == ["Shorter sleeves!"])
                let flags = try town.read { db in
                    try Int.fetchAll(
                        db,
                        sql:
                            "SELECT flags FROM review WHERE number = ? UNION ALL SELECT flags FROM post WHERE number = ?",
                        arguments: [review.text, post.text])
                }
                #expect(flags == [1, 1])
                try bob.call("reviews.remove", ["review": review])
                #expect(try cai.call("posts.get", ["post": post])["reviews"]?.whole == 0)
            }
        }
    }

    @Test("GT-14 post a product, with or without description, voting on or off: it is first in a follower's feed")
    func product() async throws {
        try await Town.play(in: Self.town()) { town in
            let (ada, bob) = (try Self.passenger(town, "ada"), try town.resident("bob"))
            try bob.call("people.follow", ["person": "ada"])
            _ = try Self.show(ada)
            var last: JSONValue = .null
            for (text, voting) in [("The sleeves are long", true), (nil, false)] as [(String?, Bool)] {
                var coat = Self.coat
                coat["text"] = text.map { .string($0) }
                coat["voting"] = .bool(voting)
                last = try Self.show(ada, coat, product: true)
                let first = try bob.call("posts.feed")["posts"]?.elements?.first
                #expect(first?["id"] == last && first?["kind"]?.text == "product")
                #expect(first?["text"]?.text == text && first?["voting"] == .bool(voting))
                #expect(first?["product"]?["name"]?.text == "Trench coat")
                #expect(first?["product"]?["price"] == ["amount": "1290.00", "currency": "EUR"])
            }
            // Bob posts the same product from its page.
            let product = try bob.call("posts.get", ["post": last])["product"]?["id"] ?? .null
            let again = try Self.show(bob, ["product": product, "lat": 52, "lon": 5], product: true)
            #expect(try Self.feed(bob).first == again.text)
            #expect(
                try bob.call("posts.list", ["product": product]).ids("posts") == [again.text.known, last.text.known])
            for (field, value) in [
                ("price", "1,290"), ("price", "12.345"), ("price", "-1"), ("price", "0"), ("price", "free"),
                ("name", nil), ("currency", "GOLD"), ("currency", nil), ("link", "ftp://shop.example"),
            ] as [(String, JSONValue?)] {
                var coat = Self.coat
                coat[field] = value
                let refusal = try ada.refusal("posts.addProduct", coat)
                #expect(refusal?.code == 4 && refusal?.field == field, "\(field)")
            }
            #expect(try ada.code("posts.addProduct", ["product": "4711"]) == 1)
            #expect(try ada.refusal("posts.addProduct")?.field == "name")
            #expect(try Self.feed(bob).count == 4)
        }
    }

    @Test("GT-15 suggest, buy, invite: a notification, a mail to yourself, the shopping list, an invitation's text")
    func buy() async throws {
        try await Town.play(in: Self.town()) { town in
            let ada = try Self.passenger(town, "ada")
            let (bob, cai, dan) = (try town.resident("bob"), try town.resident("cai"), try town.resident("dan"))
            let post = try Self.show(ada, Self.coat, product: true)
            let product = try bob.call("posts.get", ["post": post])["product"]?["id"] ?? .null
            let subject = Self.subject(product, "product")
            try bob.call("people.followMany", ["people": ["cai", "dan"]])
            #expect(try bob.code("suggestions.send", ["subject": subject, "to": "ada"]) == 2)
            for to in ["cai", "dan"] as [JSONValue] {
                try bob.call("suggestions.send", ["subject": subject, "to": to, "text": "For the autumn"])
            }
            for who in [cai, dan] {
                let told = try who.call("notifications.list")["notifications"]?.elements?.first
                #expect(told?["text"]?.text == "Bob Test suggests <b>Trench coat</b>: “For the autumn”")
                #expect(told?["destination"]?.text == "waymark://product/\(product.text.known)")
            }
            let page = try cai.call("products.get", ["product": product])
            #expect(page["link"]?.text == "https://shop.example/coat?size=m" && page["listed"] == .bool(false))
            #expect(try cai.call("products.mail", ["product": product])["email"]?.text == "cai@example.org")
            let mail = try town.mail(to: "cai@example.org").last
            for said in ["Trench coat", "Burberry", "1290.00 EUR", "https://shop.example/coat?size=m"] {
                #expect(mail?.contains(said) == true, "\(said)")
            }
            for _ in 0..<2 { try cai.call("shopping.add", ["product": product]) }
            let list = try cai.call("shopping.list")["products"]?.elements
            #expect(list?.count == 1 && list?.first?["link"]?.text == "https://shop.example/coat?size=m")
            #expect(list?.first?["name"]?.text == "Trench coat")
            #expect(try bob.call("shopping.list")["products"]?.elements == [])
            try cai.call("shopping.remove", ["product": product])
            #expect(try cai.call("shopping.list")["products"]?.elements == [])
            #expect(try cai.call("people.invitation", ["for": "email"])["text"]?.text?.isEmpty == false)
        }
    }
}
#endif
