import Foundation
import RPC
import Service

/// The rules for what people write in posts and of products.
enum PostText {
    /// The longest text of a post, in bytes of UTF-8.
    static let longest = 4000
    /// The longest name of a brand or a product, in bytes of UTF-8.
    static let longestName = 200

    /// One line of text without the blanks around it, which there must be.
    static func line(_ given: String, _ field: String) throws(Refusal) -> String {
        let text = given.trimmingCharacters(in: .whitespacesAndNewlines).precomposedStringWithCanonicalMapping
        guard !text.isEmpty else { throw .invalid(field, "must not be empty") }
        guard text.utf8.count <= longestName else {
            throw .invalid(field, "must not be longer than \(longestName) bytes")
        }
        // What ends a line, in whatever writing.
        let isLine = text.unicodeScalars.allSatisfy { scalar in
            ![.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
        }
        guard isLine else { throw .invalid(field, "must be one line of text") }
        return text
    }

    /// Brands in the order in which they are given.
    ///
    /// - Throws: ``Refusal/invalid(_:_:)`` where there are too many, or one twice, in whatever case.
    static func brands(_ given: [String]) throws(Refusal) -> [String] {
        guard given.count <= Post.mostBrands else {
            throw .invalid("brands", "must be at most \(Post.mostBrands)")
        }
        var brands: [String] = []
        for brand in given { brands.append(try line(brand, "brands")) }
        guard Set(brands.map { $0.lowercased() }).count == brands.count else {
            throw .invalid("brands", "must not have the same brand twice")
        }
        return brands
    }

    /// An address of a page of a shop: http or https, and nothing that ends an attribute or a line.
    static func link(_ given: String) throws(Refusal) -> String {
        guard case .link(let link)? = NotificationDestination(given.trimmingCharacters(in: .whitespaces)) else {
            throw .invalid("link", "must begin with http:// or https://, and be an address")
        }
        // The scheme in small letters, as the table has it.
        guard let colon = link.firstIndex(of: ":") else { throw .invalid("link", "must be an address") }
        return link[..<colon].lowercased() + link[colon...]
    }
}
