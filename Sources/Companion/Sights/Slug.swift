/// Ids made of titles: letters and digits in small letters, with single hyphens between the words.
enum Slug {
    /// The longest slug without its number, in characters: a title's first words.
    private static let longest = 60
    /// The longest slug without its number, in bytes of UTF-8, as characters may have any number of marks.
    private static let longestBytes = Sight.longestID - 20

    /// The slug of a title, with a number behind it where that is taken: `old-mill`, `old-mill-2`; of a title without
    /// letters and digits, the other word.
    static func id(
        for title: String, or other: String = "sight", isFree: (String) throws -> Bool
    ) rethrows -> String {
        let slug = make(of: title, or: other)
        var id = slug
        var number = 2
        while try !isFree(id) {
            id = "\(slug)-\(number)"
            number += 1
        }
        return id
    }

    private static func make(of title: String, or other: String) -> String {
        let words = title.lowercased().split { !$0.isLetter && !$0.isNumber }
        var slug = words.joined(separator: "-").prefix(longest)
        while slug.utf8.count > longestBytes { slug.removeLast() }
        return slug.isEmpty ? other : String(slug)
    }
}

/// Ids of many sights that come together, some without one: each only once.
struct Slugs {
    private var taken: Set<String> = []

    /// The id given, or one made from the title; nil where the one given was there before.
    mutating func id(_ given: String?, title: String) -> String? {
        if let given { return taken.insert(given).inserted ? given : nil }
        return Slug.id(for: title) { taken.insert($0).inserted }
    }
}
