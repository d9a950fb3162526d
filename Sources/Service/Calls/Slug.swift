import Store

/// Ids made of titles: letters and digits in small letters, with single hyphens between the words.
package enum Slug {
    /// The longest slug without its number, in characters: a title's first words.
    private static let longest = 60
    /// The longest slug without its number, in bytes of UTF-8, as characters may have any number of marks.
    private static let longestBytes = Identifier.longest - 20

    /// The slug of a title, with a number behind it where that is taken: `old-mill`, `old-mill-2`; of a title without
    /// letters and digits, the other word.
    ///
    /// - Complexity: O(log *n*) calls of `isFree` for *n* ids that are taken.
    package static func id(
        for title: String, or other: String = "sight", isFree: (String) throws -> Bool
    ) rethrows -> String {
        try free(make(of: title, or: other), isFree: isFree)
    }

    /// A text, with a number behind it where that is taken: one that is free and follows one that is taken.
    package static func free(_ slug: String, isFree: (String) throws -> Bool) rethrows -> String {
        if try isFree(slug) { return slug }
        // By doubling and then halving the distance, for trying one after another makes many of a name slow.
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
        // Only who wants it so has taken all of these.
        return try free("\(slug)-2", isFree: isFree)
    }

    /// The slug of a title without a number.
    fileprivate static func make(of title: String, or other: String = "sight") -> String {
        let words = title.lowercased().split { !$0.isLetter && !$0.isNumber }
        var slug = Identifier.normal(String(words.joined(separator: "-").prefix(longest)))
        while slug.utf8.count > longestBytes { slug.removeLast() }
        return Identifier(repairing: slug)?.text ?? other
    }
}

/// Ids of many sights that come together, some without one: each only once.
package struct Slugs {
    private var taken: Set<String> = []
    /// The number that comes next behind a slug: all smaller ones are taken, and stay so.
    private var next: [String: Int] = [:]

    /// None yet.
    package init() {}

    /// The id given, or one made from the title; nil where the one given was there before.
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
