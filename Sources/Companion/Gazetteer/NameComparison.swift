/// Compares names with a text that somebody typed: all its words must be in the name, and the last may be the beginning
/// of one.
///
/// Words are compared as the gazetteer compares names, without case and accents.
package struct NameComparison {
    private var folding = NameFolding()
    private let words: [[UInt8]]

    /// Creates the comparison for a text.
    package init(_ text: String) { words = folding.folded(text).split(separator: 0x20).map { Array($0) } }

    /// Whether a name has the words of the text; never for a text without letters and digits.
    package mutating func matches(_ name: String) -> Bool {
        guard let last = words.last else { return false }
        let known = folding.folded(name).split(separator: 0x20)
        return known.contains { $0.starts(with: last) }
            && words.dropLast().allSatisfy { word in known.contains { $0.elementsEqual(word) } }
    }
}
