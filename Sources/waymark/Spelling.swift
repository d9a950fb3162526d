/// Words that are almost other words.
enum Spelling {
    /// The word that was probably meant: the one that differs least, by at most a third of its letters or by their
    /// order, or else one that begins so; nil where there is none.
    static func nearest(to word: String, among words: [String]) -> String? {
        let word = word.lowercased()
        // No name is as long, and the time that it takes is that of the product.
        guard word.count <= 40 else { return nil }
        let near = words.map { (word: $0, distance: distance(word, $0)) }
            .filter { $0.distance <= max(1, $0.word.count / 3) }
        return near.min { $0.distance < $1.distance }?.word
            ?? (word.count >= 3 ? words.first { $0.hasPrefix(word) } : nil)
    }

    /// How many letters are to be put in, left out or replaced to make one of the other (Levenshtein); 1 where they are
    /// the same in another order.
    static func distance(_ first: String, _ second: String) -> Int {
        if first != second, first.sorted() == second.sorted() { return 1 }
        var row = [0] + second.enumerated().map { $0.offset + 1 }
        for letter in first {
            var last = (row.first ?? 0) + 1
            var next = [last]
            for (candidate, (before, above)) in zip(second, zip(row, row.dropFirst())) {
                last = min(above + 1, last + 1, before + (letter == candidate ? 0 : 1))
                next.append(last)
            }
            row = next
        }
        return row.last ?? 0
    }
}
