/// A text of at most eight times `words` bytes and what it says, so that equal bytes need not be parsed again.
///
/// A receiver writes its position into several sentences, one date into all sentences of a day, and often the same
/// satellites for minutes.
struct KnownText<let words: Int, Value: Sendable>: Sendable {
    /// The text, with zeros after it, which no sentence contains.
    private var text = InlineArray<words, UInt64>(repeating: 0)
    private var length = 0
    private var value: Value?

    init() {}

    /// Returns what a part of a sentence says if it is the known text.
    ///
    /// It is mutating because the compiler would copy the text otherwise.
    @inline(__always)
    mutating func value(at start: Int, _ length: Int, in sentence: Span<UInt8>) -> Value? {
        guard length == self.length else { return nil }
        // All words are compared, since a branch for each would be guessed wrongly more often.
        var difference: UInt64 = 0
        var index = 0
        while index < words, 8 &* index < length {
            difference |= text[index] ^ Self.word(index, at: start, length, in: sentence)
            index &+= 1
        }
        return difference == 0 ? value : nil
    }

    /// Remembers what a part of a sentence says, unless it is too long.
    mutating func learn(_ value: Value, at start: Int, _ length: Int, in sentence: Span<UInt8>) {
        guard length <= 8 * words else { return }
        var index = 0
        while index < words {
            text[index] = Self.word(index, at: start, length, in: sentence)
            index &+= 1
        }
        self.length = length
        self.value = value
    }

    @inline(__always)
    private static func word(_ index: Int, at start: Int, _ length: Int, in sentence: Span<UInt8>) -> UInt64 {
        let rest = length &- 8 &* index
        guard rest > 0 else { return 0 }
        let word = sentence.word(at: start &+ 8 &* index)
        return rest >= ByteWord.count ? word.bits : word.prefix(rest)
    }
}
