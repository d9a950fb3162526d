import Geodesy
import Money
import RPC
import Service

/// The fields of a new or changed post.
///
/// A field that is `nil` keeps its value, or has its default in a new post.
struct PostDraft: Sendable {
    /// The author's words.
    ///
    /// An empty text clears the field; `nil` keeps its value.
    var text: String?
    var brands: [String]?
    var isVoting: Bool?
    var level: Post.Level?

    static let parameter = Parameter<PostDraft>([
        .optional(
            "text", .string(length: 0...PostText.longest),
            "Your words, at most \(PostText.longest) bytes; an empty text for none."),
        .optional(
            "brands", .array(of: .string(length: 1...PostText.longestName), count: 0...Post.maximumBrands),
            "The brands that are worn in it, at most \(Post.maximumBrands)."),
        .optional(
            "voting", .boolean, "Whether others can vote \"wear it\" or \"change it\"; false by default when adding."),
        .optional(
            "level", .choice(of: Post.Level.self),
            "The people who may see it: friends or everyone; everyone by default when adding."),
    ]) { members throws(Refusal) in
        let (text, brands): (String?, [String]?) = (try members.value("text"), try members.value("brands"))
        return PostDraft(
            text: try text.map { text throws(Refusal) in
                try Prose.clean(text, "text", atMost: PostText.longest) ?? ""
            },
            brands: try brands.map { brands throws(Refusal) in
                try PostText.brands(brands)
            },
            isVoting: try members.value("voting"), level: try members.choice("level"))
    }

    /// Returns the fields of a post with this draft applied.
    func fields(insteadOf old: Post.Fields = Post.Fields()) -> Post.Fields {
        var fields = old
        if let text { fields.text = text.isEmpty ? nil : text }
        if let brands { fields.brands = brands }
        if let isVoting { fields.isVoting = isVoting }
        if let level { fields.level = level }
        return fields
    }

    /// The texts that the author writes.
    var texts: [String?] { [text] + (brands ?? []) }
}

/// The fields of a new or changed product.
///
/// A field that is `nil` keeps its value.
struct ProductDraft: Sendable {
    var name: String?
    var brand: String?
    var price: String?
    var currency: String?
    /// The address of a shop's page.
    ///
    /// An empty text clears the field; `nil` keeps its value.
    var link: String?

    private static let name = Schema.string(length: 1...PostText.longestName)

    static let parameter = Parameter<ProductDraft>([
        .optional("name", name, "The name."),
        .optional("brand", name, "The brand."),
        .optional(
            "price", .string(length: 1...32), "The price, as a decimal number with at most the currency's decimals."),
        .optional("currency", .string(length: 3...3), "The currency of the price, by its code of ISO 4217."),
        .optional(
            "link", .string(length: 0...2048), "The page of a shop, with http or https; an empty text for none."),
    ]) { members throws(Refusal) in
        func line(_ name: String) throws(Refusal) -> String? {
            guard let text: String = try members.value(name) else { return nil }
            return try PostText.line(text, name)
        }
        let link: String? = try members.value("link")
        return ProductDraft(
            name: try line("name"), brand: try line("brand"), price: try members.value("price"),
            currency: try members.value("currency"),
            link: try link.map { link throws(Refusal) in
                link.isEmpty ? "" : try PostText.link(link)
            })
    }

    /// Whether all fields are omitted.
    var isEmpty: Bool { [name, brand, price, currency, link].allSatisfy { $0 == nil } }

    /// The texts that the person writes.
    var texts: [String?] { [name, brand, link] }

    /// Returns the fields of a new product.
    ///
    /// - Throws: `Refusal.invalid` naming the field that is missing or has an invalid value.
    func fields() throws(Refusal) -> Product.Fields {
        func needed(_ value: String?, _ field: String) throws(Refusal) -> String {
            guard let value else { throw .invalid(field, "is missing") }
            return value
        }
        let (name, brand) = (try needed(name, "name"), try needed(brand, "brand"))
        let price = try needed(price, "price")
        return Product.Fields(
            name: name, brand: brand,
            price: try Self.amount(price, Currency(given: needed(currency, "currency"))),
            link: link.flatMap { $0.isEmpty ? nil : $0 })
    }

    /// Returns the fields of a product with this draft applied.
    ///
    /// - Throws: `Refusal.invalid` if the price is missing next to a currency, or does not fit the currency.
    func fields(insteadOf old: Product.Fields) throws(Refusal) -> Product.Fields {
        var fields = old
        if let name { fields.name = name }
        if let brand { fields.brand = brand }
        if let link { fields.link = link.isEmpty ? nil : link }
        guard price != nil || currency != nil else { return fields }
        guard let price else { throw .invalid("price", "is missing; it is required with currency") }
        fields.price = try Self.amount(
            price, currency.map { code throws(Refusal) in try Currency(given: code) } ?? old.price.currency)
        return fields
    }

    private static func amount(_ text: String, _ currency: Currency) throws(Refusal) -> Amount {
        let amount = try Amount(given: text, "price", currency)
        guard amount.minor > 0 else { throw .invalid("price", MoneyFlaw.zero.reason) }
        return amount
    }
}
