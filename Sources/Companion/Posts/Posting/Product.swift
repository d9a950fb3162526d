import GRDB
import Money
import People
import RPC
import Service
import Time

/// A product in the store.
struct Product: Hashable, Sendable {
    /// The kind of a product's subject.
    static let kind = "product"

    /// The fields that the owner sets.
    struct Fields: Hashable, Sendable {
        var name: String
        var brand: String
        var price: Amount
        /// The address of a shop's page; `nil` if there is none.
        var link: String?
    }

    var number: Int64
    /// The row number of the person who entered it; `nil` if the account was deleted.
    var owner: Int64?
    var fields: Fields
    /// The number of hearts.
    var hearts: Int
    /// Whether only its owner and administrators see it.
    var isHidden: Bool
    var flags: Int

    /// The product's id.
    var id: String { String(number) }
    var subject: SubjectID { SubjectID(kind: Self.kind, id: id) }

    /// The columns of a product, under names that begin with `product_`.
    static let columns = """
        product.number AS product_number, product.owner AS product_owner, product.name AS product_name,
        product.brand AS product_brand, product.price AS product_price, product.currency AS product_currency,
        product.link AS product_link, product.hearts AS product_hearts, product.hidden AS product_hidden,
        product.flags AS product_flags
        """

    /// Creates a product from a row that has ``columns``; returns `nil` if an outer join found none.
    init?(_ row: NamedRow) throws {
        guard let number: Int64 = row["product_number"] else { return nil }
        guard let currency = try? Currency(row["product_currency"]) else {
            throw row.damage("a product has an invalid currency")
        }
        self.number = number
        owner = row["product_owner"]
        fields = Fields(
            name: row["product_name"], brand: row["product_brand"],
            price: Amount(minor: row["product_price"], currency), link: row["product_link"])
        hearts = row["product_hearts"]
        isHidden = row["product_hidden"]
        flags = row["product_flags"]
    }

    /// Returns the product with an id; `nil` if there is none that the audience may see.
    static func find(_ id: String, for audience: Audience, in db: Database) throws -> Product? {
        guard let number = Post.number(id) else { return nil }
        let statement = try db.cachedStatement(
            sql: "SELECT \(columns) FROM product WHERE product.number = :number AND \(Audience.seesProduct)")
        return try NamedRow.fetchOne(statement, arguments: audience.arguments + ["number": number])
            .flatMap { try Product($0) }
    }

    /// Returns the product with an id.
    ///
    /// - Throws: ``Refusal/absent(_:id:)`` if there is none that the audience may see.
    static func get(_ id: String, for audience: Audience, in db: Database) throws -> Product {
        guard let product = try find(id, for: audience, in: db) else { throw Refusal.absent(kind, id: id) }
        return product
    }

    /// Adds a product, which a post is to show.
    ///
    /// - Returns: The product's number.
    static func add(_ fields: Fields, by owner: Int64, at now: Timestamp, in db: Database) throws -> Int64 {
        try db.cachedStatement(
            sql: "INSERT INTO product (owner, name, brand, price, currency, link, created) VALUES (?, ?, ?, ?, ?, ?, ?)"
        ).execute(arguments: [
            owner, fields.name, fields.brand, fields.price.minor, fields.price.currency.code, fields.link,
            now.milliseconds,
        ])
        return db.lastInsertedRowID
    }

    /// Replaces the fields of the product.
    func update(_ fields: Fields, in db: Database) throws {
        try db.cachedStatement(
            sql: "UPDATE product SET name = ?, brand = ?, price = ?, currency = ?, link = ? WHERE number = ?"
        ).execute(arguments: [
            fields.name, fields.brand, fields.price.minor, fields.price.currency.code, fields.link, number,
        ])
    }
}
