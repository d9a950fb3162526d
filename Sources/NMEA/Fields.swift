/// Where the fields of a sentence lie, and the sum of its bytes.
///
/// Field 0 is the address (`GPRMC`), so that field n is the n-th of the standard's tables.
struct Fields {
    /// How many fields are told apart; the longest sentence that is read, GSA, has 19.
    static let capacity = 24

    /// How many fields there are, the address among them, also beyond ``capacity``.
    private(set) var count = 1
    /// Where the `*` is; nil where there is none.
    private(set) var asterisk: Int?
    /// The exclusive or of all bytes between the `$` and the `*` (NMEA 0183, section 5.3.3).
    private(set) var sum: UInt8 = 0
    /// Field n runs from the n-th start to before the delimiter in front of the next.
    private var starts = InlineArray<25, UInt16>(repeating: 0)

    /// The fields of a sentence of at most ``SentenceFramer/longestSentence`` bytes, from its `$` on.
    init(_ text: Span<UInt8>) {
        starts[0] = 1
        var index = 1
        while index < text.count {
            let byte = text[index]
            if byte == .asterisk { break }
            sum ^= byte
            index += 1
            if byte == .comma {
                if count <= Self.capacity { starts[count] = UInt16(truncatingIfNeeded: index) }
                count += 1
            }
        }
        if index < text.count { asterisk = index }
        if count <= Self.capacity { starts[count] = UInt16(truncatingIfNeeded: index + 1) }
    }

    /// The place of a field; empty where there is no such field.
    subscript(field: Int) -> Range<Int> {
        guard field < count, field < Self.capacity else { return 0..<0 }
        return Int(starts[field])..<Int(starts[field + 1]) - 1
    }

    /// Whether a field says nothing, or there is none such.
    func isEmpty(_ field: Int) -> Bool { self[field].isEmpty }

    /// The only character of a field; nil where it has none or several.
    func character(_ field: Int, _ text: Span<UInt8>) -> UInt8? {
        let place = self[field]
        return place.count == 1 ? text[place.lowerBound] : nil
    }

    /// Demands so many fields, the address not among them: with a checksum at least the smaller number, since later
    /// editions of the standard add fields at the end; without one a number within the range, and a last field as
    /// short as all are, or a sentence cut short or run into its checksum would pass for a whole one.
    func require(_ fields: ClosedRange<Int>, atLeast least: Int, _ text: Span<UInt8>) throws(Malformation) {
        guard asterisk == nil else {
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
