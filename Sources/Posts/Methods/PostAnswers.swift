import Accounts
import GRDB
import Money
import Positioning
import RPC
import Service

extension PostEntry: Answerable {
    /// The kind of thing that a post shows.
    enum Kind: String, CaseIterable, Sendable {
        case outfit
        case product
    }

    static let shape = Shape<PostEntry>.object(
        [
            Member("id", .text, "What it is known by.") { $0.post.id },
            Member("kind", .choice, "What it shows: an outfit, or a product.") { entry -> Kind in
                entry.product == nil ? .outfit : .product
            },
            Member("author", PersonRow.shape, "Who shows it.") { $0.author },
            Member("time", .time, "When it was made.") { $0.post.created },
            .optional("text", .text, "What they say of it.") { $0.post.fields.text },
            Member("brands", .array(of: .text), "The brands in it.") { $0.post.fields.brands },
            .optional("photo", .text, "The id of its photo, which photos.read gives whole and square.") { $0.photo },
        ]
            + Member.place("Degrees north of where it was made.", "Degrees east of it.") { $0.post.place }
            + [
                .optional("place", .text, "What that place is called, by the gazetteer.") { $0.post.placeName },
                Member("level", .choice, "Who may see it.") { $0.post.fields.level },
                .optional("product", Product.shape, "What can be bought; left out of an outfit.") { $0.product },
                Member("hearts", .integer, "How many love it.") { $0.post.hearts },
                .optional("loved", .boolean, "Whether you do; left out where nobody is signed in.") { $0.isLoved },
                Member("reviews", .integer, "How many reviews there are.") { $0.reviews },
                .optional("saved", .boolean, "Whether you have saved it; left out where nobody is signed in.") {
                    $0.isSaved
                },
                Member("voting", .boolean, "Whether others say \"wear it\" or \"change it\".") {
                    $0.post.fields.isVoting
                },
                .optional("choice", .choice, "What you have said; left out before.") { $0.choice },
            ] + verdict + [
                .optional("flags", .integer, "How many flags are to be decided upon; only for who decides.") {
                    $0.decides ? $0.post.flags : nil
                },
                .flag("hidden", "True where only its author and those who decide see it.") { $0.post.isHidden },
            ])

    /// The members of the verdict, for the author and for people who have voted.
    private static let verdict: [Member<PostEntry>] = [
        .optional(
            "verdict", .choice,
            "What most say; left out before anybody has said something, and of all but the author before you have."
        ) { $0.seesVerdict ? $0.post.verdict.outcome : nil },
        .optional("wears", .integer, "How many would wear it; left out as the verdict is.") {
            $0.seesVerdict && $0.post.verdict.outcome != nil ? $0.post.verdict.wears : nil
        },
        .optional("changes", .integer, "How many would change it; left out as the verdict is.") {
            $0.seesVerdict && $0.post.verdict.outcome != nil ? $0.post.verdict.changes : nil
        },
    ]
}

extension Product: Answerable {
    static let shape = Shape<Product>.object(members)

    static let members: [Member<Product>] = [
        Member("id", .text, "What it is known by.") { $0.id },
        Member("name", .text, "What it is called.") { $0.fields.name },
        Member("brand", .text, "Whose brand it is.") { $0.fields.brand },
        Member("price", Amount.shape, "The price.") { $0.fields.price },
        .optional("link", .text, "The page of a shop, of http or https; left out where none is known.") {
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

    static let shape = Shape<ProductPage>.object {
        Product.members.of { $0.product }
        Member.optional("owner", PersonRow.shape, "Who has entered it; left out where the account is gone.") {
            $0.owner
        }
        Member.optional("picture", .text, "The id of the photo that stands for it.") { $0.picture }
        Member("hearts", .integer, "How many love it.") { $0.product.hearts }
        Member.optional("loved", .boolean, "Whether you do; left out where nobody is signed in.") { $0.isLoved }
        Member.optional(
            "listed", .boolean, "Whether it is on your shopping list; left out where nobody is signed in."
        ) { $0.isListed }
        Member.optional("flags", .integer, "How many flags are to be decided upon; only for who decides.") {
            $0.decides ? $0.product.flags : nil
        }
        Member.flag("hidden", "True where only who has entered it and those who decide see it.") {
            $0.product.isHidden
        }
    }
}

extension ShoppingList.Item: Answerable {
    static let shape = Shape<ShoppingList.Item>.object {
        Product.members.of { $0.product }
        Member.optional("picture", .text, "The id of the photo that stands for it.") { $0.picture }
        Member("added", .time, "When you put it on the list.") { $0.added }
    }
}

extension Shape where Value == String {
    /// Returns the shape of an answer that only repeats an id.
    static func only(_ name: String, _ doc: String) -> Shape { .object { Member(name, .text, doc) { $0 } } }
}
