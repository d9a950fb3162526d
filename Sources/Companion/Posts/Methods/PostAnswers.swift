import GRDB
import Money
import People
import Positioning
import RPC
import Service

extension PostEntry: Answerable {
    /// The kind of thing that a post shows.
    enum Kind: String, CaseIterable, Sendable {
        case outfit
        case product
    }

    static let shape = AnswerShape<PostEntry>.object(
        [
            Member("id", .text, "The id.") { $0.post.id },
            Member("kind", .choice, "The kind of post: an outfit or a product.") { entry -> Kind in
                entry.product == nil ? .outfit : .product
            },
            Member("author", PersonRow.shape, "The author.") { $0.author },
            Member("time", .time, "The time at which it was posted.") { $0.post.created },
            .optional("text", .text, "The author's words.") { $0.post.fields.text },
            Member("brands", .array(of: .text), "The brands in it.") { $0.post.fields.brands },
            .optional("photo", .text, "The id of its photo, which photos.read returns whole and square.") { $0.photo },
        ]
            + Member.place(
                "The latitude of its place, in degrees north.", "The longitude of its place, in degrees east."
            ) { $0.post.place }
            + [
                .optional("place", .text, "The name of its place in the gazetteer; absent if there is none.") {
                    $0.post.placeName
                },
                Member("level", .choice, "The people who may see it: friends or everyone.") { $0.post.fields.level },
                .optional("product", Product.shape, "The product; absent for an outfit.") { $0.product },
                Member("hearts", .integer, "The number of people who love it.") { $0.post.hearts },
                .optional("loved", .boolean, "Whether you love it; absent if nobody is signed in.") { $0.isLoved },
                Member("reviews", .integer, "The number of reviews.") { $0.reviews },
                .optional("saved", .boolean, "Whether you have saved it; absent if nobody is signed in.") {
                    $0.isSaved
                },
                Member("voting", .boolean, "Whether others can vote \"wear it\" or \"change it\".") {
                    $0.post.fields.isVoting
                },
                .optional("choice", .choice, "Your vote; absent until you vote.") { $0.choice },
            ] + verdict + [
                .optional("flags", .integer, "The number of flags that await a decision; only for administrators.") {
                    $0.decides ? $0.post.flags : nil
                },
                .flag("hidden", "Whether only its author and administrators see it.") { $0.post.isHidden },
            ])

    /// The members of the verdict, for the author and for people who have voted.
    private static let verdict: [Member<PostEntry>] = [
        .optional(
            "verdict", .choice,
            "The majority of the votes; absent if there are none, and until you vote unless you are the author."
        ) { $0.seesVerdict ? $0.post.verdict.outcome : nil },
        .optional("wears", .integer, "The number of \"wear it\" votes; absent if the verdict is.") {
            $0.seesVerdict && $0.post.verdict.outcome != nil ? $0.post.verdict.wears : nil
        },
        .optional("changes", .integer, "The number of \"change it\" votes; absent if the verdict is.") {
            $0.seesVerdict && $0.post.verdict.outcome != nil ? $0.post.verdict.changes : nil
        },
    ]
}

extension Product: Answerable {
    static let shape = AnswerShape<Product>.object(members)

    static let members: [Member<Product>] = [
        Member("id", .text, "The id.") { $0.id },
        Member("name", .text, "The name.") { $0.fields.name },
        Member("brand", .text, "The brand.") { $0.fields.brand },
        Member("price", Amount.shape, "The price.") { $0.fields.price },
        .optional("link", .text, "The page of a shop, with http or https; absent if none is known.") {
            $0.fields.link
        },
    ]
}

/// A product as its page shows it.
struct ProductPage: Answerable, Sendable {
    var product: Product
    /// The person who entered it; `nil` if the account was deleted.
    var owner: PersonRow?
    var picture: String?
    var isLoved: Bool?
    var isListed: Bool?
    var decides: Bool

    init(_ product: Product, for audience: Audience, in db: Database) throws {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT \(Product.picture) AS picture,
                        EXISTS (SELECT 1 FROM reaction WHERE kind = 'heart' AND person = :me AND subject = (
                            SELECT number FROM subject WHERE id = 'product/' || :number)) AS loved
                    FROM product WHERE number = :number
                    """), arguments: audience.arguments + ["number": product.number])
        self.product = product
        decides = audience.decides
        let viewer = Viewer(person: try audience.person.flatMap { try People.find(number: $0, in: db)?.id })
        owner = try product.owner.map { try People.row(of: $0, for: viewer, in: db) }
        picture = (row?["picture"] as Int64?).map(String.init)
        guard let person = audience.person else { return }
        isLoved = row?["loved"]
        isListed = try ShoppingList.contains(product.number, for: person, in: db)
    }

    static let shape = AnswerShape<ProductPage>.object {
        Product.members.of { $0.product }
        Member.optional("owner", PersonRow.shape, "The person who entered it; absent if the account was removed.") {
            $0.owner
        }
        Member.optional("picture", .text, "The id of the photo that represents it.") { $0.picture }
        Member("hearts", .integer, "The number of people who love it.") { $0.product.hearts }
        Member.optional("loved", .boolean, "Whether you love it; absent if nobody is signed in.") { $0.isLoved }
        Member.optional(
            "listed", .boolean, "Whether it is on your shopping list; absent if nobody is signed in."
        ) { $0.isListed }
        Member.optional("flags", .integer, "The number of flags that await a decision; only for administrators.") {
            $0.decides ? $0.product.flags : nil
        }
        Member.flag("hidden", "Whether only the person who entered it and administrators see it.") {
            $0.product.isHidden
        }
    }
}

extension ShoppingList.Item: Answerable {
    static let shape = AnswerShape<ShoppingList.Item>.object {
        Product.members.of { $0.product }
        Member.optional("picture", .text, "The id of the photo that represents it.") { $0.picture }
        Member("added", .time, "The time at which you added it to the list.") { $0.added }
    }
}

extension AnswerShape where Value == String {
    /// Returns the shape of an answer that only repeats an id.
    static func only(_ name: String, _ doc: String) -> AnswerShape { .object { Member(name, .text, doc) { $0 } } }
}
