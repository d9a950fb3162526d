/// A search for the word that was probably meant.
enum Spelling {
    /// Returns the word that differs least from another; `nil` if there is none that is near.
    ///
    /// A word is near if at most a third of its letters differ, and at least one may, or if only their order differs.
    /// If there is none, it is the first word that begins with `word`, which must have at least three letters.
    static func nearest(to word: String, among words: [String]) -> String? {
        let word = word.lowercased()
        // No name is as long as this, and the time grows with the product of the lengths.
        guard word.count <= 40 else { return nil }
        let near = words.map { (word: $0, distance: distance(word, $0)) }
            .filter { $0.distance <= max(1, $0.word.count / 3) }
        return near.min { $0.distance < $1.distance }?.word
            ?? (word.count >= 3 ? words.first { $0.hasPrefix(word) } : nil)
    }

    /// Returns the number of letters to insert, delete or replace (Levenshtein); 1 if only their order differs.
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
