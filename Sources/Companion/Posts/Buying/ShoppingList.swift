import GRDB
import RPC
import Service
import Store
import Subjects
import Time

/// The shopping lists of people.
///
/// Nobody else sees a person's list.
enum ShoppingList {
    /// The largest number of products on a list.
    static let maximumItems = 1000

    /// A product on a list.
    struct Item: Sendable {
        var number: Int64
        var product: Product
        /// The id of the photo that represents the product.
        var picture: String?
        var added: Timestamp

        fileprivate init?(_ row: NamedRow) throws {
            guard let product = try Product(row) else { return nil }
            self.product = product
            number = row["number"]
            picture = (row["picture"] as Int64?).map(String.init)
            added = Timestamp(milliseconds: row["added"])
        }
    }

    /// Adds a product to a person's list.
    ///
    /// A product that is on the list keeps its place.
    static func add(_ product: Product, for person: Int64, at now: Timestamp, in db: Database) throws {
        let count = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM shopping_item WHERE person = ?"), arguments: [person])
        guard try count ?? 0 < maximumItems || contains(product.number, for: person, in: db) else {
            throw Refusal.full(
                "Your shopping list has \(maximumItems) products, the maximum. Remove some first.", limit: maximumItems)
        }
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO shopping_item (person, product, added) VALUES (?, ?, ?)")
            .execute(arguments: [person, product.number, now.milliseconds])
    }

    /// Removes a product from a person's list.
    ///
    /// - Throws: ``Refusal/notFound(_:)`` if it is not on the list.
    static func remove(_ id: String, for person: Int64, in db: Database) throws {
        guard let number = Post.number(id), try contains(number, for: person, in: db) else {
            throw Refusal.notFound("The product \(id) is not on your shopping list.")
        }
        try db.cachedStatement(sql: "DELETE FROM shopping_item WHERE person = ? AND product = ?")
            .execute(arguments: [person, number])
    }

    /// Returns whether a product is on a person's list.
    static func contains(_ product: Int64, for person: Int64, in db: Database) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(
                sql: "SELECT EXISTS (SELECT 1 FROM shopping_item WHERE person = ? AND product = ?)"),
            arguments: [person, product]) ?? false
    }

    /// Calls `body` with each product on the viewer's list that they may still see, newest first, until `body` returns
    /// false.
    static func forEach(
        for audience: Audience, before number: Int64?, atMost limit: Int, in db: Database,
        _ body: (Item) throws -> Bool
    ) throws {
        let rows = try NamedRow.soundRows(
            db.cachedStatement(
                sql: """
                    SELECT shopping_item.number AS number, shopping_item.added AS added, \(Product.columns),
                        \(Product.picture) AS picture
                    FROM shopping_item JOIN product ON product.number = shopping_item.product
                    WHERE shopping_item.person = :me AND shopping_item.number < :before AND \(Audience.seesProduct)
                    ORDER BY shopping_item.number DESC LIMIT :limit
                    """),
            arguments: audience.arguments + ["before": number ?? .max, "limit": StoreDamage.widened(limit)])
        while let row = try rows.next() {
            guard let item = try Item(row) else { continue }
            guard try body(item) else { break }
        }
    }
}

extension Product {
    /// The SQL subquery for the photo that represents a row of `product`.
    ///
    /// It is the product's own photo; otherwise, that of the latest post that shows the product and that the viewer may
    /// see.
    static let picture = """
        coalesce(\(Subjects.cover(of: "'product/' || product.number")), (
            SELECT photo.number FROM photo WHERE photo.subject = (
                SELECT subject.number FROM subject WHERE subject.id = 'post/' || (
                    SELECT shown.number FROM post AS shown
                    WHERE shown.product = product.number AND \(Audience.seesPost("shown"))
                    ORDER BY shown.number DESC LIMIT 1))
            ORDER BY photo.cover DESC, photo.place LIMIT 1))
        """
}
