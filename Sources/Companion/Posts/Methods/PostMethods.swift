import Callers
import GRDB
import Gazetteer
import Geodesy
import People
import Positioning
import RPC
import Service
import Store

/// The RPC methods about posts.
struct PostMethods: Sendable {
    let context: ServiceContext

    /// The largest page size, in posts.
    private static let largestPage = 100
    /// The default radius of `posts.here`, in metres.
    private static let defaultRadius = 1000.0
    /// The largest radius of `posts.here`, in metres.
    private static let largestRadius = 10_000.0

    init(_ context: ServiceContext) { self.context = context }

    /// All methods about posts.
    var all: [Method<Principal>] { writing + reading }

    private var writing: [Method<Principal>] {
        [
            .stored(
                "posts.add",
                "Posts an outfit at lat and lon, or by default at the latest fix of a device that carries you.",
                PostDraft.parameter, Self.place, answers: PostEntry.shape,
                errors: [.invalidValue, .unavailable], right: .person
            ) { try await add($0, $1, of: nil, at: $2) },
            .stored(
                "posts.addProduct",
                "Posts a product that can be bought: an existing one, or a new one with its name, brand and price.",
                Parameter<String?>.optional(
                    "product", .string(length: 1...20),
                    "The id of an existing product; omit it to describe a new one by name, brand, price and currency."),
                ProductDraft.parameter, PostDraft.parameter, Self.place, answers: PostEntry.shape,
                errors: [.notFound, .invalidValue, .unavailable], right: .person
            ) { call, product, new, draft, place in
                guard product == nil || new.isEmpty else {
                    throw Refusal.invalid("product", "must be omitted if a new product is described")
                }
                let shown: Shown = try product.map(Shown.known) ?? .new(try new.fields())
                return try await add(call, draft, of: shown, at: place)
            },
            .stored(
                "posts.update",
                "Changes a post of yours; values that are omitted stay as they are, and so does its place.",
                .post, PostDraft.parameter, answers: PostEntry.shape, errors: [.notFound, .notAllowed, .invalidValue],
                right: .person
            ) { call, id, draft in
                try await context.changePosts(call) { changing, consequences in
                    let post = try Post.get(id, for: changing.audience, in: changing.db)
                    guard post.author == changing.me.number else {
                        throw Refusal.notAllowed(
                            "The post \(post.id) is not yours. You can change only your own posts.")
                    }
                    try Budget.spend(texts: draft.texts, by: changing.viewer, at: changing.now, in: changing.db)
                    try post.update(draft.fields(insteadOf: post.fields), in: changing.db)
                    consequences.changed(post.subject, at: changing.now)
                    return try PostEntry.get(id, for: changing.audience, in: changing.db)
                }
            },
            .stored(
                "posts.remove",
                "Removes a post of yours with everything said about it; administrators can remove any post.",
                .post, answers: .only("id", "The id of the removed post."), errors: [.notFound, .notAllowed],
                right: .contribute,
                question: "Remove this post?", handler: remove),
            .stored(
                "posts.judge", "Votes \"wear it\" or \"change it\" on someone else's post that asks for it, once.",
                .post,
                Parameter<Verdict.Choice>.required("choice", "The vote: wear or change."), answers: PostEntry.shape,
                errors: [.notFound, .notAllowed, .conflict, .invalidValue], right: .person
            ) { call, id, choice in
                try await context.changePosts(call) { changing, consequences in
                    let post = try Post.get(id, for: changing.audience, in: changing.db)
                    try Verdict.add(choice, by: changing.me.number, on: post, in: changing.db)
                    consequences.changed(post.subject, at: changing.now)
                    if let author = try People.find(number: post.author, in: changing.db) {
                        consequences.acts.append(
                            Act(.verdict, by: changing.me.number, to: author.id, of: post.subject, at: changing.now))
                    }
                    return try PostEntry.get(id, for: changing.audience, in: changing.db)
                }
            },
        ]
    }

