import FeatureSupport
import RPC

@testable import Service

extension MethodCase {
    private static let coat: JSONObject = [
        "name": "Trench coat", "brand": "Burberry", "price": "1290.00", "currency": "EUR",
        "link": "https://shop.example/coat",
    ]

    private static func coat(_ name: String, _ value: JSONValue?) -> JSONObject {
        var parameters = coat
        parameters[name] = value
        return parameters
    }

    private static func add(_ core: CoreFixture, _ method: String, _ parameters: JSONObject) async throws -> JSONObject
    {
        ["post": try await core.call(as: "ada", method, parameters)["id"] ?? .null]
    }

    /// Ada posts an outfit and asks for verdicts.
    private static let outfit: Preparation = {
        try await add($0, "posts.add", ["text": "For the opera", "voting": true])
    }
    /// Ada posts without asking for verdicts.
    private static let plain: Preparation = { try await add($0, "posts.add", ["brands": ["Levi's"]]) }
    /// Ada posts for friends only; she has none.
    private static let secret: Preparation = { try await add($0, "posts.add", ["level": "friends"]) }

    /// Bob has given his verdict.
    private static let judged: Preparation = { core in
        let outfit = try await outfit(core)
        var choice = outfit
        choice["choice"] = "change"
        try await core.call(as: "bob", "posts.judge", choice)
        return outfit
    }

    /// Ada posts a product.
    private static let product: Preparation = { core in
        let post = try await core.call(as: "ada", "posts.addProduct", coat)
        return ["product": post["product"]?["id"] ?? .null]
    }

    /// Bob has the product on his shopping list.
    private static let listed: Preparation = { core in
        let product = try await product(core)
        try await core.call(as: "bob", "shopping.add", product)
        return product
    }

    private static let subjectOfOutfit: Preparation = { core in
        let post = try await outfit(core)["post"].text ?? ""
        return ["subject": .string("post/\(post)")]
    }

    private static func noPost(
        _ method: String, as caller: Caller = .person("bob"), _ more: JSONObject = [:]
    ) -> MethodCase {
        var parameters = more
        parameters["post"] = "4711"
        return .bad(.notFound, method, as: caller, parameters)
    }

    private static func noProduct(_ method: String, as caller: Caller = .person("bob")) -> MethodCase {
        .bad(.notFound, method, as: caller, ["product": "01"])
    }

    /// The cases of posts.
    static let posts: [MethodCase] = writingPosts + readingPosts + products + flags

    private static let writingPosts: [MethodCase] = [
        good("posts.add", as: .person("ada"), ["text": "", "brands": ["Levi's", "Bally"], "voting": true]),
        good("posts.add", as: .person("bob"), ["lat": 52, "lon": 4.9, "level": "friends"]),
        bad(.unavailable, "posts.add", as: .person("bob")),
        bad(.invalidValue, "lon", "posts.add", as: .person("ada"), ["lat": 52]),
        bad(.invalidValue, "brands", "posts.add", as: .person("ada"), ["brands": ["a", "A"]]),
        bad(.invalidValue, "brands", "posts.add", as: .person("ada"), ["brands": [" "]]),
        bad(.invalidValue, "text", "posts.add", as: .person("ada"), ["text": "\u{0}"]),
        bad(.invalidValue, "level", "posts.add", as: .person("ada"), ["level": "me"]),

        good("posts.addProduct", as: .person("ada"), coat),
        good("posts.addProduct", as: .person("bob"), ["lat": 52, "lon": 4.9], after: product),
        bad(.notFound, "posts.addProduct", as: .person("ada"), ["product": "1"]),
        bad(.invalidValue, "name", "posts.addProduct", as: .person("ada")),
        bad(.invalidValue, "brand", "posts.addProduct", as: .person("ada"), coat("brand", nil)),
        bad(.invalidValue, "price", "posts.addProduct", as: .person("ada"), coat("price", nil)),
        bad(.invalidValue, "price", "posts.addProduct", as: .person("ada"), coat("price", "1,50")),
        bad(.invalidValue, "price", "posts.addProduct", as: .person("ada"), coat("price", "1.234")),
        bad(.invalidValue, "price", "posts.addProduct", as: .person("ada"), coat("price", "0.00")),
        bad(.invalidValue, "price", "posts.addProduct", as: .person("ada"), coat("price", "-1")),
        bad(.invalidValue, "currency", "posts.addProduct", as: .person("ada"), coat("currency", nil)),
        bad(.invalidValue, "currency", "posts.addProduct", as: .person("ada"), coat("currency", "XYZ")),
        bad(.invalidValue, "link", "posts.addProduct", as: .person("ada"), coat("link", "javascript:alert(1)")),
        bad(.invalidValue, "product", "posts.addProduct", as: .person("ada"), coat("product", "1")),

        good("posts.update", as: .person("ada"), ["text": "At the opera"], after: outfit),
        bad(.notAllowed, "posts.update", as: .person("bob"), ["text": "No"], after: outfit),
        bad(.invalidValue, "brands", "posts.update", as: .person("ada"), ["brands": ["a\nb"]], after: outfit),
        noPost("posts.update"),

        good("posts.remove", as: .person("ada"), after: outfit),
        good("posts.remove", as: .admin, after: outfit),
        bad(.notAllowed, "posts.remove", as: .person("bob"), after: outfit),
        bad(.notFound, "posts.remove", as: .person("bob"), after: secret),
        noPost("posts.remove"),

        good("posts.judge", as: .person("bob"), ["choice": "wear"], after: outfit),
        bad(.conflict, "posts.judge", as: .person("bob"), ["choice": "wear"], after: judged),
        bad(.notAllowed, "posts.judge", as: .person("ada"), ["choice": "wear"], after: outfit),
        bad(.notAllowed, "posts.judge", as: .person("bob"), ["choice": "wear"], after: plain),
        bad(.invalidValue, "choice", "posts.judge", as: .person("bob"), ["choice": "burn"], after: outfit),
        noPost("posts.judge", ["choice": "wear"]),
    ]

