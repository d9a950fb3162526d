import Callers
import FeatureSupport
import GRDB
import Geodesy
import RPC
import Store
import TestSupport
import Testing
import Time
import Tracking

@testable import People
@testable import Posts
@testable import Reviews
@testable import Service

/// The methods of posts: who sees which posts in which order, and what is counted.
@Suite(.slow) struct PostMethodTests {
    private static let coat: JSONObject = [
        "name": "Coat", "brand": "Burberry", "price": "1290", "currency": "EUR", "link": "https://shop.example/coat",
        "lat": 52, "lon": 5,
    ]

    private static func world(_ people: String...) async throws -> CoreFixture {
        let core = try CoreFixture()
        for person in people { try core.people(person) }
        return core
    }

    private static func post(
        _ core: CoreFixture, _ person: String, _ more: JSONObject = [:], method: String = "posts.add"
    ) async throws -> String {
        var parameters: JSONObject = ["lat": 52, "lon": 5]
        for name in more.names { parameters[name] = more[name] }
        // Lifts the limit of posts an hour.
        try await core.store.write { try $0.execute(sql: "DELETE FROM attempt") }
        return try #require(try await core.call(as: person, method, parameters)["id"].text)
    }

    private static func numbers(
        of list: PostList, for audience: Audience, in store: LocationDatabase
    ) throws -> [Int64] {
        try store.read { db in
            var numbers: [Int64] = []
            try list.forEach(for: audience, in: db) {
                numbers.append($0.post.number)
                return true
            }
            return numbers
        }
    }

    private static func befriend(_ core: CoreFixture, _ one: String, _ other: String) async throws {
        try await core.store.write { db in
            try db.execute(
                sql: """
                    INSERT INTO friend SELECT a.number, b.number, 0 FROM person AS a, person AS b
                    WHERE (a.id, b.id) IN (VALUES (?1, ?2), (?2, ?1))
                    """, arguments: [one, other])
        }
    }

    @Test func aFeedHasOwnAndFollowedPostsInPagesNewestFirst() async throws {
        let people = (0..<12).map { "p\($0)" }
        let core = try CoreFixture()
        for person in people { try core.people(person) }
        for person in people.dropFirst().prefix(7) {
            try await core.call(as: "p0", "people.follow", ["person": .string(person)])
        }
        try await Self.befriend(core, "p0", "p2")
        var generator = SeededGenerator(seed: 41)
        var all: [(id: String, author: String, level: String, isHidden: Bool)] = []
        for _ in 0..<120 {
            // Some people post much more than others.
            let author = people[
                min(Int.random(in: 0..<12, using: &generator), Int.random(in: 0..<12, using: &generator))]
            let level = Int.random(in: 0..<3, using: &generator) == 0 ? "friends" : "everyone"
            let isHidden = level == "everyone" && Int.random(in: 0..<6, using: &generator) == 0
            let id = try await Self.post(core, author, ["level": .string(level)])
            if isHidden { try await core.call("subjects.hide", ["subject": .string("post/\(id)")]) }
            all.append((id, author, level, isHidden))
        }
        let seen = all.filter { post in
            guard people.prefix(8).contains(post.author) else { return false }
            return post.author == "p0"
                || !post.isHidden && (post.level == "everyone" || post.author == "p2")
        }.map(\.id)
        #expect(seen.count > 50)
        for limit in [1, 2, 3, 7, 20, 100] as [Int64] {
            var found: [String] = []
            var parameters: JSONObject = ["limit": .integer(limit)]
            while true {
                let page = try await core.call(as: "p0", "posts.feed", parameters)
                found += page["posts"].elements.ids
                guard let next = page["next"] else { break }
                parameters["after"] = next
            }
            #expect(found == seen.reversed(), "\(limit)")
        }
        // With a small window the feed is merged from the posts of each person.
        let audience = try await core.store.read { try Audience(Viewer(person: "p0"), in: $0) }
        for limit in [1, 2, 5, 30] {
            for window in [0, 1, 10] {
                var found: [Int64] = []
                while true {
                    let list = PostList(scope: .feed, after: found.last, limit: limit, window: window)
                    let page = try Self.numbers(of: list, for: audience, in: core.store)
                    found += page
                    if page.count < limit { break }
                }
                #expect(found == seen.reversed().compactMap { Int64($0) }, "\(limit) of \(window)")
            }
        }
        // A person who follows nobody sees their own posts.
        let own = try await core.call(as: "p11", "posts.feed", ["limit": 100])["posts"].elements.ids
        #expect(own == all.filter { $0.author == "p11" }.map(\.id).reversed())
    }