    private var reading: [Method<Principal>] {
        [
            .stored(
                "posts.get", "Returns a post.", .post, answers: PostEntry.shape, errors: [.notFound], right: .read
            ) { call, id in
                try await context.readPosts(call) { reading in
                    try PostEntry.get(id, for: reading.audience, in: reading.db)
                }
            },
            .stored(
                "posts.feed", "Lists your posts and those of the people you follow, latest first.",
                .page(of: "posts.feed", by: Int64.self, upTo: Self.largestPage, default: 20),
                answers: .page("posts", "The posts."), errors: [.invalidValue], right: .person
            ) { call, asked in
                try await context.readPosts(call) { reading in try Self.page(.feed, asked, reading) }
            },
            .stored(
                "posts.list", "Lists the posts of a person, or those that show a product, latest first.",
                Parameter<String?>.optional("person", .deviceName, "The username of the author."),
                Parameter<String?>.optional(
                    "product", .string(length: 1...20), "The id of the product, instead of a person."),
                .page(of: "posts.list", by: Int64.self, upTo: Self.largestPage, default: 20),
                answers: .page("posts", "The posts."), errors: [.notFound, .invalidValue], right: .read
            ) { call, person, product, asked in
                guard (person == nil) != (product == nil) else {
                    throw Refusal.invalid("person", "must be given, or product instead, but not both")
                }
                return try await context.readPosts(call) { reading in
                    let scope: PostList.Scope =
                        if let product {
                            .showing(try Product.get(product, for: reading.audience, in: reading.db).number)
                        } else {
                            .of(try People.getNumber(of: person ?? "", in: reading.db))
                        }
                    return try Self.page(scope, asked, reading)
                }
            },
            .stored(
                "posts.here", "Lists the posts around you, or around a place, latest first.", Self.place,
                Parameter<Double>.optional(
                    "radius", .number(in: 10...Self.largestRadius), default: Self.defaultRadius,
                    "The radius in metres; 1000 by default."),
                .page(of: "posts.here", by: Int64.self, upTo: Self.largestPage, default: 20),
                answers: .page("posts", "The posts."), errors: [.notAllowed, .invalidValue, .unavailable],
                right: .read
            ) { call, place, radius, asked in
                let place = try await self.place(place, for: call)
                return try await context.readPosts(call) { reading in
                    let around = PostsAround(
                        place: place, radius: .meters(radius), after: asked.after, limit: asked.limit + 1)
                    let numbers = try around.numbers(for: reading.audience, in: reading.db)
                    return try Self.page(.ones(numbers), asked, reading)
                }
            },
        ]
    }

    private static let place = Parameter<Coordinate?>.place(
        "The latitude of the place, in degrees north; where you are by default.",
        "The longitude of the place, in degrees east.")

    /// Returns a page of a list.
    private static func page(
        _ scope: PostList.Scope, _ asked: PageRequest<Int64>, _ reading: PostReadContext
    ) throws -> Page<PostEntry> {
        var page = asked.page(of: PostEntry.self)
        try PostList(scope: scope, after: asked.after, limit: asked.limit + 1)
            .forEach(for: reading.audience, in: reading.db) { page.append($0, at: $0.post.number) }
        return page
    }

    /// Returns the given place, or the caller's position if none is given.
    ///
    /// - Throws: `Refusal.notAllowed` if nobody is signed in, `Refusal.unavailable` if no device carries the caller, or
    ///   none of those that do has had a fix.
    private func place(_ given: Coordinate?, for call: Call<Principal>) async throws -> Coordinate {
        if let given { return given }
        let deviceDirectory = DeviceDirectory(store: context.store, liveState: context.liveState)
        return try await deviceDirectory.fix(carrying: call.person()).coordinate
    }

    /// The product that a new post shows.
    private enum Shown: Sendable {
        /// An existing product, by its id.
        case known(String)
        case new(Product.Fields)
    }

    private func add(
        _ call: Call<Principal>, _ draft: PostDraft, of shown: Shown?, at given: Coordinate?
    ) async throws -> PostEntry {
        let place = try await self.place(given, for: call)
        return try await context.changePosts(call) { [context] changing, consequences in
            let (db, now) = (changing.db, changing.now)
            var texts = draft.texts
            var product: Int64?
            switch shown {
            case nil: break
            case .known(let id): product = try Product.get(id, for: changing.audience, in: db).number
            case .new(let fields):
                texts += [fields.name, fields.brand, fields.link]
                product = try Product.add(fields, by: changing.me.number, at: now, in: db)
            }
            try Budget.spend(context.limits.ofPosts, texts: texts, by: changing.viewer, at: now, in: db)
            var names = try PlaceNames(db)
            let id = try Post.add(
                draft.fields(), of: product, by: changing.me.number, at: place, named: names.name(of: place), now: now,
                in: db)
            consequences.changed(SubjectID(kind: Post.kind, id: id), at: now)
            return try PostEntry.get(id, for: changing.audience, in: db)
        }
    }

    @Sendable private func remove(_ call: Call<Principal>, _ id: String) async throws -> String {
        let viewer = call.viewer
        return try await context.editor.change { [context] db, consequences in
            let audience = try Audience(viewer, in: db)
            let post = try Post.get(id, for: audience, in: db)
            guard viewer.isAdmin || post.author == audience.person else {
                throw Refusal.notAllowed("The post \(post.id) is not yours. You can remove only your own posts.")
            }
            try post.remove(in: db)
            consequences.removed(post.subject, at: context.now())
            return post.id
        }
    }
}

extension Parameter where Value == String {
    /// The parameter `post`, the id of a post.
    static var post: Parameter { .required("post", .string(length: 1...20), "The post's id.") }
    /// The parameter `product`, the id of a product.
    static var product: Parameter { .required("product", .string(length: 1...20), "The product's id.") }
}

extension NotificationDraft.Kind {
    /// The kind of notifications that people have voted on a post of the person's, who are not named.
    static let verdict = NotificationDraft.Kind(
        "verdict",
        .init(
            one: "has voted on", several: "have voted on", "a post of yours",
            logText: "Somebody has voted on a post of yours.", isAnonymous: true))
}