    private static let readingPosts: [MethodCase] = [
        good("posts.get", as: .guest, after: outfit),
        bad(.notFound, "posts.get", as: .person("bob"), after: secret),
        bad(.notFound, "posts.get", as: .admin, after: secret),
        noPost("posts.get", as: .guest),
        bad(.notFound, "posts.get", as: .guest, ["post": "one"]),

        good(
            "posts.feed", as: .person("ada"),
            after: {
                _ = try await outfit($0); return [:]
            }),
        bad(.invalidValue, "after", "posts.feed", as: .person("ada"), ["after": "x"]),

        good(
            "posts.list", as: .guest, ["person": "ada"],
            after: {
                _ = try await outfit($0); return [:]
            }),
        good("posts.list", as: .guest, after: product),
        bad(.notFound, "posts.list", as: .guest, ["person": "nobody"]),
        bad(.notFound, "posts.list", as: .guest, ["product": "1"]),
        bad(.invalidValue, "person", "posts.list", as: .guest),
        bad(.invalidValue, "person", "posts.list", as: .guest, ["person": "ada", "product": "1"]),

        good(
            "posts.here", as: .person("ada"), ["radius": 500],
            after: {
                _ = try await outfit($0); return [:]
            }),
        good("posts.here", as: .guest, ["lat": 52.37, "lon": 4.89]),
        bad(.notAllowed, "posts.here", as: .guest),
        bad(.unavailable, "posts.here", as: .person("bob")),
        bad(.invalidValue, "radius", "posts.here", as: .person("ada"), ["radius": 20_000]),
    ]

    private static let products: [MethodCase] = [
        good("products.get", as: .guest, after: product),
        noProduct("products.get", as: .guest),

        good("products.update", as: .person("ada"), ["price": "990", "link": ""], after: product),
        bad(.notAllowed, "products.update", as: .person("bob"), ["price": "1"], after: product),
        bad(.invalidValue, "price", "products.update", as: .person("ada"), ["currency": "USD"], after: product),
        bad(.invalidValue, "name", "products.update", as: .person("ada"), ["name": " "], after: product),
        noProduct("products.update"),

        good("products.mail", as: .person("bob"), after: product),
        noProduct("products.mail"),

        good(
            "shopping.list", as: .person("bob"),
            after: {
                _ = try await listed($0); return [:]
            }),
        bad(.invalidValue, "after", "shopping.list", as: .person("bob"), ["after": "x"]),
        good("shopping.add", as: .person("bob"), after: listed),
        noProduct("shopping.add"),
        good("shopping.remove", as: .person("bob"), after: listed),
        bad(.notFound, "shopping.remove", as: .person("cai"), after: listed),
        noProduct("shopping.remove"),
    ]

    private static let flags: [MethodCase] = [
        good("subjects.flag", as: .person("bob"), after: subjectOfOutfit),
        bad(.notAllowed, "subjects.flag", as: .person("ada"), after: subjectOfOutfit),
        bad(.notFound, "subjects.flag", as: .person("bob"), ["subject": "post/1"]),
        bad(.invalidValue, "subject", "subjects.flag", as: .person("bob"), ["subject": "sight/mill"]),
        good("subjects.flagged", as: .admin, ["hidden": true]),
        bad(.invalidValue, "after", "subjects.flagged", as: .admin, ["after": "x"]),
        good("subjects.clear", as: .admin, after: subjectOfOutfit),
        bad(.notFound, "subjects.clear", as: .admin, ["subject": "post/1"]),
        bad(.invalidValue, "subject", "subjects.clear", as: .admin, ["subject": "sight/mill"]),
        good("subjects.hide", as: .admin, after: subjectOfOutfit),
        bad(.notFound, "subjects.hide", as: .admin, ["subject": "product/1"]),
        bad(.invalidValue, "subject", "subjects.hide", as: .admin, ["subject": "sight/mill"]),
    ]
}
