import Time

/// The positions of a sentence's fields.
///
/// Field 0 is the address (`GPRMC`), so field n is the n-th field of the standard's tables.
///
/// The functions that read a field are mutating: some of them remember texts, and for the others the compiler would copy
/// the places of all fields at each call.
struct Fields {
    /// The greatest number of fields that can be read.
    ///
    /// The longest sentence that is read, GSA, has 19.
    static let capacity = 24

    /// The number of fields, including the address and any beyond ``capacity``.
    private(set) var count = 0
    /// Whether a checksum follows the fields.
    private var hasChecksum = false
    /// The starts of the fields.
    ///
    /// A field ends before the delimiter that precedes the next start.
    private var starts = InlineArray<25, UInt16>(repeating: 0)

    /// What some texts say that were parsed before.
    var knownPosition = KnownText<4, Position>()
    var knownDate = KnownText<1, CalendarDate>()
    var knownSatellites = KnownSatellites()

    init() {}

    /// Finds the fields of a sentence of at most ``SentenceFramer/longestSentence`` bytes.
    ///
    /// The text begins with the `$`. If there is a checksum, the fields end before its `*`, and other text may follow.
    mutating func find(in text: Span<UInt8>, asterisk: Int?) {
        hasChecksum = asterisk != nil
        let end = asterisk ?? text.count
        starts[0] = 1
        var count = 1
        var block = 0
        while block < end {
            // The commas of a block are found before they are gone through, which saves wrong guesses of the processor.
            var commas = text.commas(at: block, before: end)
            while commas != 0 {
                if count <= Self.capacity {
                    starts[count] = UInt16(truncatingIfNeeded: block &+ commas.trailingZeroBitCount &+ 1)
                }
                count &+= 1
                commas &= commas &- 1
            }
            block &+= 64
        }
        self.count = count
        if count <= Self.capacity { starts[count] = UInt16(truncatingIfNeeded: end &+ 1) }
    }

    /// The range of a field; empty if there is no such field.
    @inline(__always)
    subscript(field: Int) -> Range<Int> {
        mutating get {
            guard field < count, field < Self.capacity else { return 0..<0 }
            return Int(starts[field])..<Int(starts[field + 1]) - 1
        }
    }

    /// Whether a field is empty or missing.
    @inline(__always)
    mutating func isEmpty(_ field: Int) -> Bool { self[field].isEmpty }

    /// Returns the only character of a field, or `nil` if it has none or several.
    @inline(__always)
    mutating func character(_ field: Int, _ text: Span<UInt8>) -> UInt8? {
        let place = self[field]
        return place.count == 1 ? text[place.lowerBound] : nil
    }

    /// Checks the number of fields, not counting the address.
    ///
    /// With a checksum, there must be at least `least` fields, because later editions of the standard append some.
    /// Without a checksum, the number must be within the range, and the last field must be as short as such fields are.
    /// Otherwise a sentence that is truncated or runs into its checksum would pass as complete.
    ///
    /// - Throws: ``MalformedReason/fields`` if the check fails.
    mutating func require(_ fields: ClosedRange<Int>, atLeast least: Int, _ text: Span<UInt8>) throws(MalformedReason) {
        guard !hasChecksum else {
            if count - 1 < least { throw .fields }
            return
        }
        guard fields.contains(count - 1), endsPlainly(text) else { throw .fields }
    }

    /// Whether the last field is one letter, or a number of at most four characters.
    private mutating func endsPlainly(_ text: Span<UInt8>) -> Bool {
        let last = self[count - 1]
        if last.count == 1, text[last.lowerBound].isLetter { return true }
        return last.count <= 4 && last.allSatisfy { text[$0].decimalDigit != nil || text[$0] == .point }
    }
}