    @Test func postsWithinARadiusAreListedNewestFirst() async throws {
        let core = try await Self.world("ada", "bob")
        var generator = SeededGenerator(seed: 42)
        for center in [(52.0, 5.0), (0.0, 180.0), (-89.999, 0.0)] {
            var all: [(id: String, place: Coordinate)] = []
            for _ in 0..<60 {
                let latitude = max(-90, center.0 + Double.random(in: -0.03...0.03, using: &generator))
                var longitude = center.1 + Double.random(in: -0.05...0.05, using: &generator)
                if longitude > 180 { longitude -= 360 }
                let place = try #require(Coordinate(latitude: latitude, longitude: longitude))
                let id = try await Self.post(core, "ada", ["lat": .number(latitude), "lon": .number(longitude)])
                all.append((id, place))
            }
            let middle = try #require(Coordinate(latitude: center.0, longitude: center.1))
            for radius in [10.0, 1000, 2500, 10_000] {
                let near = all.filter { Sphere.distance(from: middle, to: $0.place) <= .meters(radius) }.map(\.id)
                let parameters: JSONObject = [
                    "lat": .number(center.0), "lon": .number(center.1), "radius": .number(radius), "limit": 7,
                ]
                let pages = try await core.pages("posts.here", parameters, of: "posts")
                let found = pages.flatMap(\.ids)
                #expect(found == near.reversed(), "\(center) \(radius)")
                #expect(pages.dropLast().allSatisfy { $0.count == 7 })
            }
        }
    }

    @Test func theDefaultPlaceIsThatOfADeviceThatCarriesThePerson() async throws {
        let core = try await Self.world("ada", "bob")
        core.liveState.place("gps0", at: fix(0))
        try await core.board("ada")
        let post = try await core.call(as: "ada", "posts.add")
        #expect(post["lat"].number == 52.37 && post["lon"].number == 4.89)
        // Bob is not where another person's device is.
        #expect(try await core.error(as: "bob", "posts.add")?.code == .unavailable)
    }

    @Test func aPostKeepsThePlaceNameFromWhenItWasMade() async throws {
        let core = try await Self.world("ada")
        let before = try await Self.post(core, "ada", ["lat": 52.09, "lon": 5.12])
        try await core.call("places.import", ["text": .string(MethodCase.utrecht)])
        let after = try await Self.post(core, "ada", ["lat": 52.09, "lon": 5.12])
        #expect(try await core.call("posts.get", ["post": .string(before)])["place"] == nil)
        #expect(try await core.call("posts.get", ["post": .string(after)])["place"] == "Utrecht")
    }

    @Test func verdictsAreShownToJudgesAndCountEachPersonOnce() async throws {
        let core = try await Self.world("ada", "bob", "cai", "dan")
        let id = try await Self.post(core, "ada", ["voting": true])
        let post: JSONObject = ["post": .string(id)]
        func judge(_ person: String, _ choice: String) async throws -> JSONValue {
            try await core.call(as: person, "posts.judge", ["post": .string(id), "choice": .string(choice)])
        }
        func expectNothing(_ answer: JSONValue) {
            for name in ["verdict", "wears", "changes", "choice"] { #expect(answer[name] == nil, "\(name)") }
        }
        expectNothing(try await core.call(as: "ada", "posts.get", post))
        let first = try await judge("bob", "wear")
        #expect(first["verdict"] == "wear it" && first["wears"] == 1 && first["changes"] == 0)
        #expect(first["choice"] == "wear")
        expectNothing(try await core.call(as: "cai", "posts.get", post))
        expectNothing(try await core.call("posts.get", post))
        #expect(try await judge("cai", "change")["verdict"] == "tie")
        #expect(try await core.call(as: "ada", "posts.get", post)["verdict"] == "tie")
        #expect(
            try await core.error(as: "bob", "posts.judge", ["post": .string(id), "choice": "change"])?.code == .conflict
        )
        _ = try await judge("dan", "change")
        try await core.call(as: "cai", "people.remove")
        let last = try await core.call(as: "ada", "posts.get", post)
        #expect(last["wears"] == 1 && last["changes"] == 1)
    }

