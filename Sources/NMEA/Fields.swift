/// Where the fields of a sentence lie.
///
/// Field 0 is the address (`GPRMC`), so that field n is the n-th of the standard's tables.
struct Fields {
    /// How many fields are told apart; the longest sentence that is read, GSA, has 19.
    static let capacity = 24

    /// How many fields there are, the address among them, also beyond ``capacity``.
    let count: Int
    /// Whether a checksum follows them.
    private let hasChecksum: Bool
    /// Field n runs from the n-th start to before the delimiter in front of the next.
    private var starts = InlineArray<25, UInt16>(repeating: 0)

    /// The fields of a sentence of at most ``SentenceFramer/longestSentence`` bytes, from its `$` to its end or to
    /// the `*` of its checksum.
    init(_ text: Span<UInt8>, asterisk: Int?) {
        hasChecksum = asterisk != nil
        let fields = text.extracting(..<(asterisk ?? text.count))
        starts[0] = 1
        var count = 1
        var index = 1
        while index < fields.count {
            var commas = fields.word(at: index).places(of: .comma)
            while let place = commas.popFirst() {
                if count <= Self.capacity { starts[count] = UInt16(truncatingIfNeeded: index &+ place &+ 1) }
                count &+= 1
            }
            index &+= ByteWord.count
        }
        self.count = count
        if count <= Self.capacity { starts[count] = UInt16(truncatingIfNeeded: fields.count + 1) }
    }

    /// The place of a field; empty where there is no such field.
    @inline(__always)
    subscript(field: Int) -> Range<Int> {
        guard field < count, field < Self.capacity else { return 0..<0 }
        return Int(starts[field])..<Int(starts[field + 1]) - 1
    }

    /// Whether a field says nothing, or there is none such.
    @inline(__always)
    func isEmpty(_ field: Int) -> Bool { self[field].isEmpty }

    /// The only character of a field; nil where it has none or several.
    @inline(__always)
    func character(_ field: Int, _ text: Span<UInt8>) -> UInt8? {
        let place = self[field]
        return place.count == 1 ? text[place.lowerBound] : nil
    }

    /// Demands so many fields, the address not among them: with a checksum at least the smaller number, since later
    /// editions of the standard add fields at the end; without one a number within the range, and a last field as
    /// short as all are, or a sentence cut short or run into its checksum would pass for a whole one.
    func require(_ fields: ClosedRange<Int>, atLeast least: Int, _ text: Span<UInt8>) throws(Malformation) {
        guard !hasChecksum else {
            if count - 1 < least { throw .fields }
            return
        }
        guard fields.contains(count - 1), endsPlainly(text) else { throw .fields }
    }

    /// Whether the last field is one letter or at most four characters of a number.
    private func endsPlainly(_ text: Span<UInt8>) -> Bool {
        let last = self[count - 1]
        if last.count == 1, text[last.lowerBound].isLetter { return true }
        return last.count <= 4 && last.allSatisfy { text[$0].decimalDigit != nil || text[$0] == .point }
    }
}
