#if Companion
import RPC

extension DemoCast {
    /// Makes the four people rate sights and add photos to them.
    func visit() async throws {
        let reviews: [(person: String, sight: String, rating: Int64, text: String)] = [
            ("ada", "gutenberg-castle", 5, "Walk up through the vines; the gate is open on most days."),
            ("ada", "kunstmuseum", 4, "Small, and every room a surprise. The sushi bar below is good, too."),
            ("ada", "malbun", 5, "Take the lift to Sareis and walk back along the ridge."),
            ("bob", "kunstmuseum", 5, "On rainy days the black walls mirror the whole square."),
            ("bob", "gutenberg-castle", 4, ""), ("bob", "walser-museum", 4, "Ask for the film about the dialect."),
            ("bob", "ruggell", 4, "My grandmother lives here. Come for the irises in May."),
            ("cleo", "postmuseum", 5, "You may pull out every drawer. We stayed for two hours."),
            ("cleo", "vaduz-castle", 3, "Only from outside, and steep on a tandem."),
            ("cleo", "malbun", 5, "Marmots!"), ("dan", "prince-s-wine-cellars", 5, "The Pinot noir. Book a tasting."),
            ("dan", "vaduz-castle", 4, "The best view is from the path below, in the evening."),
            ("dan", "postmuseum", 4, ""), ("dan", "himmelstreppe", 5, "Not after rain, and not with sandals."),
        ]
        for review in reviews {
            try await call(
                "reviews.put", as: review.person,
                [
                    "subject": .string("sight/\(review.sight)"), "rating": .integer(review.rating),
                    "text": .string(review.text),
                ])
        }
        let photos: [(person: String, sight: String, scene: Painting.Scene, hour: Painting.Hour, caption: String)] = [
            ("ada", "gutenberg-castle", .castle, .morning, "Before the first visitors"),
            ("bob", "gutenberg-castle", .castle, .evening, "And after the last"),
            ("bob", "kunstmuseum", .black, .noon, "A cube, and three trees"),
            ("cleo", "vaduz-castle", .castle, .night, "The prince is at home"),
            ("cleo", "postmuseum", .black, .evening, "The street in front of it"),
            ("ada", "malbun", .huts, .noon, "The road ends here"),
            ("dan", "prince-s-wine-cellars", .vines, .evening, "The sun stays longest on this slope"),
            ("bob", "ruggell", .lake, .morning, "The moor"),
            ("dan", "st-laurentius", .village, .noon, "Schaan, from the railway"),
            ("cleo", "steg", .lake, .noon, "The lake behind the tunnel"),
            ("bob", "st-theodul", .village, .morning, "Above the fog"),
        ]
        for photo in photos {
            try await photograph("sight/\(photo.sight)", by: photo.person, photo.scene, photo.hour, photo.caption)
        }
    }

    /// Makes the four people friends and followers, and gives Ada some notifications.
    func meet() async throws {
        for (asker, asked) in [("bob", "ada"), ("cleo", "ada"), ("cleo", "bob"), ("dan", "cleo")] {
            try await call("friends.request", as: asker, ["person": .string(asked)])
            try await call("friends.confirm", as: asked, ["person": .string(asker)])
        }
        for (follower, followed) in [
            ("ada", "bob"), ("ada", "cleo"), ("bob", "ada"), ("dan", "ada"), ("cleo", "bob"), ("bob", "cleo"),
        ] { try await call("people.follow", as: follower, ["person": .string(followed)]) }
        try await call("friends.request", as: "dan", ["person": "ada"])
        try await call(
            "suggestions.send", as: "cleo",
            ["subject": "sight/postmuseum", "to": "ada", "text": "You pass it anyway, and you would love the drawers."])
        for (person, sight) in [("ada", "walser-museum"), ("ada", "himmelstreppe"), ("bob", "malbun")] {
            try await call(
                "reactions.set", as: person, ["subject": .string("sight/\(sight)"), "kind": "save", "on": true])
        }
    }

    /// Makes the four people post, and like each other's posts.
    func post() async throws {
        let rain = try await call(
            "posts.add", as: "bob",
            [
                "text": "Rain jacket, or will it hold until Malbun?", "brands": ["Nordlicht", "Havn"], "voting": true,
                "lat": 47.0661, "lon": 9.5038,
            ])
        let cap = try await call(
            "posts.addProduct", as: "cleo",
            [
                "name": "Wool cap", "brand": "Havn", "price": "29.90", "currency": "CHF",
                "link": "https://shop.example/cap", "text": "Warm, and it folds into a pocket.", "voting": true,
                "lat": 47.1387, "lon": 9.5222,
            ])
        let vines = try await call(
            "posts.add", as: "dan",
            ["text": "The vines above Vaduz turn red this week.", "lat": 47.1450, "lon": 9.5166])
        let lake = try await call(
            "posts.add", as: "ada", ["text": "Last time it was all white here.", "lat": 47.1118, "lon": 9.5766])
        let ids = try [rain, cap, vines, lake].map { try $0.text("id").orFailing("posts.add returned no post") }
        let drawn: [(String, Painting.Scene, Painting.Hour)] = [
            ("bob", .huts, .morning), ("cleo", .village, .evening), ("dan", .vines, .noon), ("ada", .lake, .evening),
        ]
        for (id, picture) in zip(ids, drawn) {
            try await photograph("post/\(id)", by: picture.0, picture.1, picture.2, "")
        }
        try await call("posts.judge", as: "ada", ["post": .string(ids[0]), "choice": "wear"])
        for (person, id) in [("cleo", ids[0]), ("ada", ids[1]), ("bob", ids[2]), ("cleo", ids[3]), ("bob", ids[3])] {
            try await call(
                "reactions.set", as: person, ["subject": .string("post/\(id)"), "kind": "heart", "on": true])
        }
        if let product = cap["product"]?.text("id") {
            try await call("shopping.add", as: "ada", ["product": .string(product)])
        }
    }
}
#endif
