import Callers
import GRDB
import People
import RPC
import Service
import Store

/// The RPC methods about products and shopping lists.
struct ProductMethods: Sendable {
    private let context: ServiceContext
    private let outbox: Outbox

    /// The largest page size, in products.
    private static let largestPage = 200

    init(_ context: ServiceContext, _ outbox: Outbox) {
        self.context = context
        self.outbox = outbox
    }

    /// All methods about products and shopping lists.
    var all: [Method<Principal>] { products + shopping }

    private var products: [Method<Principal>] {
        [
            .stored(
                "products.get", "Returns a product with its price and the page of a shop.", .product,
                answers: ProductPage.shape, errors: [.notFound], right: .read
            ) { call, id in
                try await context.readPosts(call) { reading in
                    let product = try Product.get(id, for: reading.audience, in: reading.db)
                    return try ProductPage(product, for: reading.audience, in: reading.db)
                }
            },
            .stored(
                "products.update", "Changes a product that you entered; values that are omitted stay as they are.",
                .product, ProductDraft.parameter, answers: ProductPage.shape,
                errors: [.notFound, .notAllowed, .invalidValue], right: .person
            ) { call, id, draft in
                try await context.changePosts(call) { changing in
                    let product = try Product.get(id, for: changing.audience, in: changing.db)
                    guard product.owner == changing.me.number else {
                        throw Refusal.notAllowed(
                            "The product \(product.id) is not yours. Only the person who entered it can change it.")
                    }
                    try Budget.spend(texts: draft.texts, by: changing.viewer, at: changing.now, in: changing.db)
                    try product.update(try draft.fields(insteadOf: product.fields), in: changing.db)
                    let new = try Product.get(id, for: changing.audience, in: changing.db)
                    return try ProductPage(new, for: changing.audience, in: changing.db)
                }
            },
            .stored(
                "products.mail",
                "Mails a product to your own address: its name, brand and price, and the page of a shop.",
                .product,
                answers: .object {
                    Member("email", .text, "Your address.") { $0 }
                }, errors: [.notFound, .unavailable], right: .person, question: "Mail this to yourself?"
            ) { call, id in
                try await context.changePosts(call) { [outbox] changing in
                    let product = try Product.get(id, for: changing.audience, in: changing.db)
                    try RateLimits.count(.ownMails, by: changing.me.number, now: changing.now, in: changing.db)
                    try outbox.add(
                        product.mail(to: changing.me, from: context.webAddress()), at: changing.now, in: changing.db)
                    return changing.me.email
                }
            },
        ]
    }

    private var shopping: [Method<Principal>] {
        [
            .stored(
                "shopping.list", "Lists the products that you want to buy, latest first; nobody else sees them.",
                .page(of: "shopping.list", by: Int64.self, upTo: Self.largestPage, default: 50),
                answers: .page("products", "The products."), errors: [.invalidValue], right: .person
            ) { call, asked in
                try await context.readPosts(call) { reading in
                    var page = asked.page(of: ShoppingList.Item.self)
                    try ShoppingList.forEach(
                        for: reading.audience, before: asked.after, atMost: asked.limit + 1, in: reading.db
                    ) { page.append($0, at: $0.number) }
                    return page
                }
            },
            .stored(
                "shopping.add", "Adds a product to your shopping list.", .product, answers: ProductPage.shape,
                errors: [.notFound, .unavailable], right: .person
            ) { call, id in
                try await context.changePosts(call) { changing in
                    let product = try Product.get(id, for: changing.audience, in: changing.db)
                    try ShoppingList.add(product, for: changing.me.number, at: changing.now, in: changing.db)
                    return try ProductPage(product, for: changing.audience, in: changing.db)
                }
            },
            .stored(
                "shopping.remove", "Removes a product from your shopping list.", .product,
                answers: .only("product", "The id of the product."), errors: [.notFound], right: .person
            ) { call, id in
                try await context.changePosts(call) { changing in
                    try ShoppingList.remove(id, for: changing.me.number, in: changing.db)
                    return id
                }
            },
        ]
    }
}
