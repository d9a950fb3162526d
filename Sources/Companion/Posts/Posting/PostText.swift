import Foundation
import RPC
import Service

/// The rules for texts in posts and products.
enum PostText {
    /// The longest text of a post, in bytes of UTF-8.
    static let longest = 4000
    /// The longest name of a brand or a product, in bytes of UTF-8.
    static let longestName = 200

    /// Returns a single line of text without white space at both ends.
    ///
    /// - Throws: ``Refusal/invalid(_:_:)`` if the text is empty, too long, or has more than one line.
    static func line(_ given: String, _ field: String) throws(Refusal) -> String {
        let text = given.trimmingCharacters(in: .whitespacesAndNewlines).precomposedStringWithCanonicalMapping
        guard !text.isEmpty else { throw .invalid(field, "must not be empty") }
        guard text.utf8.count <= longestName else {
            throw .invalid(field, "must not be longer than \(longestName) bytes")
        }
        // All characters that end a line in any script.
        let isLine = text.unicodeScalars.allSatisfy { scalar in
            ![.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
        }
        guard isLine else { throw .invalid(field, "must be one line of text") }
        return text
    }

    /// Returns brands in the given order.
    ///
    /// - Throws: ``Refusal/invalid(_:_:)`` if there are too many, or one is repeated, without regard to case.
    static func brands(_ given: [String]) throws(Refusal) -> [String] {
        guard given.count <= Post.maximumBrands else {
            throw .invalid("brands", "must have at most \(Post.maximumBrands) elements")
        }
        var brands: [String] = []
        for brand in given { brands.append(try line(brand, "brands")) }
        guard Set(brands.map { $0.lowercased() }).count == brands.count else {
            throw .invalid("brands", "must not have the same brand twice")
        }
        return brands
    }

    /// Returns the address of a shop's page.
    ///
    /// It begins with `http` or `https` and has no character that could end an HTML attribute or a line.
    static func link(_ given: String) throws(Refusal) -> String {
        guard case .link(let link)? = NotificationDestination(given.trimmingCharacters(in: .whitespaces)) else {
            throw .invalid("link", "must be an address that begins with http:// or https://")
        }
        // The table requires the scheme in lower case.
        guard let colon = link.firstIndex(of: ":") else { throw .invalid("link", "must be an address") }
        return link[..<colon].lowercased() + link[colon...]
    }
}
