import Store

/// Makes ids from titles: lowercase letters and digits, with single hyphens between the words.
package enum Slug {
    /// The maximum length of a slug without its number, in characters: the first words of a title.
    private static let longest = 60
    /// The maximum length of a slug without its number, in bytes of UTF-8.
    ///
    /// A character may have any number of combining marks.
    private static let longestBytes = Identifier.longest - 20

    /// Returns the slug of a title, with a number appended if it is taken: `old-mill`, `old-mill-2`.
    ///
    /// The slug of a title without letters and digits is `other`.
    ///
    /// - Complexity: O(log *n*) calls of `isFree` if *n* ids are taken.
    package static func id(
        for title: String, or other: String = "sight", isFree: (String) throws -> Bool
    ) rethrows -> String {
        try free(make(of: title, or: other), isFree: isFree)
    }

    /// Returns the slug if it is free, otherwise the slug with a number such that it is free and its predecessor is
    /// taken.
    package static func free(_ slug: String, isFree: (String) throws -> Bool) rethrows -> String {
        if try isFree(slug) { return slug }
        // Doubles the number until it is free, then bisects. Trying one number after another would make adding many
        // equal titles slow.
        for exponent in 1..<Int.bitWidth - 1 {
            var free = 1 << exponent
            guard try isFree("\(slug)-\(free)") else { continue }
            var taken = free / 2
            while free - taken > 1 {
                let middle = (taken + free) / 2
                if try isFree("\(slug)-\(middle)") { free = middle } else { taken = middle }
            }
            return "\(slug)-\(free)"
        }
        // Practically unreachable: somebody would have to take all these ids on purpose.
        return try free("\(slug)-2", isFree: isFree)
    }

    /// Returns the slug of a title without a number.
    fileprivate static func make(of title: String, or other: String = "sight") -> String {
        let words = title.lowercased().split { !$0.isLetter && !$0.isNumber }
        var slug = Identifier.normal(String(words.joined(separator: "-").prefix(longest)))
        while slug.utf8.count > longestBytes { slug.removeLast() }
        return Identifier(repairing: slug)?.text ?? other
    }
}

/// Assigns unique ids to sights that are imported together, some of which have no id.
package struct Slugs {
    private var taken: Set<String> = []
    /// The next number to try for a slug.
    ///
    /// All smaller numbers are taken, and stay taken.
    private var next: [String: Int] = [:]

    /// Creates an empty set of ids.
    package init() {}

    /// Returns the given id, or one made from the title; `nil` if the given id is taken.
    ///
    /// - Complexity: O(1), amortized.
    package mutating func id(_ given: String?, title: String) -> String? {
        if let given { return taken.insert(given).inserted ? given : nil }
        let slug = Slug.make(of: title)
        var id = slug
        var number = next[slug] ?? 2
        while !taken.insert(id).inserted {
            id = "\(slug)-\(number)"
            number += 1
        }
        next[slug] = number
        return id
    }
}