    @Test func heartAndReviewCountsStayCorrectWhenAnAccountIsRemoved() async throws {
        let core = try await Self.world("ada", "bob", "cai")
        let post = try await Self.post(core, "ada", Self.coat, method: "posts.addProduct")
        let answer = try await core.call(as: "ada", "posts.get", ["post": .string(post)])
        let product = try #require(answer["product"]?["id"].text)
        for subject in ["post/\(post)", "product/\(product)"] {
            for person in ["bob", "cai"] {
                try await core.call(
                    as: person, "reactions.set", ["subject": .string(subject), "kind": "heart", "on": true])
                try await core.call(
                    as: person, "reactions.set", ["subject": .string(subject), "kind": "save", "on": true])
                try await core.call(as: person, "reviews.put", ["subject": .string(subject), "rating": 4])
            }
        }
        func counts() async throws -> [JSONValue?] {
            let post = try await core.call(as: "bob", "posts.get", ["post": .string(post)])
            let page = try await core.call(as: "bob", "products.get", ["product": .string(product)])
            return [post["hearts"], post["reviews"], post["loved"], page["hearts"], page["loved"]]
        }
        #expect(try await counts() == [2, 2, true, 2, true])
        try await core.call(as: "cai", "people.remove")
        #expect(try await counts() == [1, 1, true, 1, true])
        try await core.call(
            as: "bob", "reactions.set", ["subject": .string("post/\(post)"), "kind": "heart", "on": false])
        #expect(try await counts() == [0, 1, false, 1, true])
    }

    @Test func removingAPostRemovesEverythingOfItAndUnusedProducts() async throws {
        let core = try await Self.world("ada", "bob", "cai")
        let first = try await Self.post(core, "ada", Self.coat, method: "posts.addProduct")
        let product = try #require(
            try await core.call(as: "ada", "posts.get", ["post": .string(first)])["product"]?["id"])
        let second = try await Self.post(core, "bob", ["product": product], method: "posts.addProduct")
        try await core.call(as: "cai", "shopping.add", ["product": product])
        try await core.call(as: "cai", "people.follow", ["person": "bob"])
        try await core.call(
            as: "cai", "suggestions.send", ["subject": .string("post/\(first)"), "to": "bob", "text": "Look!"])
        // The suggestion, and that Cai follows him.
        #expect(try await core.badge(of: "bob") == 2)
        _ = try await core.photo(TestPicture.png(), of: .string("post/\(first)"), as: "ada")
        try await core.call(as: "ada", "people.remove")
        // What Bob posted stays, without any text of Ada's account.
        let kept = try await core.call(as: "bob", "posts.get", ["post": .string(second)])
        #expect(kept["product"]?["id"] == product)
        let page = try await core.call(as: "cai", "products.get", ["product": product])
        #expect(page["owner"] == nil && page["listed"] == true)
        #expect(try await core.badge(of: "bob") == 1)
        try await core.call(as: "bob", "posts.remove", ["post": .string(second)])
        #expect(try await core.error(as: "cai", "products.get", ["product": product])?.code == .notFound)
        #expect(try await core.call(as: "cai", "shopping.list")["products"] == [])
        let left = try await core.store.read { db in
            try [
                "post", "product", "shopping_item", "post_verdict", "suggestion", "photo", "picture",
                "subject", "flagged",
            ].filter { try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)") != 0 }
        }
        #expect(left == [])
        let orphans = try await core.store.read { try Row.fetchAll($0, sql: "PRAGMA foreign_key_check").count }
        #expect(orphans == 0)
    }

    @Test func threeFlagsHideAPostFromOthersUntilItIsCleared() async throws {
        let core = try await Self.world("ada", "bob", "cai", "dan", "eve")
        let id = try await Self.post(core, "ada", ["text": "Look at me"])
        let (post, subject): (JSONObject, JSONObject) = (["post": .string(id)], ["subject": .string("post/\(id)")])
        try await core.call(as: "eve", "people.follow", ["person": "ada"])
        func isSeen(_ person: String) async throws -> Bool {
            try await core.error(as: person, "posts.get", post) == nil
        }
        for person in ["bob", "bob", "cai"] { try await core.call(as: person, "subjects.flag", subject) }
        #expect(try await isSeen("eve"))
        #expect(try await core.call("subjects.flagged")["subjects"].elements.first?["flags"] == 2)
        try await core.call(as: "dan", "subjects.flag", subject)
        for person in ["bob", "eve"] { #expect(try await !isSeen(person)) }
        #expect(try await core.error("posts.get", post, isGuest: true)?.code == .notFound)
        #expect(try await isSeen("ada"))
        for (method, parameters) in [
            ("posts.feed", [:]), ("posts.list", ["person": "ada"]), ("posts.here", ["lat": 52, "lon": 5]),
        ] as [(String, JSONObject)] {
            #expect(try await core.call(as: "eve", method, parameters)["posts"] == [], "\(method)")
            #expect(try await core.call(as: "ada", method, parameters)["posts"].elements.first?["hidden"] == true)
        }
        #expect(try await core.error(as: "eve", "reactions.get", subject)?.code == .notFound)
        let waiting = try await core.call("subjects.flagged")["subjects"].elements
        #expect(waiting.count == 1 && waiting[0]["hidden"] == true && waiting[0]["flags"] == 3)
        #expect(waiting[0]["owner"] == "ada" && waiting[0]["information"] == "Look at me")
        #expect(try await core.call("posts.get", post)["hidden"] == true)
        let cleared = try await core.call("subjects.clear", subject)
        #expect(cleared["flags"] == 0 && cleared["hidden"] == nil)
        #expect(try await isSeen("eve"))
        #expect(try await core.call("subjects.flagged")["subjects"] == [])
        // Flags from before the decision do not count again.
        try await core.call(as: "dan", "subjects.flag", subject)
        #expect(try await isSeen("eve"))
        try await core.call("subjects.hide", subject)
        #expect(try await !isSeen("eve"))
        #expect(try await core.call("subjects.flagged", ["hidden": true])["subjects"].elements.count == 1)
    }

    @Test func aHiddenProductIsLeftOutUntilItIsCleared() async throws {
        let core = try await Self.world("ada", "bob", "cai", "dan")
        let post: JSONObject = [
            "post": .string(try await Self.post(core, "ada", Self.coat, method: "posts.addProduct"))
        ]
        let product = try #require(try await core.call(as: "ada", "posts.get", post)["product"]?["id"])
        let parameters: JSONObject = ["product": product]
        let subject: JSONObject = ["subject": .string("product/\(try #require(String(json: product)))")]
        try await core.call(as: "bob", "shopping.add", parameters)
        #expect(try await core.error(as: "ada", "subjects.flag", subject)?.code == .notAllowed)
        for person in ["bob", "cai", "dan"] { try await core.call(as: person, "subjects.flag", subject) }
        #expect(try await core.error(as: "bob", "products.get", parameters)?.code == .notFound)
        #expect(try await core.call(as: "bob", "shopping.list")["products"] == [])
        #expect(try await core.error(as: "cai", "products.mail", parameters)?.code == .notFound)
        let seen = try await core.call(as: "bob", "posts.get", post)
        #expect(seen["product"] == nil && seen["kind"] == "outfit")
        #expect(
            try await core.call(as: "bob", "subjects.share", ["subject": .string("post/1")])["title"]
                == "An outfit of ada")
        #expect(try await core.call(as: "ada", "products.get", parameters)["hidden"] == true)
        #expect(try await core.call("products.get", parameters)["flags"] == 3)
        #expect(
            try await core.call("subjects.flagged")["subjects"].elements.first?["information"]
                == "Burberry, 1290.00 EUR")
        try await core.call("subjects.clear", subject)
        #expect(try await core.call(as: "bob", "shopping.list")["products"].elements.count == 1)
        #expect(try await core.call(as: "bob", "posts.get", post)["kind"] == "product")
    }

    @Test func flagsOfARemovedAccountDoNotCount() async throws {
        let core = try await Self.world("ada", "bob", "cai", "dan")
        let id = try await Self.post(core, "ada")
        let subject: JSONObject = ["subject": .string("post/\(id)")]
        for person in ["bob", "cai"] { try await core.call(as: person, "subjects.flag", subject) }
        try await core.call(as: "cai", "people.remove")
        try await core.call(as: "dan", "subjects.flag", subject)
        #expect(try await core.error("posts.get", ["post": .string(id)], isGuest: true) == nil)
        #expect(try await core.call("subjects.flagged")["subjects"].elements.first?["flags"] == 2)
    }

    @Test func postsForFriendsAreNotFoundByOthers() async throws {
        let core = try await Self.world("ada", "bob", "cai")
        try await Self.befriend(core, "ada", "bob")
        try await core.call(as: "cai", "people.follow", ["person": "ada"])
        var coat = Self.coat
        coat["level"] = "friends"
        let id = try await Self.post(core, "ada", coat, method: "posts.addProduct")
        let post: JSONObject = ["post": .string(id)]
        let product = try #require(try await core.call(as: "bob", "posts.get", post)["product"]?["id"])
        let shown = try #require(String(json: product))
        for caller in [CoreFixture.guest, CoreFixture.admin, CoreFixture.connection(as: "cai")] {
            for (method, parameters) in [
                ("posts.get", post), ("products.get", ["product": product]), ("posts.list", ["product": product]),
                ("reviews.list", ["subject": .string("post/\(id)")]),
                ("subjects.share", ["subject": .string("product/\(shown)")]),
            ] as [(String, JSONObject)] {
                #expect(try await core.error(method, parameters, from: caller)?.code == .notFound, "\(method)")
            }
            for parameters in [["person": "ada"]] as [JSONObject] {
                #expect(try await core.call("posts.list", parameters, from: caller)["posts"] == [])
            }
            #expect(try await core.call("posts.here", ["lat": 52, "lon": 5], from: caller)["posts"] == [])
        }
        #expect(try await core.call(as: "cai", "posts.feed")["posts"] == [])
        #expect(try await core.error(as: "cai", "shopping.add", ["product": product])?.code == .notFound)
        #expect(
            try await core.error(as: "cai", "posts.addProduct", ["product": product, "lat": 1, "lon": 1])?.code
                == .notFound)
        // Bob may post the product himself, for any audience.
        _ = try await Self.post(core, "bob", ["product": product], method: "posts.addProduct")
        #expect(try await core.call(as: "cai", "products.get", ["product": product])["name"] == "Coat")
    }

    @Test func postsPerHourAreLimitedPerPersonAndPerOrigin() async throws {
        let core = try await Self.world("ada", "bob")
        let place: JSONObject = ["lat": 52, "lon": 5]
        for _ in 0..<30 { try await core.call(as: "ada", "posts.add", place) }
        core.clock.time = core.clock.time.advanced(byMilliseconds: 600_000)
        let error = try await core.error(as: "ada", "posts.add", place)
        #expect(error?.code == .unavailable)
        #expect(error?.data?["limit"] == 30 && error?.data?["retry_after"] == 3000)
        // A refused post leaves nothing behind.
        var coat = Self.coat
        coat["name"] = "Refused"
        #expect(try await core.error(as: "ada", "posts.addProduct", coat)?.code == .unavailable)
        #expect(try await core.store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM product") } == 0)
        try await core.call(as: "bob", "posts.add", place)
        try await core.store.write { db in
            try RateLimits.count(
                SendingLimits().ofPosts.ofOrigin, 300 - 31, by: 1000, now: core.clock.time, in: db)
        }
        let crowd = try await core.error(as: "bob", "posts.add", place)
        #expect(crowd?.data?["limit"] == 300)
        #expect(crowd?.message.contains("new posts from here") == true)
        // Another user of the machine may still post.
        try await core.call("posts.add", place, from: CoreFixture.connection(as: "bob", user: 1001))
        core.clock.time = core.clock.time.advanced(byMilliseconds: 3_000_000)
        try await core.call("posts.add", place, from: CoreFixture.connection(as: "ada", user: 1001))
    }

    @Test func postsPerHourFromOneNetworkAddressAreLimited() async throws {
        let core = try await Self.world("ada", "bob")
        let place: JSONObject = ["lat": 52, "lon": 5]
        func browser(_ person: String, at address: Int64) -> Principal {
            let browser = Principal(number: 1, origin: .address(address), rights: [.read])
            browser.identity = Principal.Identity(person: person)
            return browser
        }
        try await core.call("posts.add", place, from: browser("ada", at: -7))
        try await core.store.write { db in
            try RateLimits.count(SendingLimits().ofPosts.ofOrigin, 299, by: -7, now: core.clock.time, in: db)
        }
        let crowd = try await core.error("posts.add", place, from: browser("bob", at: -7))
        #expect(crowd?.code == .unavailable && crowd?.data?["limit"] == 300)
        try await core.call("posts.add", place, from: browser("bob", at: -8))
        // An action of the daemon on behalf of a person has no origin to count it for.
        try await core.call("posts.add", place, from: .acting(as: "ada"))
        try await core.call("posts.add", place, from: .acting(as: "bob"))
    }

    @Test("GT-12 only its author may remove a post")
    func onlyTheAuthorMayRemoveAPost() async throws {
        let core = try await Self.world("ada", "bob")
        let post: JSONObject = ["post": .string(try await Self.post(core, "ada"))]
        #expect(try await core.error(as: "bob", "posts.remove", post)?.code == .notAllowed)
        #expect(try await core.error("posts.remove", post, isGuest: true)?.code == .notAllowed)
        try await core.call(as: "ada", "posts.remove", post)
        #expect(try await core.error(as: "ada", "posts.get", post)?.code == .notFound)
    }

    @Test func aProductsPriceCurrencyAndLinkCanBeChanged() async throws {
        let core = try await Self.world("ada")
        let id = try await Self.post(core, "ada", Self.coat, method: "posts.addProduct")
        let product = try #require(try await core.call(as: "ada", "posts.get", ["post": .string(id)])["product"]?["id"])
        let changed = try await core.call(
            as: "ada", "products.update", ["product": product, "price": "200", "currency": "JPY", "link": ""])
        #expect(changed["price"] == ["amount": "200", "currency": "JPY"] && changed["link"] == nil)
        let post = try await core.call("posts.get", ["post": .string(id)])
        #expect(post["product"]?["price"]?["currency"] == "JPY")
        #expect(
            try await core.error(as: "ada", "products.update", ["product": product, "price": "1.5"])?.data?["field"]
                == "price")
    }

    @Test func productMailsGoOnlyToTheCallerAndAreLimited() async throws {
        let core = try await Self.world("ada", "bob")
        let id = try await Self.post(core, "ada", Self.coat, method: "posts.addProduct")
        let product = try #require(try await core.call(as: "bob", "posts.get", ["post": .string(id)])["product"]?["id"])
        #expect(try await core.call(as: "bob", "products.mail", ["product": product])["email"] == "bob@example.org")
        let mails = try core.store.read { try Row.fetchAll($0, sql: "SELECT recipient, subject, body FROM mail") }
        #expect(mails.count == 1 && mails[0]["recipient"] == "bob@example.org")
        let body: String = try #require(mails[0]["body"])
        for said in ["Coat", "Burberry", "1290.00 EUR", "https://shop.example/coat"] { #expect(body.contains(said)) }
        for _ in 1..<RateLimit.ownMails.maximum {
            try await core.call(as: "bob", "products.mail", ["product": product])
        }
        let error = try await core.error(as: "bob", "products.mail", ["product": product])
        #expect(error?.data?["retry_after"] == 3600)
    }

    @Test func theEventOfASuggestedPostHasNoTextOfItsAuthor() async throws {
        let core = try await Self.world("ada", "bob", "cai")
        let id = try await Self.post(core, "ada", ["text": "quillfeather"])
        try await core.call(as: "bob", "people.follow", ["person": "cai"])
        try await core.call(as: "bob", "suggestions.send", ["subject": .string("post/\(id)"), "to": "cai"])
        #expect(try await core.texts(of: "cai").contains("Bob Test suggests <b>An outfit of ada</b>."))
        let lines = core.liveState.told.map { String(decoding: $0.line, as: UTF8.self) }
        #expect(lines.contains { $0.contains("bob suggests <b>post/\(id)</b>.") })
        #expect(!lines.contains { $0.contains("quillfeather") })
    }
}
